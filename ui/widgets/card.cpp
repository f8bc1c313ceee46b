// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include "app/messages.h"
#include "io/atomic_file.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QSettings>
#include <QToolButton>

namespace ui {

QLabel* makeHeading(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text.toUpper(), parent);
    label->setObjectName(QStringLiteral("heading"));
    whenZoomed(label, [label] {
        QFont font = label->font();
        font.setPixelSize(zoomed(11));
        font.setWeight(QFont::DemiBold);
        font.setLetterSpacing(QFont::PercentageSpacing, 106);
        label->setFont(font);
    });
    return label;
}

QToolButton* makeIconButton(const char* iconName, const QString& text, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("plain"));
    button->setIcon(icon(iconName, tokens().muted));
    whenZoomed(button, [button] {
        button->setIconSize({zoomed(14), zoomed(14)});
        button->setFixedSize(zoomed(24), zoomed(24));
    });
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

void Card::setChartButtons(std::function<Picture()> picture, std::function<QString()> csv, bool enlargeable)
{
    m_picture = std::move(picture);
    m_csv = std::move(csv);
    if (enlargeable) {
        m_enlarge = makeIconButton("enlarge", tr("Enlarge %1").arg(title()), this);
        connect(m_enlarge, &QToolButton::clicked, this, [this] { setEnlarged(!m_enlarged); });
        m_header->addWidget(m_enlarge);
    }
    m_save = makeIconButton("save", tr("Save %1").arg(title()), this);
    auto* menu = new QMenu(m_save);
    const auto offer = [&](const QString& text, const QString& filter, const char* suffix) {
        menu->addAction(text, this, [this, filter, suffix = QLatin1String(suffix)] { askAndSave(filter, suffix); });
    };
    offer(tr("&Image (PNG, twice the size)…"), tr("PNG image (*.png)"), ".png");
    offer(tr("&Drawing (SVG)…"), tr("SVG drawing (*.svg)"), ".svg");
    offer(tr("D&ocument (PDF)…"), tr("PDF document (*.pdf)"), ".pdf");
    menu->addSeparator();
    offer(tr("&Numbers (CSV)…"), tr("Comma-separated values (*.csv)"), ".csv");
    m_save->setMenu(menu);
    m_save->setPopupMode(QToolButton::InstantPopup);
    m_header->addWidget(m_save);
}

QList<QAction*> Card::saveActions() const
{
    QList<QAction*> actions = m_save ? m_save->menu()->actions() : QList<QAction*>();
    actions.removeIf([](const QAction* action) { return action->isSeparator(); });
    return actions;
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

QString Card::save(const QString& path) const
{
    try {
        if (!path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
            savePicture(m_picture(), m_subtitleText.isEmpty() ? title() : title() + QStringLiteral(" · ") + m_subtitleText, path);
            return {};
        }
        io::AtomicFile file(path.toStdString());
        file.write(m_csv().toStdString());
        file.commit();
        return {};
    } catch (...) {
        return app::messageForCurrentException();
    }
}

void Card::askAndSave(const QString& filter, const QString& suffix)
{
    const QString name = title().toLower().replace(QRegularExpression(QStringLiteral("[^\\w]+")), QStringLiteral("-")) + suffix;
    const QString folder = QSettings().value(QStringLiteral("exportFolder"), QDir::homePath()).toString();
    auto* dialog = new QFileDialog(this, tr("Save %1").arg(title()), QDir(folder).filePath(name), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix.mid(1));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        QSettings().setValue(QStringLiteral("exportFolder"), QFileInfo(path).absolutePath());
        const QString failure = save(path);
        failure.isEmpty() ? Q_EMIT saved(path) : Q_EMIT saveFailed(failure);
    });
    dialog->open();
}

} // namespace ui
