// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What "What's this?" says of the form's fields, and the way to one of them. Parameters bring their own texts from the registry.
#include "ui/panels/run_form.h"
#include "ui/widgets/file_field.h"
#include "ui/widgets/parameter_editor.h"
#include "ui/widgets/segmented_control.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

namespace ui {

void RunForm::explainFields()
{
    const std::pair<QWidget*, QString> texts[] = {
        {m_algorithm,
         tr("How the model is found. The FastTucker family learns from the entries there are; CP-ALS fits all cells, those without an "
            "entry as zeros.")},
        {m_preset, tr("Parameters as a paper has them, or the defaults, which are measured by the data.")},
        {m_variant, tr("Another way to compute the same steps. The first one is the fastest for most tensors.")},
        {m_format, tr("How the entries lie in memory while the run works. The page Data tells what each one takes.")},
        {m_device,
         tr("Where the run computes. A device works on one run at a time; further runs wait. GPUs joined by + share a run: each holds and "
            "works on a part of the entries.")},
        {m_precision,
         tr("What products are rounded to; rows and sums stay in single (double) precision. Chosen for you until you choose.")},
        {m_rank,
         tr("How much the model can express: columns of every factor. One number, or one per mode. Twice the rank takes about twice "
            "the time and memory.")},
        {m_coreRank, tr("Columns of the core matrices of a FastTucker model; empty: the largest rank.")},
        {m_testSplit,
         tr("Share of the entries that the run never learns from. The test errors are measured on them: they tell how well the "
            "model knows what it has not seen.")},
        {m_testPart, tr("This tensor brings its own test part: the run is tested on it, or on nothing.")},
        {m_seed, tr("Where random numbers begin. The same seed gives the same split and the same start; keep it to compare runs.")},
        {m_iterations, tr("The run ends after so many at the latest. Its best model is kept, not its last one.")},
        {m_tolerance,
         tr("A gain below this counts as none. After as many of those in a row as Patience says the run ends. 0: it never ends "
            "early.")},
        {m_patience,
         tr("So many iterations in a row without a gain end the run. With a test part none counts in which the training error still falls "
            "by more than 2 %.")},
        {m_deterministic, tr("Settings, seed and device decide every bit of the result. Slower: threads do not race for rows.")},
        {m_startModel->line(), tr("A CP model of this tensor's shape and this rank to go on from, in place of drawn factors.")},
    };
    for (const auto& [field, text] : texts)
        field->setWhatsThis(text);
    m_startModel->line()->setAccessibleName(tr("Start model"));
    m_startModel->button()->setWhatsThis(m_startModel->line()->whatsThis());
}

QList<QWidget*> RunForm::fields() const
{
    QList<QWidget*> all;
    if (m_scroll->isHidden())
        return all;
    for (QWidget* each : m_scroll->widget()->findChildren<QWidget*>()) {
        const bool isField = qobject_cast<QLineEdit*>(each) || qobject_cast<QComboBox*>(each) || qobject_cast<QCheckBox*>(each)
            || qobject_cast<SegmentedControl*>(each);
        const QWidget* const within = m_advanced->isAncestorOf(each) ? m_advanced : m_scroll->widget();
        if (isField && each->isVisibleTo(within))
            all << each;
    }
    return all;
}

void RunForm::showField(QWidget* field)
{
    if (m_advanced->isAncestorOf(field))
        m_more->setChecked(true);
    QWidget* target = field;
    if (qobject_cast<SegmentedControl*>(field))
        for (auto* choice : field->findChildren<QAbstractButton*>())
            if (choice->isChecked())
                target = choice;
    target->setFocus(Qt::ShortcutFocusReason);
    if (auto* line = qobject_cast<QLineEdit*>(target)) // which it does by itself in an active window only, not below a palette that closes
        line->selectAll();
    m_scroll->widget()->layout()->activate();
    m_scroll->ensureWidgetVisible(target);
}

} // namespace ui
