// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <QString>

#include <vector>

/// Numbers, bytes and times as people read them: the only place that writes them.
namespace app::formatting {

QString grouped(quint64 number); ///< "480 189", groups parted by a thin space that does not wrap
QString count(double number); ///< "12 409", from a million on "99.1 M"
QString axisCount(double number); ///< "10 k", "33 M"
QString bytes(quint64 bytes); ///< "3.4 GiB"
QString rate(double perSecond, bool ofBytes); ///< "210 MiB/s", "1.2 M/s"
QString duration(double seconds); ///< "0.61 s", "3 min 05 s"
QString roughRange(double least, double most); ///< "< 1 s", "2 s – 8 s"; "1.4 s" where both are the same
QString roughDuration(double seconds); ///< for estimates: "12 ms", "1.4 s", "2 min"
QString milliseconds(double seconds); ///< a time in ms without its unit: "16.1"
QString dims(const std::vector<kernels::Index>& dims); ///< "480 189 × 17 770 × 2 182"
QString metric(double value); ///< an RMSE: "0.9214"
QString number(double value, int significant = 4); ///< shortest of at most so many digits
QString exact(double value); ///< shortest text that reads back to the same number
QString csvCell(const QString& text); ///< in quotes where it has to be
QString scientific(double value); ///< "5.3 × 10⁻⁶"
QString percent(double fraction, int decimals = 1); ///< 0.014 → "1.4 %"
QString axisValue(double value, double step); ///< all digits the step needs, no more
QString ranks(const std::vector<unsigned>& ranks); ///< "16", or "16, 8, 4" where they differ

} // namespace app::formatting
