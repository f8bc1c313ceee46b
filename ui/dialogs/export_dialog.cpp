// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/widgets/combo_box.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>

#include <algorithm>
#include <iterator>

namespace ui {
namespace {

enum ItemRole { IdRole = Qt::UserRole, SourceRole };
enum class Source { Run, VisibleRuns, Tensor };

QString suggestedName(const QString& name)
{
    return QString(name).toLower().replace(QRegularExpression(QStringLiteral("[^a-z0-9]+")), QStringLiteral("-"));
}

QString stemOf(const app::OpenTensor& tensor) { return QFileInfo(tensor.name).completeBaseName(); }

bool chosenIs(const QComboBox* sources, Source source) { return sources->currentData(SourceRole).toInt() == static_cast<int>(source); }

QString lastFolder() { return QSettings().value(QStringLiteral("exportFolder"), QDir::homePath()).toString(); }

} // namespace

ExportDialog::ExportDialog(app::Session& session, const app::Run* run, const app::OpenTensorPtr& tensor, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
{
    setWindowTitle(tr("Export"));
    setMinimumWidth(560);
    setUpControls();
    offerSources(run, tensor);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::accept);
    connect(m_browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(m_source, &QComboBox::currentIndexChanged, this, &ExportDialog::sourcePicked);
    connect(m_form, &QComboBox::currentIndexChanged, this, &ExportDialog::formPicked);
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::check);
    sourcePicked();
    m_form->setFocus();
}

void ExportDialog::setUpControls()
{
    m_source = new ComboBox(this);
    m_source->setObjectName(QStringLiteral("export-source"));
    m_source->setAccessibleName(tr("What to export"));
    m_source->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // names may be longer than any screen
    m_source->setMinimumContentsLength(30);
    m_form = new ComboBox(this);
    m_form->setObjectName(QStringLiteral("export-form"));
    m_form->setAccessibleName(tr("As"));
    m_form->setMaxVisibleItems(12);
    m_purpose = new QLabel(this);
    m_path = new QLineEdit(this);
    m_path->setObjectName(QStringLiteral("export-path"));
    m_path->setAccessibleName(tr("To"));
    m_browse = new QPushButton(tr("Browse…"), this);
    m_hint = new QLabel(this);
    for (QLabel* label : {m_purpose, m_hint}) {
        label->setObjectName(QStringLiteral("subtitle"));
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setMinimumHeight(2 * fontMetrics().lineSpacing()); // no sentence moves the dialog
    }
    auto* pathRow = new QHBoxLayout;
    pathRow->setSpacing(8);
    pathRow->addWidget(m_path, 1);
    pathRow->addWidget(m_browse);
    auto* rows = new QFormLayout;
    rows->setVerticalSpacing(10);
    rows->setHorizontalSpacing(14);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    rows->addRow(tr("Export"), m_source);
    rows->addRow(tr("As"), m_form);
    rows->addRow(QString(), m_purpose);
    rows->addRow(tr("To"), pathRow);
    rows->addRow(QString(), m_hint);
    m_export = new QPushButton(tr("Export"), this);
    m_export->setObjectName(QStringLiteral("primary"));
    m_export->setDefault(true);
    m_cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_export);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(rows);
    layout->addLayout(buttons);
}

void ExportDialog::offerSources(const app::Run* run, const app::OpenTensorPtr& tensor)
{
    const auto offer = [this](const QString& text, int id, Source source, bool chosen) {
        m_source->addItem(text, id);
        m_source->setItemData(m_source->count() - 1, static_cast<int>(source), SourceRole);
        if (chosen)
            m_source->setCurrentIndex(m_source->count() - 1);
    };
    for (const app::Run* each : m_session.runs())
        offer(each->name() + QStringLiteral(" · ") + settingsText(*each), each->id(), Source::Run, each == run);
    const auto& runs = m_session.runs();
    const auto visible = std::count_if(runs.begin(), runs.end(), [](const app::Run* each) { return each->isVisible(); });
    if (visible > 1)
        offer(tr("All visible runs · %1").arg(visible), -1, Source::VisibleRuns, false);
    for (const app::OpenTensorPtr& each : m_session.tensors())
        offer(tr("%1 · tensor, %2").arg(each->name, formatting::dims(each->tensor.dims())), each->id, Source::Tensor,
              !run && each == tensor);
}

app::Run* ExportDialog::run() const { return chosenIs(m_source, Source::Run) ? m_session.run(m_source->currentData().toInt()) : nullptr; }

std::vector<app::Run*> ExportDialog::visibleRuns() const
{
    std::vector<app::Run*> runs;
    if (chosenIs(m_source, Source::VisibleRuns))
        std::copy_if(m_session.runs().begin(), m_session.runs().end(), std::back_inserter(runs),
                     [](const app::Run* each) { return each->isVisible(); });
    return runs;
}

void ExportDialog::chooseReport()
{
    const int all = m_source->findData(static_cast<int>(Source::VisibleRuns), SourceRole);
    if (all >= 0)
        m_source->setCurrentIndex(all);
    const auto at =
        std::find_if(m_forms.begin(), m_forms.end(), [](const ExportForm& each) { return each.writes == ExportForm::Writes::HtmlReport; });
    if (at != m_forms.end())
        m_form->setCurrentIndex(static_cast<int>(at - m_forms.begin()));
}

app::OpenTensorPtr ExportDialog::tensor() const
{
    return chosenIs(m_source, Source::Tensor) ? m_session.tensor(m_source->currentData().toInt()) : nullptr;
}

const ExportForm* ExportDialog::form() const
{
    const int row = m_form->currentIndex();
    return row >= 0 ? &m_forms[static_cast<std::size_t>(row)] : nullptr;
}

/// The form stays where the new source has it, too; else it is the first that can be had.
void ExportDialog::sourcePicked()
{
    const app::Run* chosenRun = run();
    const app::OpenTensorPtr chosenTensor = tensor();
    const std::vector<app::Run*> several = visibleRuns();
    const QString before = m_form->currentText();
    const QSignalBlocker quiet(m_form);
    m_form->clear();
    m_forms = chosenRun   ? exportForms(*chosenRun)
        : chosenTensor    ? exportForms(*chosenTensor)
        : several.empty() ? std::vector<ExportForm>{}
                          : exportForms(several);
    int first = -1;
    for (const ExportForm& each : m_forms) {
        m_form->addItem(each.title);
        const int row = m_form->count() - 1;
        setItemRefusal(m_form, row, each.refusal, each.purpose);
        if (each.refusal.isEmpty() && (first < 0 || each.title == before))
            first = row;
    }
    m_form->setCurrentIndex(std::max(0, first));
    if (!m_forms.empty()) {
        const QString name = chosenRun ? stemOf(*chosenRun->tensor()) + QLatin1Char('-') + chosenRun->name()
            : chosenTensor             ? stemOf(*chosenTensor)
                                       : stemOf(*several.front()->tensor()) + QStringLiteral("-runs");
        m_path->setText(QDir(lastFolder()).filePath(suggestedName(name)));
    }
    m_ending.clear();
    formPicked();
}

/// The path keeps its name and changes its ending.
void ExportDialog::formPicked()
{
    const ExportForm* chosen = form();
    m_purpose->setText(chosen ? chosen->purpose : QString());
    QString path = m_path->text();
    if (chosen && !path.isEmpty()) {
        if (path.endsWith(m_ending))
            path.chop(m_ending.size());
        m_ending = chosen->endings.first();
        m_path->setText(path + m_ending);
    }
    check();
}

void ExportDialog::browse()
{
    auto* dialog = new QFileDialog(this, tr("Export to"), QFileInfo(m_path->text()).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (form() && form()->target == ExportForm::Target::Folder) {
        dialog->setWindowTitle(tr("Folder to make the new one in"));
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, this,
                [this](const QString& folder) { m_path->setText(QDir(folder).filePath(QFileInfo(m_path->text()).fileName())); });
        dialog->open();
        return;
    }
    QStringList filters;
    std::vector<int> rows;
    for (std::size_t i = 0; i < m_forms.size(); ++i) {
        if (!m_forms[i].refusal.isEmpty() || m_forms[i].target == ExportForm::Target::Folder)
            continue;
        filters += m_forms[i].nameFilter();
        rows.push_back(static_cast<int>(i));
    }
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // said here
    dialog->setNameFilters(filters);
    dialog->selectNameFilter(form() ? form()->nameFilter() : QString());
    dialog->selectFile(m_path->text());
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog, filters, rows](const QString& path) {
        const auto at = filters.indexOf(dialog->selectedNameFilter());
        fileChosen(path, at < 0 ? m_form->currentIndex() : rows[static_cast<std::size_t>(at)]);
    });
    dialog->open();
}

void ExportDialog::fileChosen(const QString& path, int row)
{
    const QString before = m_ending;
    m_form->setCurrentIndex(row);
    const QStringList& endings = form()->endings;
    const bool named = std::any_of(endings.begin(), endings.end(), [&](const QString& ending) { return path.endsWith(ending); });
    QString stem = path;
    if (!named && path.endsWith(before)) // the filter was changed, the name was not
        stem.chop(before.size());
    m_path->setText(named ? path : stem + m_ending);
}

QString ExportDialog::problem() const
{
    const QFileInfo file(m_path->text());
    const ExportForm* chosen = form();
    if (!chosen || m_path->text().trimmed().isEmpty() || file.fileName().isEmpty())
        return tr("A name is missing.");
    if (!chosen->refusal.isEmpty())
        return chosen->refusal;
    if (!QFileInfo(file.absolutePath()).isDir())
        return tr("The folder %1 does not exist.").arg(QDir::toNativeSeparators(file.absolutePath()));
    if (chosen->target == ExportForm::Target::Folder)
        return file.exists() && !file.isDir() ? tr("There is a file of this name; a folder is needed.") : QString();
    if (file.isDir())
        return tr("There is a folder of this name; a file is needed.");
    return chosen->fits(file.fileName()) ? QString() : tr("The name has to end in %1.").arg(chosen->endings.join(tr(" or ")));
}

void ExportDialog::check()
{
    const QString why = problem();
    const QFileInfo file(m_path->text());
    QString hint = why;
    if (why.isEmpty() && file.isDir() && !QDir(file.filePath()).isEmpty())
        hint = tr("The folder exists; files of the same names will be replaced once the new ones are complete.");
    else if (why.isEmpty() && file.isFile())
        hint = tr("The file exists and will be replaced once the new one is complete.");
    m_hint->setText(hint);
    m_export->setEnabled(why.isEmpty());
}

void ExportDialog::accept()
{
    if (!problem().isEmpty())
        return;
    const QString path = QFileInfo(m_path->text()).absoluteFilePath();
    QSettings().setValue(QStringLiteral("exportFolder"), QFileInfo(path).path());
    const ExportForm::Writes writes = form()->writes;
    app::Run* const chosen = run();
    if (writes == ExportForm::Writes::Model && chosen)
        m_session.exportRun(chosen, *form()->kind, path);
    else if (writes != ExportForm::Writes::Tensor)
        exportRuns(m_session, chosen ? std::vector<app::Run*>{chosen} : visibleRuns(), writes, path);
    else if (const app::OpenTensorPtr chosenTensor = tensor())
        m_session.exportTensor(chosenTensor, path);
    QDialog::accept();
}

} // namespace ui
