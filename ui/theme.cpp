// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include "ui/desktop_scheme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QLabel>
#include <QPalette>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QSettings>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

/// Resources of a static library are linked only when asked for; the macro must stand outside namespaces.
static void initialiseResources() { Q_INIT_RESOURCE(resources); }

namespace ui {
namespace {

QColor mix(const QColor& a, const QColor& b, double share)
{
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * share),
                            static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * share),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * share));
}

QPalette paletteOf(const Tokens& t)
{
    QPalette palette(t.text, t.panel, t.panel, t.line, t.line, t.text, t.text, t.panel, t.background);
    palette.setColor(QPalette::Highlight, t.accent);
    palette.setColor(QPalette::HighlightedText, t.onAccent);
    palette.setColor(QPalette::AlternateBase, t.background);
    palette.setColor(QPalette::ToolTipBase, t.panel);
    palette.setColor(QPalette::ToolTipText, t.text);
    palette.setColor(QPalette::PlaceholderText, t.muted);
    palette.setColor(QPalette::Link, t.accentText);
    palette.setColor(QPalette::Mid, t.line);
    for (auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, mix(t.muted, t.panel, 0.35));
    return palette;
}

constexpr std::array zooms{75, 90, 100, 110, 125, 150, 175, 200};
constexpr int textPixels = 13;

/// Lines of one or two pixels stay as they are.
QString withZoomedSizes(const QString& sheet)
{
    if (Theme::instance().zoom() == 100)
        return sheet;
    static const QRegularExpression size(QStringLiteral("(\\d+)px"));
    QString zoomedSheet;
    qsizetype end = 0;
    for (auto matches = size.globalMatch(sheet); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const int pixels = match.captured(1).toInt();
        zoomedSheet +=
            sheet.mid(end, match.capturedStart() - end) + QString::number(pixels > 2 ? zoomed(pixels) : pixels) + QStringLiteral("px");
        end = match.capturedEnd();
    }
    return zoomedSheet + sheet.mid(end);
}

QString styleSheetOf(const Tokens& t)
{
    QFile file(QStringLiteral(":/styles/polyad.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString sheet = QString::fromUtf8(file.readAll());
    if (QFile contrast(QStringLiteral(":/styles/high-contrast.qss")); t.highContrast && contrast.open(QIODevice::ReadOnly))
        sheet += QString::fromUtf8(contrast.readAll());
    sheet.replace(QStringLiteral("@scheme"), t.dark ? QStringLiteral("dark") : QStringLiteral("light"));
    const std::pair<const char*, QColor> colors[] = {
        // Longer names first: @accentSoft must not be read as @accent.
        {"@background", t.background},
        {"@panel", t.panel},
        {"@lineStrong", mix(t.line, t.muted, 0.4)},
        {"@line", t.line},
        {"@grid", t.grid},
        {"@text", t.text},
        {"@muted", t.muted},
        {"@accentSoft", t.accentSoft},
        {"@accentText", t.accentText},
        {"@accentHover", mix(t.accent, t.dark ? QColor(Qt::white) : QColor(Qt::black), 0.12)},
        {"@accent", t.accent},
        {"@onAccent", t.onAccent},
        {"@hover", t.hover},
        {"@good", t.good},
        {"@warningSoft", t.warningSoft},
        {"@warningLine", mix(t.warningSoft, t.warning, 0.3)},
        {"@warning", t.warning},
        {"@dangerSoft", t.dangerSoft},
        {"@dangerLine", mix(t.dangerSoft, t.danger, 0.3)},
        {"@danger", t.danger},
        {"@disabled", mix(t.muted, t.panel, 0.35)},
        {"@scroll", mix(t.line, t.muted, 0.25)},
    };
    for (const auto& [name, color] : colors)
        sheet.replace(QLatin1String(name), color.name());
    return withZoomedSizes(sheet);
}

void loadFonts()
{
    for (const char* weight : {"Regular", "Medium", "SemiBold"})
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/Inter-%1.otf").arg(QLatin1String(weight)));
}

/// Fusion, with mnemonics that work but are not underlined all the time. Labels, message boxes and tooltips show their text as it is:
/// names from files are not HTML. A label that wants rich text says so with setTextFormat().
class CalmStyle : public QProxyStyle {
public:
    CalmStyle()
        : QProxyStyle(QStringLiteral("Fusion"))
    {
    }
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        const bool toolBar = metric == PM_ToolBarItemMargin || metric == PM_ToolBarFrameWidth;
        return toolBar ? 0 : QProxyStyle::pixelMetric(metric, option, widget); // the style sheet pads
    }
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override
    {
        return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
    }
    using QProxyStyle::polish;
    void polish(QWidget* widget) override
    {
        if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
            label->setTextFormat(Qt::PlainText);
        QProxyStyle::polish(widget);
    }
};

bool isDarkPalette(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

const Tokens& lightTokens()
{
    static const Tokens tokens{false,     "#f6f7f9", "#ffffff", "#e1e4ea", "#eceef2", "#1b2130", "#5f697e", "#2563eb", "#e8effd",
                               "#1f5ae0", "#ffffff", "#f1f3f6", "#067647", "#8a4b08", "#b42318", "#fdf3e2", "#fdecea"};
    return tokens;
}

const Tokens& darkTokens()
{
    static const Tokens tokens{true,      "#14171d", "#1b1f27", "#2b313c", "#262c36", "#e6e9ef", "#98a1b1", "#6ea0ff", "#22304d",
                               "#86b0ff", "#0b1424", "#242a34", "#4ecb94", "#f5b95a", "#ff8f86", "#35291a", "#3a2224"};
    return tokens;
}

const Tokens& highContrastTokens(bool dark)
{
    static const Tokens onWhite{false,     "#ffffff", "#ffffff", "#5b6270", "#c4c9d2", "#000000", "#333a47", "#0b3fae", "#dbe7ff",
                                "#0a348f", "#ffffff", "#e9eef6", "#04452a", "#562d00", "#86110b", "#ffefd1", "#ffe3df", true};
    static const Tokens onBlack{true,      "#000000", "#000000", "#8a93a5", "#3a4250", "#ffffff", "#d0d6e0", "#8fb8ff", "#10254d",
                                "#b3ceff", "#000000", "#1e2530", "#6fe3b3", "#ffd27f", "#ffb3ab", "#3a2a0a", "#46181a", true};
    return dark ? onBlack : onWhite;
}

Theme& Theme::instance()
{
    static Theme theme;
    return theme;
}

void Theme::install(QApplication& application)
{
    initialiseResources();
    m_application = &application;
    m_desktopDark = isDarkPalette(application.palette());
    loadFonts();
    application.setStyle(new CalmStyle);
    m_zoom = zoomAfter(QSettings().value(QStringLiteral("zoom"), 100).toInt(), 0);
    applyFont();

    auto* desktop = new DesktopScheme(&application);
    connect(desktop, &DesktopScheme::changed, this, [this, desktop] {
        if (desktop->isDark())
            m_desktopDark = *desktop->isDark();
        m_desktopContrast = desktop->wantsContrast();
        update();
    });
    const int stored = QSettings().value(QStringLiteral("appearance"), 0).toInt();
    m_appearance = static_cast<Appearance>(std::clamp(stored, 0, 2));
    if (const QVariant contrast = QSettings().value(QStringLiteral("highContrast")); contrast.isValid())
        m_contrastChosen = contrast.toBool();
    update();
}

void Theme::setAppearance(Appearance appearance)
{
    m_appearance = appearance;
    QSettings().setValue(QStringLiteral("appearance"), static_cast<int>(appearance));
    update();
}

void Theme::setHighContrast(bool on)
{
    m_contrastChosen = on;
    QSettings().setValue(QStringLiteral("highContrast"), on);
    update();
}

int Theme::zoomAfter(int percent, int steps)
{
    const auto nearest =
        std::min_element(zooms.begin(), zooms.end(), [percent](int a, int b) { return std::abs(a - percent) < std::abs(b - percent); });
    const auto place = static_cast<int>(nearest - zooms.begin()) + steps;
    return zooms[static_cast<std::size_t>(std::clamp(place, 0, static_cast<int>(zooms.size()) - 1))];
}

void Theme::setZoom(int percent)
{
    const int zoom = zoomAfter(percent, 0);
    QSettings().setValue(QStringLiteral("zoom"), zoom);
    if (zoom == m_zoom)
        return;
    m_zoom = zoom;
    applyFont();
    apply();
    Q_EMIT zoomed();
    Q_EMIT changed();
}

void Theme::applyFont()
{
    if (!m_application)
        return;
    QFont font(QStringLiteral("Inter"));
    font.setPixelSize(ui::zoomed(textPixels));
    m_application->setFont(font);
}

int zoomed(int pixels) { return (pixels * Theme::instance().zoom() + 50) / 100; }

void whenZoomed(QObject* object, const std::function<void()>& setSizes)
{
    setSizes();
    QObject::connect(&Theme::instance(), &Theme::zoomed, object, setSizes);
}

const Tokens& Theme::tokens() const { return m_highContrast ? highContrastTokens(m_dark) : m_dark ? darkTokens() : lightTokens(); }

void Theme::update()
{
    const bool highContrast = m_contrastChosen.value_or(m_desktopContrast);
    const bool dark = m_appearance == Appearance::System ? m_desktopDark : m_appearance == Appearance::Dark;
    if (m_applied && dark == m_dark && highContrast == m_highContrast)
        return;
    m_dark = dark;
    m_highContrast = highContrast;
    m_applied = true;
    apply();
    Q_EMIT changed();
}

void Theme::apply()
{
    if (!m_application)
        return;
    const QPalette palette = paletteOf(tokens());
    m_application->setPalette(palette);
    QToolTip::setPalette(palette);
    m_application->setStyleSheet(styleSheetOf(tokens()));
}

double contrast(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& c) {
        const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double first = luminance(a), second = luminance(b);
    const auto [low, high] = std::minmax(first, second);
    return (high + 0.05) / (low + 0.05);
}

} // namespace ui
