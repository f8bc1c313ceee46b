// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/ntf_online_problems.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QString>
#include <QTemporaryDir>

/// Files of a stream of counts: what a run is made from, and what arrives afterwards.
namespace test {

/// The entries as lines, counted from 1 as FROSTT has it.
inline QByteArray linesOf(const kernels::SparseTensor& tensor)
{
    QByteArray lines;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        for (unsigned n = 0; n < tensor.order(); ++n)
            lines += QByteArray::number(tensor.indices[n][e] + 1) + ' ';
        lines += QByteArray::number(tensor.value(e), 'g', 9) + '\n';
    }
    return lines;
}

inline bool writeLines(const QString& path, const QByteArray& lines, QIODevice::OpenMode mode = QIODevice::Truncate)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | mode) && file.write(lines) == lines.size();
}

/// Four fifths of a stream in "first.tns", the rest in batches of the same size.
class Arrivals {
public:
    explicit Arrivals(unsigned batches)
    {
        using namespace test::ntf;
        const Stream stream(noisyEntries(plantedParts({40, 30, 20}, 3, 21, 1.2), 6000, kernels::Divergence::KullbackLeibler, 22));
        const kernels::Count all = stream.arrivals.size(), first = all * 8 / 10, each = (all - first) / batches;
        if (!writeLines(firstFile(), linesOf(stream.until(first))))
            throw std::runtime_error("cannot write the first entries");
        for (unsigned b = 0; b < batches; ++b)
            m_batches.push_back(linesOf(stream.between(first + b * each, first + (b + 1) * each)));
    }

    QString at(const QString& name) const { return m_folder.filePath(name); }
    QString firstFile() const { return at(QStringLiteral("first.tns")); }
    const QByteArray& batch(std::size_t number) const { return m_batches.at(number); }

private:
    QTemporaryDir m_folder;
    std::vector<QByteArray> m_batches;
};

} // namespace test
