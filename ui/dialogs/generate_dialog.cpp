// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/generate_dialog.h"

#include "app/messages.h"
#include "kernels/base/error.h"
#include "ui/formatting.h"
#include "ui/widgets/parameter_editor.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>

#include <algorithm>

namespace ui {
namespace {

double readNumber(const QLineEdit* line, double low, double high)
{
    bool ok = false;
    QString text = line->text();
    text.remove(QRegularExpression(QStringLiteral("\\s")));
    const double value = text.toDouble(&ok);
    const bool inside = ok && value >= low && value <= high;
    markInvalid(const_cast<QLineEdit*>(line), !inside);
    if (!inside)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             kernels::Error::Details{GenerateDialog::tr("cannot be read").toStdString(),
                                                     line->accessibleName().toStdString(),
                                                     '"' + line->text().toStdString() + '"',
                                                     GenerateDialog::tr("a number from %1 to %2").arg(low).arg(high).toStdString(),
                                                     {}});
    return value;
}

std::vector<kernels::Index> readDims(QLineEdit* line)
{
    std::vector<kernels::Index> dims;
    bool good = true;
    for (const QString& part : line->text().split(QRegularExpression(QStringLiteral("[,;×x]")), Qt::SkipEmptyParts)) {
        bool ok = false;
        QString digits = part;
        const quint64 size = digits.remove(QRegularExpression(QStringLiteral("\\s"))).toULongLong(&ok);
        good = good && ok && size >= 1 && size < (quint64{1} << 32);
        dims.push_back(static_cast<kernels::Index>(size));
    }
    good = good && dims.size() >= kernels::minOrder && dims.size() <= kernels::maxOrder;
    markInvalid(line, !good);
    if (!good)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             kernels::Error::Details{GenerateDialog::tr("cannot be read").toStdString(),
                                                     GenerateDialog::tr("Sizes").toStdString(),
                                                     '"' + line->text().toStdString() + '"',
                                                     GenerateDialog::tr("2 to 16 sizes such as 1000, 800, 600").toStdString(),
                                                     {}});
    return dims;
}

} // namespace

GenerateDialog::GenerateDialog(QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Generate a tensor"));
    setMinimumWidth(460);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(9);
    form->setHorizontalSpacing(14);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto addLine = [&](const QString& label, const QString& text, const QString& toolTip, const char* name) {
        auto* line = new QLineEdit(text, this);
        line->setObjectName(QLatin1String(name));
        line->setAccessibleName(label);
        line->setToolTip(toolTip);
        form->addRow(label, line);
        connect(line, &QLineEdit::textChanged, this, &GenerateDialog::validate);
        return line;
    };
    m_preset = new QComboBox(this);
    m_preset->setObjectName(QStringLiteral("preset"));
    m_preset->addItem(tr("My own"));
    for (const kernels::SyntheticPreset& preset : kernels::syntheticPresets())
        m_preset->addItem(QString::fromStdString(preset.title.empty() ? preset.id : preset.title), QString::fromStdString(preset.id));
    form->addRow(tr("Problem"), m_preset);
    m_scale = addLine(tr("Scale"), QStringLiteral("0.01"), tr("Share of the preset's entries; the sizes stay"), "scale");
    m_dims = addLine(tr("Sizes"), QStringLiteral("1000, 800, 600"), tr("One size per mode, 2 to 16 of them"), "dims");
    m_entries = addLine(tr("Entries"), QStringLiteral("1e6"), tr("How many entries"), "entries");
    m_model = new QComboBox(this);
    m_model->addItem(tr("FastTucker"), static_cast<int>(kernels::ModelKind::FastTucker));
    m_model->addItem(tr("CP"), static_cast<int>(kernels::ModelKind::Cp));
    m_model->addItem(tr("Tucker"), static_cast<int>(kernels::ModelKind::Tucker));
    m_model->setAccessibleName(tr("Ground truth"));
    form->addRow(tr("Ground truth"), m_model);
    m_rank = addLine(tr("Rank"), QStringLiteral("8"), tr("Rank of the planted model"), "rank");
    m_coreRank = addLine(tr("Core rank"), QStringLiteral("8"), tr("FastTucker only"), "core-rank");
    m_noise = addLine(tr("Noise"), QStringLiteral("0.1"), tr("Standard deviation, relative to that of the planted values"), "noise");
    m_skew = addLine(tr("Skew"), QStringLiteral("uniform"), tr("uniform, or zipf:1.0, or zipf:1.0:880"), "skew");
    m_ratings = new QCheckBox(tr("Round to ratings from 1 to 5"), this);
    form->addRow(QString(), m_ratings);
    m_seed = addLine(tr("Seed"), QStringLiteral("1"), tr("Same seed, same tensor"), "seed");
    m_own = {m_dims, m_entries, m_model, m_rank, m_coreRank, m_noise, m_skew, m_ratings};

    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("errorText"));
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("subtitle"));
    for (QLabel* label : {m_problem, m_summary})
        label->setWordWrap(true);
    m_generate = new QPushButton(tr("Generate"), this);
    m_generate->setObjectName(QStringLiteral("primary"));
    m_generate->setDefault(true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_generate);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    layout->addWidget(m_summary);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_generate, &QPushButton::clicked, this, &GenerateDialog::accept);
    connect(m_preset, &QComboBox::currentIndexChanged, this, &GenerateDialog::presetPicked);
    connect(m_model, &QComboBox::currentIndexChanged, this, &GenerateDialog::validate);
    presetPicked();
}

bool GenerateDialog::usesPreset() const { return m_preset->currentIndex() > 0; }
double GenerateDialog::scale() const { return readNumber(m_scale, 1e-6, 1); }

void GenerateDialog::presetPicked()
{
    for (QWidget* field : std::as_const(m_own))
        field->setEnabled(!usesPreset());
    m_scale->setEnabled(usesPreset());
    validate();
}

kernels::SyntheticSpec GenerateDialog::spec() const
{
    kernels::SyntheticSpec spec;
    spec.dims = readDims(m_dims);
    spec.entries = static_cast<kernels::Count>(readNumber(m_entries, 1, static_cast<double>(kernels::maxEntries)));
    spec.model = static_cast<kernels::ModelKind>(m_model->currentData().toInt());
    spec.rank = static_cast<unsigned>(readNumber(m_rank, 1, 128));
    spec.coreRank = static_cast<unsigned>(readNumber(m_coreRank, 1, 128));
    spec.noise = readNumber(m_noise, 0, 100);
    spec.skew = {kernels::parseSkew(m_skew->text().trimmed().toStdString())};
    if (m_ratings->isChecked()) {
        spec.valueRange = std::pair(1.0, 5.0);
        spec.roundValues = true;
    }
    spec.seed = static_cast<std::uint64_t>(readNumber(m_seed, 0, 9e15));
    return spec;
}

void GenerateDialog::validate()
{
    m_coreRank->setEnabled(!usesPreset() && m_model->currentIndex() == 0);
    QString problem, summary;
    try {
        double entries = 0;
        std::size_t order = 0;
        if (usesPreset()) {
            const auto& preset = kernels::syntheticPresets()[static_cast<std::size_t>(m_preset->currentIndex() - 1)];
            entries = static_cast<double>(preset.entries + preset.testEntries) * scale();
            order = preset.dims.size();
            summary = formatting::dims(preset.dims) + QStringLiteral(", ");
        } else {
            const kernels::SyntheticSpec wanted = spec();
            entries = static_cast<double>(wanted.entries);
            order = wanted.dims.size();
        }
        summary +=
            tr("%1 entries, about %2 of memory.")
                .arg(formatting::count(entries), formatting::bytes(static_cast<quint64>(entries * (4.0 * static_cast<double>(order) + 4))));
    } catch (const std::exception& error) {
        problem = app::messageFor(error);
    }
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_summary->setText(summary);
    m_generate->setEnabled(problem.isEmpty());
}

void GenerateDialog::accept()
{
    try {
        if (usesPreset())
            Q_EMIT presetChosen(m_preset->currentData().toString(), scale(), static_cast<quint64>(readNumber(m_seed, 0, 9e15)));
        else
            Q_EMIT specChosen(spec(), tr("generated %1").arg(formatting::dims(readDims(m_dims))));
        QDialog::accept();
    } catch (const std::exception& error) {
        m_problem->setText(app::messageFor(error));
        m_problem->show();
    }
}

} // namespace ui
