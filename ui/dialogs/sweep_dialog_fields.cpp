// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields that are varied, a row each.
#include "kernels/base/several_devices.h"
#include "ui/dialogs/sweep_dialog.h"
#include "ui/formatting.h"
#include "ui/models/sweep_plan_model.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/parameter_editor.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t mostFields = 6;

} // namespace

std::vector<std::string> SweepDialog::algorithms() const
{
    for (const Row& row : m_rows)
        if (row.field->currentData().toString() == QStringLiteral("algorithm")) {
            std::vector<std::string> ids;
            for (const QString& part : row.values->text().split(u','))
                for (const kernels::AlgorithmInfo& info : kernels::algorithms())
                    if (part.trimmed().toStdString() == info.id)
                        ids.push_back(info.id);
            if (!ids.empty())
                return ids;
        }
    return {m_base.algorithm};
}

std::string SweepDialog::unusedField() const
{
    for (const app::SweepField& field : m_fields)
        if (field.id != "seed" && std::none_of(m_rows.begin(), m_rows.end(), [&](const Row& row) {
                return row.field->currentData().toString().toStdString() == field.id;
            }))
            return field.id;
    return "rank";
}

/// Something to begin with: the present value and some around it, or all names there are.
QString SweepDialog::suggestion(const std::string& field) const
{
    if (field == "rank")
        return QStringLiteral("2..10");
    if (field == "core-rank")
        return QStringLiteral("4..16:x2");
    if (field == "iterations")
        return QString::number(m_base.stopping.iterations);
    if (field == "threads")
        return QStringLiteral("1");
    if (field == "format")
        return QString::fromStdString(m_base.format);
    if (field == "device")
        return QString::fromStdString(kernels::toString(m_base.devices)); // of none: auto
    if (field == "algorithm")
        return QString::fromStdString(m_base.algorithm);
    for (const app::SweepField& each : m_fields)
        if (each.id == field && each.kind == app::SweepField::Kind::Words) {
            QStringList words;
            for (const std::string& word : each.words)
                words += QString::fromStdString(word);
            return words.join(u',');
        }
    if (const kernels::ParameterSpec* spec = kernels::algorithm(m_base.algorithm).parameter(field)) {
        const auto chosen = m_base.parameters.find(field);
        return QString::fromStdString(kernels::toString(chosen == m_base.parameters.end() ? spec->defaultValue : chosen->second));
    }
    if (field == "tolerance")
        return formatting::exact(m_base.stopping.tolerance);
    return field == "patience" ? QString::number(m_base.stopping.patience) : QStringLiteral("0.1");
}

void SweepDialog::addRow(const std::string& field, const QString& values)
{
    m_fields = app::sweepFields(algorithms());
    Row row{new ComboBox(this), new QLineEdit(values, this), makeIconButton("close", tr("Do not vary this field"), this)};
    for (const app::SweepField& each : m_fields)
        if (each.id != "seed") // replicates are seeds
            row.field->addItem(sweepFieldTitle(each), QString::fromStdString(each.id));
    row.field->setCurrentIndex(std::max(0, row.field->findData(QString::fromStdString(field))));
    row.field->setAccessibleName(tr("Field"));
    row.field->setMaxVisibleItems(20);
    m_rows.push_back(row);
    describe(row);
    connect(row.field, &QComboBox::currentIndexChanged, this, [this, row] {
        row.values->setText(suggestion(row.field->currentData().toString().toStdString()));
        describe(row);
        edited();
    });
    connect(row.values, &QLineEdit::textChanged, this, &SweepDialog::edited);
    connect(row.remove, &QToolButton::clicked, this, [this, button = row.remove] { removeRow(button); });
}

void SweepDialog::describe(const Row& row)
{
    const std::string id = row.field->currentData().toString().toStdString();
    const auto at = std::find_if(m_fields.begin(), m_fields.end(), [&](const app::SweepField& each) { return each.id == id; });
    if (at == m_fields.end()) // of an algorithm that is not varied any more: the plan says so
        return;
    const app::SweepField& field = *at;
    row.values->setAccessibleName(tr("Values of %1").arg(sweepFieldTitle(field)));
    QString tip = QString::fromStdString(app::sweepSyntax(field.kind));
    if (!field.words.empty()) {
        QStringList words;
        for (const std::string& word : field.words)
            words += QString::fromStdString(word);
        tip += QStringLiteral(": ") + words.join(QStringLiteral(", "));
    }
    row.values->setToolTip(tip);
}

void SweepDialog::removeRow(QToolButton* button)
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [button](const Row& row) { return row.remove == button; });
    if (at == m_rows.end() || m_rows.size() < 2) // a second click that was under way
        return;
    button->setEnabled(false); // it lives on for a turn of the loop
    for (QWidget* widget : {static_cast<QWidget*>(at->field), static_cast<QWidget*>(at->values), static_cast<QWidget*>(at->remove)})
        widget->deleteLater();
    m_rows.erase(at);
    layOutRows();
    edited();
}

void SweepDialog::layOutRows()
{
    QWidget* before = nullptr;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const int line = static_cast<int>(i);
        m_grid->addWidget(row.field, line, 0);
        m_grid->addWidget(row.values, line, 1);
        m_grid->addWidget(row.remove, line, 2);
        row.remove->setEnabled(m_rows.size() > 1);
        for (QWidget* widget : {static_cast<QWidget*>(row.field), static_cast<QWidget*>(row.values), static_cast<QWidget*>(row.remove)}) {
            if (before)
                setTabOrder(before, widget);
            before = widget;
        }
    }
    m_add->setEnabled(m_rows.size() < mostFields);
    const QList<QWidget*> rest{m_add, m_replicates, m_table, m_command, m_queue, m_start};
    for (QWidget* widget : rest) {
        setTabOrder(before, widget);
        before = widget;
    }
}

std::vector<app::SweepAxis> SweepDialog::axes()
{
    m_fields = app::sweepFields(algorithms());
    for (const Row& row : m_rows)
        markInvalid(row.values, false);
    std::vector<app::SweepAxis> result;
    for (const Row& row : m_rows) {
        const std::string id = row.field->currentData().toString().toStdString();
        markInvalid(row.values, true); // stays so when it throws
        result.push_back({id, app::sweepValues(app::sweepField(m_fields, id), row.values->text().toStdString())});
        markInvalid(row.values, false);
    }
    if (m_replicates->value() > 1)
        result.push_back(app::replicateAxis(m_base, static_cast<unsigned>(m_replicates->value())));
    return result;
}

void SweepDialog::restore()
{
    m_fields = app::sweepFields({m_base.algorithm});
    const QSettings settings;
    for (const QString& axis : settings.value(QStringLiteral("sweep/axes"), QStringList{QStringLiteral("rank=2..10")}).toStringList()) {
        const std::string field = axis.section(u'=', 0, 0).toStdString();
        if (m_rows.size() < mostFields
            && std::any_of(m_fields.begin(), m_fields.end(), [&](const app::SweepField& each) { return each.id == field; }))
            addRow(field, axis.section(u'=', 1));
    }
    if (m_rows.empty())
        addRow("rank", suggestion("rank"));
    m_replicates->setValue(settings.value(QStringLiteral("sweep/replicates"), 3).toInt());
}

void SweepDialog::remember() const
{
    QStringList axes;
    for (const Row& row : m_rows)
        axes += row.field->currentData().toString() + u'=' + row.values->text();
    QSettings settings;
    settings.setValue(QStringLiteral("sweep/axes"), axes);
    settings.setValue(QStringLiteral("sweep/replicates"), m_replicates->value());
}

} // namespace ui
