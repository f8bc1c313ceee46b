// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QObject>

#include <functional>
#include <optional>

class QApplication;

namespace ui {

/// The colours of one scheme; every painted pixel comes from here or from runStyle().
struct Tokens {
    bool dark = false;
    QColor background; ///< window, behind cards
    QColor panel; ///< side panels, cards, bars
    QColor line; ///< borders
    QColor grid; ///< chart grid, table rules
    QColor text;
    QColor muted; ///< labels, axes, second lines
    QColor accent; ///< primary button, links
    QColor accentSoft; ///< selected card, selected segment
    QColor accentText; ///< accent as text, also on accentSoft
    QColor onAccent; ///< text of the primary button
    QColor hover;
    QColor good, warning, danger;
    QColor warningSoft, dangerSoft;
    bool highContrast = false;
};

const Tokens& lightTokens();
const Tokens& darkTokens();
const Tokens& highContrastTokens(bool dark);

enum class Appearance { System, Light, Dark };

/// The scheme in force. One for the program: delegates and charts have to ask it while painting.
class Theme : public QObject {
    Q_OBJECT
public:
    static Theme& instance();

    /// Fonts, Fusion style, palette, style sheet; follows the desktop from then on.
    void install(QApplication&);
    Appearance appearance() const { return m_appearance; }
    void setAppearance(Appearance);
    /// Text of 7:1, borders that are seen; light or dark as the appearance has it. Until it is chosen the desktop's wish decides.
    void setHighContrast(bool);
    bool isHighContrast() const { return m_highContrast; }
    /// In percent. Fonts and the style sheet follow at once, other sizes by whenZoomed().
    int zoom() const { return m_zoom; }
    void setZoom(int percent);
    static int zoomAfter(int percent, int steps); ///< the next one there is, or the last
    const Tokens& tokens() const;
    bool isDark() const { return m_dark; }

Q_SIGNALS:
    void zoomed(); ///< before changed(), which follows
    void changed();

private:
    Theme() = default;
    void update();
    void apply();
    void applyFont();

    QApplication* m_application = nullptr;
    Appearance m_appearance = Appearance::System;
    bool m_desktopDark = false;
    std::optional<bool> m_contrastChosen; ///< by the person
    bool m_desktopContrast = false;
    bool m_dark = false;
    bool m_highContrast = false;
    bool m_applied = false;
    int m_zoom = 100;
};

inline const Tokens& tokens() { return Theme::instance().tokens(); }

/// A size in pixels at the zoom in force.
int zoomed(int pixels);
/// Calls it now and after each change of the zoom, as long as the object lives.
void whenZoomed(QObject* object, const std::function<void()>& setSizes);

/// WCAG 2 contrast of two opaque colours: 1 to 21.
double contrast(const QColor&, const QColor&);

} // namespace ui
