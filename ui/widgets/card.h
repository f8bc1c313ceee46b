// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/picture.h"

#include <QFrame>

#include <functional>

class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace ui {

/// A label in capitals with wide spacing: the headings of panels and cards.
QLabel* makeHeading(const QString& text, QWidget* parent = nullptr);
/// A small flat button with an icon; the text is its tooltip and accessible name.
QToolButton* makeIconButton(const char* iconName, const QString& text, QWidget* parent = nullptr);

/// A white, rounded area: title, muted subtitle, buttons on the right, content below.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setSubtitle(const QString& subtitle);
    void setValue(const QString& value); ///< short text on the right: "78 %"
    void setContent(QWidget* content);
    void showHead(bool shown); ///< else the content is all there is
    void addToHead(QWidget* widget); ///< on the right, before the buttons
    QString title() const;
    QString subtitle() const;

    /// Adds the enlarge and save buttons of a chart; of one that fills its page only the latter.
    void setChartButtons(std::function<Picture()> picture, std::function<QString()> csv, bool enlargeable = true);
    QList<QAction*> saveActions() const; ///< of the save button; empty without one
    void setEnlarged(bool enlarged);
    bool isEnlarged() const { return m_enlarged; }
    /// A picture, or the numbers as .csv: the path's ending says which. Complete or not at all; returns the sentence why not.
    QString save(const QString& path) const;

Q_SIGNALS:
    void enlargeToggled(bool enlarged);
    void saveFailed(const QString& sentence);
    void saved(const QString& path);

private:
    void askAndSave(const QString& filter, const QString& suffix);
    void placeSubtitle();
    void resizeEvent(QResizeEvent* event) override;

    QLabel* m_title;
    QLabel* m_subtitle;
    QLabel* m_below; ///< the subtitle where the head has no room for it
    QLabel* m_value;
    QHBoxLayout* m_header;
    QVBoxLayout* m_layout;
    QToolButton* m_enlarge = nullptr;
    QToolButton* m_save = nullptr;
    QString m_subtitleText;
    bool m_enlarged = false;
    std::function<Picture()> m_picture;
    std::function<QString()> m_csv;
};

} // namespace ui
