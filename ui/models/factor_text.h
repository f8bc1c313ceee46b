// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/factor_data.h"

class QIODevice;

/// A component as text to copy and to save.
namespace ui {

/// "LAX Los Angeles, CA"; "− ORD Chicago, IL" where its element is below zero.
QString strongestRowText(const FactorData&, unsigned mode, unsigned component, kernels::Index row, bool normalised);
/// The strongest rows of every mode, for people: a line a row, number after a tab.
QString strongestText(const FactorData&, unsigned component, const QString& title, unsigned count, bool normalised);
/// `component,name,mode,rank,index1,label,value`
QString strongestCsv(const FactorData&, unsigned component, const QString& name, unsigned count, bool normalised);
/// `mode,index1,label,value`: every row of every mode. False where the device takes no more; throws Cancelled.
bool writeComponentCsv(const FactorData&, unsigned component, bool normalised, QIODevice&, kernels::Progress&);

/// A sentence a page puts above what it shows: what is shown, and by which convention of sign and scale.
QString conventionText(const FactorData&, bool normalised);
QString degeneracyText(const FactorData&); ///< empty: no two components cancel each other

} // namespace ui
