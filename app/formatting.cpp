// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/formatting.h"

#include "io/csv.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace app::formatting {
namespace {

constexpr QChar thinSpace(0x202F); // narrow and no line break

QString localised(QString text) { return text.replace(QLatin1Char('.'), QLocale().decimalPoint()); }

/// Three significant digits at most, at most one or two decimals: "3.4", "99.1", "740".
QString short3(double value)
{
    const double size = std::abs(value);
    const int decimals = size >= 99.95 ? 0 : 1;
    return localised(QString::number(value, 'f', decimals));
}

QString withPrefix(double value, const std::array<const char*, 5>& prefixes, double base, const QString& unit)
{
    std::size_t power = 0;
    while (std::abs(value) >= base * 0.9995 && power + 1 < prefixes.size()) {
        value /= base;
        ++power;
    }
    const QString figure = power == 0 ? localised(QString::number(value, 'f', 0)) : short3(value);
    return figure + thinSpace + QString::fromUtf8(prefixes[power]) + unit;
}

QString superscript(int exponent)
{
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = exponent < 0 ? QStringLiteral("⁻") : QString();
    for (QChar c : QString::number(std::abs(exponent)))
        text += digits[c.digitValue()];
    return text;
}

} // namespace

QString grouped(quint64 number)
{
    QString text = QString::number(number);
    for (qsizetype at = text.size() - 3; at > 0; at -= 3)
        text.insert(at, thinSpace);
    return text;
}

QString count(double number)
{
    if (!std::isfinite(number))
        return QStringLiteral("–");
    if (std::abs(number) < 1e6)
        return grouped(static_cast<quint64>(std::max(0.0, std::round(number))));
    return withPrefix(number, {"", "k", "M", "G", "T"}, 1000, {}).trimmed();
}

QString axisCount(double number)
{
    if (std::abs(number) < 1000)
        return formatting::number(number, 3);
    static constexpr std::array prefixes{"", "k", "M", "G", "T"};
    std::size_t power = 0;
    while (std::abs(number) >= 999.95 && power + 1 < prefixes.size()) {
        number /= 1000;
        ++power;
    }
    return formatting::number(number, 3) + thinSpace + QLatin1String(prefixes[power]);
}

QString bytes(quint64 amount) { return withPrefix(static_cast<double>(amount), {"", "Ki", "Mi", "Gi", "Ti"}, 1024, QStringLiteral("B")); }

QString rate(double perSecond, bool ofBytes)
{
    if (!std::isfinite(perSecond) || perSecond < 0)
        return QStringLiteral("–");
    return (ofBytes ? bytes(static_cast<quint64>(perSecond)) : count(perSecond)) + QStringLiteral("/s");
}

QString duration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return QStringLiteral("–");
    if (seconds < 0.0995)
        return number(seconds * 1e3, 2) + thinSpace + QStringLiteral("ms");
    if (seconds < 9.995)
        return localised(QString::number(seconds, 'f', 2)) + thinSpace + QStringLiteral("s");
    if (seconds < 59.95)
        return localised(QString::number(seconds, 'f', 1)) + thinSpace + QStringLiteral("s");
    const auto whole = static_cast<quint64>(std::llround(seconds));
    if (whole < 3600)
        return QCoreApplication::translate("formatting", "%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return QCoreApplication::translate("formatting", "%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

QString roughDuration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return QStringLiteral("–");
    const auto unit = [](double value, const QString& name) {
        return number(value < 10 ? value : std::round(value), value < 10 ? 2 : 6) + thinSpace + name;
    };
    if (seconds < 0.0995)
        return unit(seconds * 1e3, QStringLiteral("ms"));
    if (seconds < 90)
        return unit(seconds, QStringLiteral("s"));
    return seconds < 5400 ? unit(seconds / 60, QStringLiteral("min")) : unit(seconds / 3600, QStringLiteral("h"));
}

QString roughRange(double least, double most)
{
    if (least == most)
        return roughDuration(least);
    if (most < 1) // a guess is not that exact
        return QStringLiteral("< ") + roughDuration(1);
    return QStringLiteral("%1 – %2").arg(roughDuration(least), roughDuration(most));
}

QString milliseconds(double seconds)
{
    const double ms = seconds * 1e3;
    if (!std::isfinite(ms))
        return QStringLiteral("–");
    return localised(QString::number(ms, 'f', ms < 0.995 ? 3 : ms < 9.95 ? 2 : ms < 999.5 ? 1 : 0));
}

QString dims(const std::vector<kernels::Index>& sizes)
{
    QString text;
    for (kernels::Index size : sizes)
        text += (text.isEmpty() ? QString() : QStringLiteral(" × ")) + grouped(size);
    return text;
}

QString metric(double value)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const double size = std::abs(value);
    if (size >= 1e5 || (size > 0 && size < 1e-3))
        return localised(QString::number(value, 'e', 3));
    return localised(QString::number(value, 'f', size >= 1000 ? 1 : size >= 100 ? 2 : size >= 10 ? 3 : 4));
}

QString number(double value, int significant)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    return localised(QString::number(value, 'g', significant))
        .replace(QStringLiteral("e-0"), QStringLiteral("e-"))
        .replace(QStringLiteral("e+0"), QStringLiteral("e"));
}

QString csvCell(const QString& text) { return QString::fromStdString(io::csvCell(text.toStdString())); }

QString exact(double value)
{
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return QString::fromLatin1(buffer.data(), end - buffer.data())
        .replace(QStringLiteral("e-0"), QStringLiteral("e-"))
        .replace(QStringLiteral("e+0"), QStringLiteral("e"));
}

QString scientific(double value)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (value == 0 || (std::abs(value) >= 0.01 && std::abs(value) < 1000))
        return number(value, 2);
    int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    double mantissa = value / std::pow(10.0, exponent);
    if (std::abs(mantissa) >= 9.95) { // would print as 10.0
        mantissa /= 10;
        ++exponent;
    }
    return localised(QString::number(mantissa, 'f', 1)) + QStringLiteral(" × 10") + superscript(exponent);
}

QString percent(double fraction, int decimals)
{
    return localised(QString::number(fraction * 100, 'f', decimals)) + thinSpace + QLatin1Char('%');
}

QString axisValue(double value, double step)
{
    if (!(step > 0) || !std::isfinite(value))
        return number(value);
    if (std::abs(value) < step * 1e-6)
        return QStringLiteral("0");
    if (std::abs(value) >= 1e5 || step < 1e-5)
        return number(value, std::clamp(static_cast<int>(std::ceil(std::log10(std::abs(value) / step))) + 1, 2, 8));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-6)));
    return localised(QString::number(value, 'f', decimals));
}

QString ranks(const std::vector<unsigned>& values)
{
    const bool alike = std::all_of(values.begin(), values.end(), [&](unsigned r) { return r == values.front(); });
    QString text;
    for (unsigned rank : values) {
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + QString::number(rank);
        if (alike)
            break;
    }
    return text;
}

} // namespace app::formatting
