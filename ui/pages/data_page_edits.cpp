// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the data page lets a person change: equal coordinates, zeros, and what modes and their indices are called.
#include "app/empty_cells.h"
#include "ui/formatting.h"
#include "ui/pages/data_chip.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/widgets/mode_row.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSettings>
#include <QToolButton>

#include <algorithm>

namespace ui {
namespace {

using kernels::Duplicates;

/// What was done to equal coordinates, and what can be done.
struct Policy {
    Duplicates id;
    const char* done; ///< "3 duplicates, summed"
    const char* wanted;
};
constexpr Policy policies[] = {
    {Duplicates::Sum, QT_TRANSLATE_NOOP("ui::DataPage", "summed"), QT_TRANSLATE_NOOP("ui::DataPage", "Add their values up")},
    {Duplicates::Mean, QT_TRANSLATE_NOOP("ui::DataPage", "averaged"), QT_TRANSLATE_NOOP("ui::DataPage", "Take their mean")},
    {Duplicates::Last, QT_TRANSLATE_NOOP("ui::DataPage", "last one taken"), QT_TRANSLATE_NOOP("ui::DataPage", "Take the last")},
    {Duplicates::Max, QT_TRANSLATE_NOOP("ui::DataPage", "largest taken"), QT_TRANSLATE_NOOP("ui::DataPage", "Take the largest")},
    {Duplicates::Keep, QT_TRANSLATE_NOOP("ui::DataPage", "kept"), QT_TRANSLATE_NOOP("ui::DataPage", "Keep each as an entry")},
};

/// A chip with a menu of remedies.
QToolButton* makeRemedyChip(const QString& text, const QString& name, bool warning)
{
    auto* chip = new QToolButton;
    chip->setObjectName(QStringLiteral("chip"));
    chip->setProperty("tone", warning ? "warning" : "");
    chip->setText(text);
    chip->setAccessibleName(name);
    chip->setPopupMode(QToolButton::InstantPopup);
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* menu = new QMenu(chip);
    menu->setToolTipsVisible(true);
    chip->setMenu(menu);
    return chip;
}

/// Menus, editors and chips outlive what they were made for: another tensor, or none, may have come meanwhile.
bool isStill(const app::OpenTensorPtr& now, int id) { return now && now->id == id; }

/// What is generated has no file to be read otherwise.
void refuse(QAction* action)
{
    action->setEnabled(false);
    action->setToolTip(DataPage::tr("A generated tensor is changed in its file: export it and open the file."));
}

} // namespace

QWidget* DataPage::makeDuplicatesChip()
{
    const kernels::TensorStatistics& statistics = m_tensor->statistics;
    const auto duplicates = std::max(statistics.duplicates, m_tensor->report.duplicatesMerged);
    if (duplicates == 0)
        return makeDataChip(tr("no duplicates"), "good");
    const Duplicates now = m_tensor->path.isEmpty() ? Duplicates::Keep : m_tensor->readOptions.duplicates;
    const auto policy = std::find_if(std::begin(policies), std::end(policies), [now](const Policy& each) { return each.id == now; });
    const QString done = policy == std::end(policies) ? QString() : tr(policy->done);
    const bool chosen = now == Duplicates::Mean || now == Duplicates::Last || now == Duplicates::Max;
    auto* chip = makeRemedyChip(tr("%1 duplicates, %2").arg(formatting::count(static_cast<double>(duplicates)), done),
                                tr("Duplicates: what becomes of equal coordinates"), !chosen);
    chip->setToolTip(tr("%1 entries have coordinates that occurred before").arg(formatting::grouped(duplicates)));
    QAction* show = chip->menu()->addAction(tr("Show them in the table"), m_entries, &EntriesCard::showRepeated);
    show->setEnabled(now == Duplicates::Keep && m_tensor->tensor.sorted);
    if (!show->isEnabled())
        show->setToolTip(tr("They are one entry each in this tensor"));
    chip->menu()->addSection(tr("Open once more, and of equal coordinates"));
    for (const Policy& each : policies) {
        QAction* action = chip->menu()->addAction(tr(each.wanted), this, [this, of = m_tensor->id, policy = each.id] {
            if (!isStill(m_tensor, of))
                return;
            io::ReadOptions options = m_tensor->readOptions;
            options.duplicates = policy;
            m_session.reopen(m_tensor, options);
        });
        action->setObjectName(QStringLiteral("duplicates-%1").arg(static_cast<int>(each.id)));
        action->setCheckable(true);
        action->setChecked(each.id == now);
        action->setEnabled(each.id != now);
        if (m_tensor->path.isEmpty())
            refuse(action);
    }
    return chip;
}

QWidget* DataPage::makeImportButton()
{
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("menuButton"));
    button->setProperty("action", "changeImport");
    button->setText(tr("Change import…"));
    button->setToolTip(tr("Choose again what is made of the table's columns"));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this] {
        if (m_tensor)
            Q_EMIT importChangeRequested(m_tensor);
    });
    return button;
}

QWidget* DataPage::makeZerosChip()
{
    const auto zeros = m_tensor->statistics.zeros, dropped = m_tensor->report.zerosDropped;
    const bool left = !m_tensor->readOptions.keepZeros;
    if (zeros == 0 && !left)
        return makeDataChip(tr("no explicit zeros"), "good");
    const QString text = !left ? tr("%1 explicit zeros").arg(formatting::count(static_cast<double>(zeros)))
        : dropped == 0         ? tr("zeros left out")
                               : tr("%1 zeros left out").arg(formatting::count(static_cast<double>(dropped)));
    auto* chip = makeRemedyChip(text, tr("Explicit zeros: whether they are entries"), !left);
    chip->setToolTip(left ? tr("Zeros that the file holds are no entries of this tensor")
                          : tr("%1 entries hold the value 0: they count as observed").arg(formatting::grouped(zeros)));
    if (!left)
        chip->menu()->addAction(tr("Show them in the table"), m_entries, &EntriesCard::showZeros);
    QAction* action = chip->menu()->addAction(left ? tr("Open once more, with them") : tr("Open once more, without them"), this,
                                              [this, of = m_tensor->id, left] {
                                                  if (!isStill(m_tensor, of))
                                                      return;
                                                  io::ReadOptions options = m_tensor->readOptions;
                                                  options.keepZeros = left;
                                                  m_session.reopen(m_tensor, options);
                                              });
    action->setObjectName(QStringLiteral("zeros"));
    const bool preset = kernels::parsePresetReference(m_tensor->command.argument).has_value();
    if (m_tensor->path.isEmpty() && (preset || left))
        refuse(action);
    return chip;
}

void DataPage::addEmptyCellsRow()
{
    if (!kernels::hasEmptyCells(m_tensor->tensor))
        return;
    auto* name = new QLabel(tr("empty cells"));
    name->setObjectName(QStringLiteral("muted"));
    auto* chip =
        makeRemedyChip(app::emptyCellsText(m_tensor->emptyCells()), tr("What an empty cell means"), app::asksForEmptyCells(*m_tensor));
    chip->setProperty("row", QStringLiteral("empty-cells"));
    const std::pair<kernels::EmptyCells, QString> answers[] = {{kernels::EmptyCells::Zero, tr("Zero: nothing happened")},
                                                               {kernels::EmptyCells::Unknown, tr("Unknown: not measured")}};
    for (const auto& [meaning, text] : answers) {
        QAction* action = chip->menu()->addAction(text, this, [this, of = m_tensor->id, meaning = meaning] {
            if (isStill(m_tensor, of))
                m_session.sayEmptyCells(of, meaning);
        });
        action->setObjectName(QStringLiteral("empty-") + QString::fromUtf8(kernels::toString(meaning)));
        action->setCheckable(true);
        action->setChecked(meaning == m_tensor->emptyCells());
    }
    const int row = m_facts->rowCount();
    m_facts->addWidget(name, row, 0);
    m_facts->addWidget(chip, row, 1, Qt::AlignRight);
}

void DataPage::addModeRow(unsigned mode)
{
    const kernels::Mode& of = m_tensor->modes()[mode];
    const QString name = QString::fromStdString(m_tensor->modeName(mode));
    QString toolTip = of.labels.empty()
        ? tr("%1\nIndices have no labels. Drop a file with a label a line here, or attach one by the menu.").arg(name)
        : tr("%1\nLabelled: %2 …").arg(name, QString::fromStdString(of.labels.front()));
    auto* row = new ModeRow(name, formatting::grouped(of.size), toolTip);
    // An editor that is hidden with its tensor loses the keyboard, which ends an edit as Enter does.
    connect(row, &ModeRow::renamed, this, [this, mode, id = m_tensor->id](const QString& to) {
        if (isStill(m_tensor, id))
            renameMode(mode, to);
    });
    connect(row, &ModeRow::labelFileDropped, this, [this, mode, id = m_tensor->id](const QString& path) {
        if (isStill(m_tensor, id))
            attachLabels(mode, path);
    });
    connect(row, &ModeRow::menuRequested, this, [this, mode, id = m_tensor->id](const QPoint& at) {
        if (isStill(m_tensor, id))
            showModeMenu(mode, at, false);
    });
    m_facts->addWidget(row, m_facts->rowCount(), 0, 1, 2);
    m_modeRows.push_back(row);
}

void DataPage::renameMode(unsigned mode, const QString& name)
{
    m_focusedMode = static_cast<int>(mode);
    m_session.nameMode(m_tensor->id, {mode, name.toStdString(), {}});
}

void DataPage::attachLabels(unsigned mode, const QString& path)
{
    m_focusedMode = static_cast<int>(mode);
    m_session.nameMode(m_tensor->id, {mode, {}, path.isEmpty() ? std::string() : QFileInfo(path).absoluteFilePath().toStdString()});
}

void DataPage::askForLabels(unsigned mode)
{
    auto* dialog = new QFileDialog(
        this,
        tr("Labels of %1: a label a line, %2 of them")
            .arg(QString::fromStdString(m_tensor->modeName(mode)), formatting::grouped(m_tensor->modes()[mode].size)),
        QSettings().value(QStringLiteral("openFolder")).toString(), tr("Label files (*.map *.map.gz *.txt *.csv *.labels);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, mode, id = m_tensor->id](const QString& path) {
        if (isStill(m_tensor, id))
            attachLabels(mode, path);
    });
    dialog->open();
}

void DataPage::showModeMenu(unsigned mode, const QPoint& globalPosition, bool sorting)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const bool labelled = !m_tensor->modes()[mode].labels.empty();
    const auto still = [this, id = m_tensor->id] { return isStill(m_tensor, id); };
    if (sorting) {
        const auto add = [&](const QString& text, bool descending, bool byLabel) {
            menu->addAction(text, m_entries, [this, still, mode, descending, byLabel] {
                if (still())
                    m_entries->sortBy(mode, descending, byLabel);
            });
        };
        if (labelled) {
            add(tr("Sort by label, A to Z"), false, true);
            add(tr("Sort by label, Z to A"), true, true);
        }
        add(tr("Sort by index, first to last"), false, false);
        add(tr("Sort by index, last to first"), true, false);
        menu->addSeparator();
    }
    QAction* rename = menu->addAction(tr("Rename mode"), this, [this, still, mode] {
        if (!still())
            return;
        ModeRow* const row = m_modeRows[mode];
        m_factsScroll->ensureWidgetVisible(row);
        row->edit();
    });
    if (!sorting)
        rename->setShortcut(QKeySequence(Qt::Key_F2));
    menu->addAction(tr("Attach labels…"), this, [this, still, mode] {
        if (still())
            askForLabels(mode);
    });
    QAction* detach = menu->addAction(tr("Detach labels"), this, [this, still, mode] {
        if (still())
            attachLabels(mode, {});
    });
    detach->setEnabled(labelled);
    menu->popup(globalPosition);
}

} // namespace ui
