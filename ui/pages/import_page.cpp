// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/import_page.h"

#include "io/input_stream.h"
#include "ui/models/import_columns.h"
#include "ui/models/import_text.h"
#include "ui/pages/import_modes.h"
#include "ui/pages/import_rows.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/role_header.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace ui {
namespace {

constexpr int mostMeasuredColumns = 60, widestColumn = 240;

QToolButton* makeHeadButton(const QString& text, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("menuButton"));
    button->setText(text);
    return button;
}

/// More than a small window has room for is scrolled.
QWidget* makeScrolled(QWidget* content, const QString& name, QWidget* parent)
{
    auto* scroll = new QScrollArea(parent);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(name);
    auto* body = new QWidget(scroll);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->addWidget(content);
    scroll->setWidget(body);
    body->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    return scroll;
}

} // namespace

ImportPage::ImportPage(QWidget* parent)
    : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 10, 14, 12);
    layout->setSpacing(10);
    layout->addWidget(makeHeader());
    layout->addWidget(makeProblem());
    layout->addWidget(makeMiddle(), 1);
    layout->addWidget(makeFooter());
    m_ticks.setInterval(200);
    connect(&m_ticks, &QTimer::timeout, this, &ImportPage::showProgress);
    connect(&m_import, &app::TableImport::surveyed, this, &ImportPage::showSurvey);
    connect(&m_import, &app::TableImport::recipeChanged, this, &ImportPage::showFigures);
    connect(&m_import, &app::TableImport::figuresChanged, this, &ImportPage::showFigures);
    showFigures();
}

void ImportPage::open(const QString& path, const io::table::Recipe& chosen)
{
    m_import.open(path, chosen);
    m_name->setText(QString::fromStdString(io::fileNameOf(path.toStdString())));
    m_name->setToolTip(path);
    m_layoutText->setText(tr("Looking at the file…"));
    m_table->setFocus();
}

void ImportPage::close() { m_import.close(); }

QWidget* ImportPage::makeHeader()
{
    auto* header = new QWidget(this);
    m_name = new ElidedLabel(header);
    m_name->setObjectName(QStringLiteral("cardTitle"));
    m_name->setTextFormat(Qt::PlainText);
    m_layoutText = new ElidedLabel(header);
    m_layoutText->setObjectName(QStringLiteral("subtitle"));
    m_layoutText->setTextFormat(Qt::PlainText);
    m_layoutText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_layoutText->setMinimumWidth(120);
    m_part = new ComboBox(header);
    m_part->setObjectName(QStringLiteral("tablePart"));
    m_part->setAccessibleName(tr("Sheet or table"));
    m_part->setToolTip(tr("The sheet or table of this file that is imported"));
    m_part->setPlaceholderText(tr("Choose a table"));
    m_part->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_part->setMinimumContentsLength(14);
    m_part->hide();
    m_format = makeHeadButton(tr("Format…"), header);
    m_format->setToolTip(tr("How the table is written: separator, decimal sign, encoding"));
    auto* load = makeHeadButton(tr("Load recipe…"), header);
    load->setToolTip(tr("Use choices that were saved before"));
    m_saveRecipe = makeHeadButton(tr("Save recipe…"), header);
    m_saveRecipe->setToolTip(tr("Keep these choices for the next table of this kind"));
    auto* layout = new QHBoxLayout(header);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(12);
    layout->addWidget(m_name);
    layout->addWidget(m_part);
    layout->addWidget(m_layoutText, 1);
    for (QToolButton* button : {m_format, load, m_saveRecipe})
        layout->addWidget(button);
    connect(m_part, &QComboBox::activated, this, [this](int at) { m_import.choosePart(m_import.parts()[static_cast<std::size_t>(at)]); });
    connect(m_format, &QToolButton::clicked, this, &ImportPage::askForFormat);
    connect(load, &QToolButton::clicked, this, &ImportPage::loadRecipe);
    connect(m_saveRecipe, &QToolButton::clicked, this, &ImportPage::saveRecipe);
    return header;
}

QWidget* ImportPage::makeProblem()
{
    m_problem = new QFrame(this);
    m_problem->setObjectName(QStringLiteral("messageBar"));
    m_problem->setProperty("tone", "error");
    m_problemText = new QLabel(m_problem);
    m_problemText->setObjectName(QStringLiteral("importProblem"));
    m_problemText->setWordWrap(true);
    m_problemText->setTextFormat(Qt::PlainText);
    m_problemText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problemText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_skipRows = new QPushButton(tr("Skip such rows"), m_problem);
    auto* layout = new QHBoxLayout(m_problem);
    layout->setContentsMargins(12, 8, 8, 8);
    layout->addWidget(m_problemText, 1);
    layout->addWidget(m_skipRows, 0, Qt::AlignTop);
    m_problem->hide();
    connect(m_skipRows, &QPushButton::clicked, this, [this] {
        io::table::Recipe recipe = m_import.recipe();
        recipe.badRows = io::table::BadRows::Skip;
        m_import.setRecipe(recipe);
        m_open->setFocus(); // what had it goes
    });
    return m_problem;
}

/// Open and Cancel stay below it, however small the window is.
QWidget* ImportPage::makeMiddle()
{
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumHeight(120);
    auto* body = new QWidget(scroll);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(makeTable(), 10);
    layout->addWidget(makeChoices(), 9);
    scroll->setWidget(body);
    body->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    return scroll;
}

QWidget* ImportPage::makeTable()
{
    auto* card = new QFrame(this);
    card->setObjectName(QStringLiteral("card"));
    m_table = new QTableView(card);
    m_table->setObjectName(QStringLiteral("dense"));
    m_table->setAccessibleName(tr("First rows of the table"));
    m_table->setAccessibleDescription(tr("Space chooses what becomes of a column."));
    m_head = new RoleHeader(m_table);
    m_head->setObjectName(QStringLiteral("roles"));
    m_table->setHorizontalHeader(m_head);
    m_table->setModel(new ImportColumns(m_import, m_table));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->setMinimumHeight(110);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_table);
    connect(m_head, &QHeaderView::sectionClicked, this, &ImportPage::showRoleMenu);
    auto* space = new QShortcut(QKeySequence(Qt::Key_Space), m_table, nullptr, nullptr, Qt::WidgetShortcut);
    connect(space, &QShortcut::activated, this, [this] {
        if (m_table->currentIndex().isValid())
            showRoleMenu(m_table->currentIndex().column());
    });
    return card;
}

QWidget* ImportPage::makeChoices()
{
    m_choices = new QWidget(this);
    auto* modes = new Card(tr("Modes"), m_choices);
    modes->setContent(makeScrolled(new ImportModes(m_import), tr("Modes"), modes));
    auto* rows = new Card(tr("Values and rows"), m_choices);
    rows->setContent(makeScrolled(new ImportRows(m_import), tr("Values and rows"), rows));
    m_sides = new QBoxLayout(QBoxLayout::LeftToRight, m_choices);
    m_sides->setContentsMargins(0, 0, 0, 0);
    m_sides->setSpacing(12);
    m_sides->addWidget(modes, 5);
    m_sides->addWidget(rows, 3);
    return m_choices;
}

void ImportPage::resizeEvent(QResizeEvent* event)
{
    constexpr int narrow = 700, lowest = 170;
    const bool below = width() < narrow;
    m_sides->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_choices->setMinimumHeight(below ? 2 * lowest + m_sides->spacing() : lowest);
    QWidget::resizeEvent(event);
}

QWidget* ImportPage::makeFooter()
{
    auto* footer = new QWidget(this);
    m_figures = new ElidedLabel(footer);
    m_figures->setObjectName(QStringLiteral("cardTitle"));
    m_figures->setProperty("part", "importFigures");
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_details = new ElidedLabel(footer);
    m_details->setObjectName(QStringLiteral("subtitle"));
    m_details->setTextFormat(Qt::PlainText);
    m_details->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_progress = new QProgressBar(footer);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Counting"));
    QSizePolicy keeps = m_progress->sizePolicy();
    keeps.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(keeps);
    m_count = new QPushButton(tr("Count"), footer);
    m_count->setObjectName(QStringLiteral("count"));
    m_count->setToolTip(tr("Read the whole file to know the sizes. Open does so, too."));
    auto* cancel = new QPushButton(tr("Cancel"), footer);
    m_open = new QPushButton(tr("Open"), footer);
    m_open->setObjectName(QStringLiteral("primary"));
    auto* text = new QVBoxLayout;
    text->setSpacing(3);
    text->addWidget(m_figures);
    text->addWidget(m_details);
    text->addWidget(m_progress);
    auto* layout = new QHBoxLayout(footer);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(8);
    layout->addLayout(text, 1);
    for (QPushButton* button : {m_count, cancel, m_open})
        layout->addWidget(button);
    connect(m_count, &QPushButton::clicked, this,
            [this] { m_import.figures() == app::TableImport::Figures::Counting ? m_import.stopCounting() : m_import.count(); });
    connect(cancel, &QPushButton::clicked, this, &ImportPage::cancelled);
    connect(m_open, &QPushButton::clicked, this, &ImportPage::requestOpen);
    return footer;
}

void ImportPage::showSurvey()
{
    showParts();
    m_layoutText->setText(m_import.asksForPart() ? tr("This file holds several tables. Choose one.") : tableText(m_import));
    m_layoutText->setToolTip(m_layoutText->text());
    fitColumns();
    showFigures();
}

void ImportPage::showParts()
{
    const QSignalBlocker blocker(m_part);
    const std::vector<std::string>& parts = m_import.parts();
    m_part->clear();
    for (const std::string& part : parts)
        m_part->addItem(QString::fromStdString(part));
    const auto at = std::find(parts.begin(), parts.end(), m_import.recipe().part);
    m_part->setCurrentIndex(at == parts.end() ? -1 : static_cast<int>(at - parts.begin()));
    m_part->setVisible(parts.size() > 1);
    if (m_import.asksForPart())
        m_part->setFocus();
}

/// Wide enough for what is in them, within limits; of very many columns the first ones.
void ImportPage::fitColumns()
{
    const int columns = m_table->model()->columnCount();
    for (int column = 0; column < std::min(columns, mostMeasuredColumns); ++column) {
        m_table->resizeColumnToContents(column);
        m_head->resizeSection(column, std::clamp(m_head->sectionSize(column), m_head->defaultSectionSize(), widestColumn));
    }
    if (columns > 0 && !m_table->currentIndex().isValid())
        m_table->setCurrentIndex(m_table->model()->index(0, 0));
}

bool ImportPage::canOpen() const
{
    return m_import.survey() && m_import.recipe().modes.size() >= 2 && m_import.figures() != app::TableImport::Figures::Failed;
}

void ImportPage::requestOpen()
{
    if (canOpen())
        Q_EMIT openRequested();
}

void ImportPage::keyPressEvent(QKeyEvent* event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape)
        return Q_EMIT cancelled();
    if (isEnter && qobject_cast<QLineEdit*>(focusWidget())) // it ends what was typed
        return;
    if (isEnter)
        return requestOpen();
    QWidget::keyPressEvent(event);
}

} // namespace ui
