// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusVariant>
#include <QObject>

#include <optional>

namespace ui {

/// Asks the desktop portal whether it is dark, and of high contrast (Qt 6.4 has no QStyleHints::colorScheme) and hears of changes.
class DesktopScheme : public QObject {
    Q_OBJECT
public:
    explicit DesktopScheme(QObject* parent = nullptr);

    /// Nothing where there is no portal, or where it has no preference.
    std::optional<bool> isDark() const { return m_dark; }
    bool wantsContrast() const { return m_contrast; } ///< a high one

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& key);
    void take(const QString& key, uint value);

    std::optional<bool> m_dark;
    bool m_contrast = false;
};

} // namespace ui
