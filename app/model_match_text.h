// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/model_match.h"

#include <QLocale>
#include <QString>
#include <QStringList>

namespace app {

/// Components of one model alone, counted from 1.
std::vector<std::size_t> componentsOfFirstAlone(const kernels::ModelMatch&);
std::vector<std::size_t> componentsOfSecondAlone(const kernels::ModelMatch&);

/// "0.93", "–" where it is not defined.
QString agreementText(double agreement, const QLocale&);
/// "A and B find the same 14 of 16 components (agreement 0.93); components 3 and 11 appear only in A." Of models that are not both
/// CP: "The factors of A and B have these directions in common: 14 of 16 in origin (agreement 0.93). Any two models of these ranks
/// share all directions in hour." modes: names; those that are missing are numbered.
QString matchSentence(const kernels::ModelMatch&, const QString& first, const QString& second, const QStringList& modes, const QLocale&);
/// What "the same" means, with its bounds: for tooltips and --help.
QString matchDefinition(bool ofComponents);

} // namespace app
