// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include "ui/models/run_text.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>

namespace ui {
namespace {

QString suggestedName(const app::Run& run)
{
    QString name = QFileInfo(run.tensor()->name).completeBaseName() + QLatin1Char('-') + run.name();
    return name.toLower().replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")), QStringLiteral("-"));
}

} // namespace

ExportDialog::ExportDialog(const app::Session& session, app::Run* current, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
{
    setWindowTitle(tr("Export a run"));
    setMinimumWidth(520);
    m_run = new QComboBox(this);
    m_run->setObjectName(QStringLiteral("export-run"));
    m_run->setAccessibleName(tr("Run"));
    for (const app::Run* each : session.runs())
        m_run->addItem(each->name() + QStringLiteral(" · ") + settingsText(*each), each->id());
    if (current)
        m_run->setCurrentIndex(m_run->findData(current->id()));
    m_kind = new SegmentedControl(tr("What to write"), {tr("Model (.h5)"), tr("Metrics (.csv)")}, this);
    m_path = new QLineEdit(this);
    m_path->setObjectName(QStringLiteral("export-path"));
    m_path->setAccessibleName(tr("File"));
    auto* browseButton = new QPushButton(tr("Browse…"), this);
    auto* pathRow = new QHBoxLayout;
    pathRow->setSpacing(8);
    pathRow->addWidget(m_path, 1);
    pathRow->addWidget(browseButton);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(10);
    form->setHorizontalSpacing(14);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Run"), m_run);
    form->addRow(tr("Write"), m_kind);
    form->addRow(tr("File"), pathRow);
    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("subtitle"));
    m_problem->setWordWrap(true);
    m_export = new QPushButton(tr("Export"), this);
    m_export->setObjectName(QStringLiteral("primary"));
    m_export->setDefault(true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_export);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::accept);
    connect(browseButton, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(m_run, &QComboBox::currentIndexChanged, this, &ExportDialog::runPicked);
    connect(m_kind, &SegmentedControl::currentChanged, this, &ExportDialog::kindChanged);
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::check);
    runPicked();
}

app::Run* ExportDialog::run() const { return m_session.run(m_run->currentData().toInt()); }
bool ExportDialog::wantsModel() const { return m_kind->current() == 0; }

/// A run that still works has no model to write, but its metrics so far.
void ExportDialog::runPicked()
{
    const app::Run* chosen = run();
    const bool hasModel = chosen && chosen->outcome();
    m_kind->setRefusal(0, hasModel ? QString() : tr("A model can be written once the run has finished or was stopped."));
    if (!hasModel)
        m_kind->setCurrent(1);
    if (chosen) {
        const QString folder = QSettings().value(QStringLiteral("exportFolder"), QDir::homePath()).toString();
        m_path->setText(QDir(folder).filePath(suggestedName(*chosen) + (wantsModel() ? QStringLiteral(".h5") : QStringLiteral(".csv"))));
    }
    check();
}

void ExportDialog::kindChanged()
{
    const QString suffix = wantsModel() ? QStringLiteral("h5") : QStringLiteral("csv");
    const QFileInfo file(m_path->text());
    if (!file.fileName().isEmpty() && file.suffix() != suffix)
        m_path->setText(QDir(file.path()).filePath(file.completeBaseName() + QLatin1Char('.') + suffix));
    check();
}

void ExportDialog::browse()
{
    const QString filter = wantsModel() ? tr("Polyad model (*.h5)") : tr("Comma-separated values (*.csv)");
    const QString path = QFileDialog::getSaveFileName(this, tr("Export to"), m_path->text(), filter);
    if (!path.isEmpty())
        m_path->setText(path);
}

void ExportDialog::check()
{
    const QFileInfo file(m_path->text());
    QString hint;
    bool possible = run() && !m_path->text().trimmed().isEmpty() && !file.isDir();
    if (possible && !QFileInfo(file.absolutePath()).isDir()) {
        hint = tr("The folder %1 does not exist.").arg(QDir::toNativeSeparators(file.absolutePath()));
        possible = false;
    } else if (possible && file.exists()) {
        hint = tr("The file exists and will be replaced once the new one is complete.");
    }
    m_problem->setText(hint);
    m_export->setEnabled(possible);
}

void ExportDialog::accept()
{
    const app::Run* chosen = run();
    if (!chosen || !m_export->isEnabled())
        return;
    app::ExportRequest request;
    request.path = QFileInfo(m_path->text()).absoluteFilePath();
    request.kind = wantsModel() ? app::ExportRequest::Kind::Model : app::ExportRequest::Kind::Metrics;
    QSettings().setValue(QStringLiteral("exportFolder"), QFileInfo(request.path).path());
    Q_EMIT exportChosen(chosen->id(), request);
    QDialog::accept();
}

} // namespace ui
