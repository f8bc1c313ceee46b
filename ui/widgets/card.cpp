// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QEvent>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QSaveFile>
#include <QToolButton>

namespace ui {

QLabel* makeHeading(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text.toUpper(), parent);
    label->setObjectName(QStringLiteral("heading"));
    QFont font = label->font();
    font.setPixelSize(11);
    font.setWeight(QFont::DemiBold);
    font.setLetterSpacing(QFont::PercentageSpacing, 106);
    label->setFont(font);
    return label;
}

QToolButton* makeIconButton(const char* iconName, const QString& text, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("plain"));
    button->setIcon(icon(iconName, tokens().muted));
    button->setIconSize({14, 14});
    button->setFixedSize(24, 24);
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    QObject::connect(&Theme::instance(), &Theme::changed, button, [button, iconName] { button->setIcon(icon(iconName, tokens().muted)); });
    return button;
}

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent)
{
    setObjectName(QStringLiteral("card"));
    m_title = new QLabel(title, this);
    m_title->setObjectName(QStringLiteral("cardTitle"));
    m_subtitle = new QLabel(this);
    m_subtitle->setObjectName(QStringLiteral("subtitle"));
    m_subtitle->setMinimumWidth(20);
    m_subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_value = new QLabel(this);
    m_value->setObjectName(QStringLiteral("subtitle"));
    m_header = new QHBoxLayout;
    m_header->setContentsMargins(14, 0, 7, 0);
    m_header->setSpacing(5);
    m_header->addWidget(m_title);
    m_header->addSpacing(3);
    m_header->addWidget(m_subtitle, 1);
    m_header->addWidget(m_value);
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(0, 8, 0, 4);
    m_layout->setSpacing(1);
    m_layout->addLayout(m_header);
    m_below = new ElidedLabel(this);
    m_below->setObjectName(QStringLiteral("subtitle"));
    m_below->hide();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(14, 0, 14, 2);
    row->addWidget(m_below);
    m_layout->addLayout(row);
}

void Card::setTitle(const QString& title) { m_title->setText(title); }
QString Card::title() const { return m_title->text(); }
QString Card::subtitle() const { return m_subtitleText; }

void Card::setSubtitle(const QString& subtitle)
{
    m_subtitleText = subtitle;
    m_below->setToolTip(subtitle);
    placeSubtitle();
}

/// Beside the title, or on a line of its own where that is too narrow.
void Card::placeSubtitle()
{
    const bool below = m_subtitle->fontMetrics().horizontalAdvance(m_subtitleText) > m_subtitle->width();
    m_subtitle->setText(below ? QString() : m_subtitleText);
    m_below->setText(m_subtitleText);
    m_below->setVisible(below);
}

void Card::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    m_layout->activate();
    placeSubtitle();
}

void Card::setValue(const QString& value) { m_value->setText(value); }
void Card::setContent(QWidget* content) { m_layout->addWidget(content, 1); }

void Card::showHead(bool shown)
{
    for (QWidget* each : {m_title, m_subtitle, m_value})
        each->setVisible(shown);
}

void Card::addToHead(QWidget* widget) { m_header->addWidget(widget); }

void Card::setChartButtons(std::function<QImage(double)> image, std::function<QString()> csv, bool enlargeable)
{
    m_image = std::move(image);
    m_csv = std::move(csv);
    if (enlargeable) {
        m_enlarge = makeIconButton("enlarge", tr("Enlarge %1").arg(title()), this);
        connect(m_enlarge, &QToolButton::clicked, this, [this] { setEnlarged(!m_enlarged); });
        m_header->addWidget(m_enlarge);
    }
    m_save = makeIconButton("save", tr("Save %1").arg(title()), this);
    auto* menu = new QMenu(m_save);
    menu->addAction(tr("Image (PNG, twice the size)…"), this,
                    [this] { askAndSave(tr("Save chart"), tr("PNG image (*.png)"), QStringLiteral(".png"), true); });
    menu->addAction(tr("Numbers (CSV)…"), this,
                    [this] { askAndSave(tr("Save numbers"), tr("Comma-separated values (*.csv)"), QStringLiteral(".csv"), false); });
    m_save->setMenu(menu);
    m_save->setPopupMode(QToolButton::InstantPopup);
    m_header->addWidget(m_save);
}

void Card::setEnlarged(bool enlarged)
{
    if (m_enlarged == enlarged)
        return;
    m_enlarged = enlarged;
    if (m_enlarge) {
        m_enlarge->setIcon(icon(enlarged ? "shrink" : "enlarge", tokens().muted));
        m_enlarge->setToolTip(enlarged ? tr("Show all charts") : tr("Enlarge %1").arg(title()));
    }
    Q_EMIT enlargeToggled(enlarged);
}

bool Card::saveImage(const QString& path) const
{
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && m_image(2).save(&file, "PNG") && file.commit();
}

bool Card::saveCsv(const QString& path) const
{
    QSaveFile file(path);
    const QByteArray bytes = m_csv().toUtf8();
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
}

void Card::askAndSave(const QString& caption, const QString& filter, const QString& suffix, bool image)
{
    QString path =
        QFileDialog::getSaveFileName(this, caption, title().toLower().replace(QLatin1Char(' '), QLatin1Char('-')) + suffix, filter);
    if (path.isEmpty())
        return;
    if (!path.endsWith(suffix, Qt::CaseInsensitive))
        path += suffix;
    if (!(image ? saveImage(path) : saveCsv(path)))
        Q_EMIT saveFailed(tr("%1: the file could not be written. Choose another folder.").arg(path));
}

} // namespace ui
