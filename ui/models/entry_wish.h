// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/index_reader.h"
#include "app/open_tensor.h"
#include "kernels/tensor/entry_view.h"
#include "ui/models/label_search.h"

#include <QCoreApplication>
#include <QStringList>

#include <deque>

namespace ui {

/// A filter as a person writes it: for each mode labels, parts of them, indices and ranges ("ORD; #3; 7-9"), and two ends for the
/// value. A label wins over an index, and "#9" is always index 9.
struct EntryWish {
    QStringList modes; ///< one text a mode, empty: any
    QString from, to;
    bool repeatedOnly = false;

    bool isEmpty() const;
    friend bool operator==(const EntryWish&, const EntryWish&) = default;
};

/// Makes a filter of it, and says what was understood. Shares the tensor.
class EntryWishReader {
    Q_DECLARE_TR_FUNCTIONS(EntryWishReader)
public:
    /// What one field says. A problem is a sentence; without one `hint` tells what was understood.
    struct Indices {
        kernels::IndexRanges ranges; ///< empty: any
        QString hint, problem;
        QString note; ///< what else was not meant: a sentence
    };
    struct Number {
        std::optional<double> value; ///< nothing: no limit
        QString problem;
    };

    explicit EntryWishReader(app::OpenTensorPtr tensor);

    Indices indices(unsigned mode, const QString& text) const;
    static Number number(const QString& text);
    QString problem(const EntryWish&) const; ///< of the first field that has one; empty: none
    kernels::EntryFilter filter(const EntryWish&) const; ///< of a wish without problem
    QString summary(const EntryWish&) const; ///< "origin ORD Chicago · value 3 – 5"

private:
    struct Range;
    bool addPart(unsigned mode, const std::string& part, Indices& to) const;
    bool addRange(unsigned mode, const Range&, kernels::IndexRanges& to) const;
    bool addHits(unsigned mode, const std::string& part, kernels::IndexRanges& to) const;
    bool addList(unsigned mode, const QString& whole, Indices& to) const;
    QString whyNot(unsigned mode, const QString& part) const;
    QString understood(unsigned mode, const kernels::IndexRanges&) const;

    app::OpenTensorPtr m_tensor;
    std::vector<kernels::Index> m_dims;
    app::IndexReader m_reader;
    std::deque<LabelSearch> m_search; ///< [mode]
};

} // namespace ui
