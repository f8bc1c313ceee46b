// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_file_view.h"

#include "ui/formatting.h"
#include "ui/widgets/card.h"

#include <QBoxLayout>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>

namespace ui {
namespace {

app::IndexReader readerOf(const PredictSubject& subject) { return {subject.model().dims, subject.modes(), subject.firstIndicesOfLines()}; }

/// The tensor's first entry as a line of such a file.
QString exampleLine(const PredictSubject& subject)
{
    QStringList words;
    const app::IndexReader reader = readerOf(subject);
    const kernels::SparseTensor& tensor = subject.tensor->tensor;
    for (unsigned n = 0; n < subject.order(); ++n)
        words += QString::fromStdString(reader.written(n, tensor.entries() > 0 ? tensor.indices[n].front() : 0));
    return words.join(QLatin1Char(' '));
}

} // namespace

PredictFileView::PredictFileView(QWidget* parent)
    : QWidget(parent)
{
    auto* card = new Card(tr("A file of entries"), this);
    auto* content = new QWidget(card);
    m_help = new QLabel(content);
    m_help->setObjectName(QStringLiteral("muted"));
    m_help->setWordWrap(true);
    m_help->setTextFormat(Qt::PlainText);
    m_help->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_source = new QLineEdit(content);
    m_source->setObjectName(QStringLiteral("predict-source"));
    m_source->setPlaceholderText(tr("a text file, an entry a line"));
    m_target = new QLineEdit(content);
    m_target->setObjectName(QStringLiteral("predict-target"));
    m_target->setPlaceholderText(tr("where the predictions go"));
    auto* browseSource = new QPushButton(tr("Choose…"), content);
    browseSource->setAccessibleName(tr("Choose the file of entries"));
    auto* browseTarget = new QPushButton(tr("Choose…"), content);
    browseTarget->setAccessibleName(tr("Choose the file of predictions"));
    m_start = new QPushButton(tr("Predict"), content);
    m_cancel = new QPushButton(tr("Cancel"), content);
    m_cancel->hide();
    m_bar = new QProgressBar(content);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the predictions"));
    m_bar->hide();
    m_outcome = new QLabel(content);
    m_outcome->setWordWrap(true);
    m_outcome->setTextFormat(Qt::PlainText);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(9);
    buttons->addWidget(m_start);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_bar, 1);
    buttons->addStretch(0);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(14, 4, 14, 14);
    layout->setSpacing(9);
    layout->addWidget(m_help);
    layout->addWidget(makeRow(tr("Entries"), m_source, browseSource));
    layout->addWidget(makeRow(tr("Predictions"), m_target, browseTarget));
    layout->addLayout(buttons);
    layout->addWidget(m_outcome);
    card->setContent(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    outer->addStretch(1);
    connect(browseSource, &QPushButton::clicked, this, [this] { browse(false); });
    connect(browseTarget, &QPushButton::clicked, this, [this] { browse(true); });
    connect(m_source, &QLineEdit::textChanged, this, &PredictFileView::sourceChanged);
    connect(m_target, &QLineEdit::textChanged, this, &PredictFileView::updateButtons);
    connect(m_start, &QPushButton::clicked, this, &PredictFileView::start);
    connect(m_cancel, &QPushButton::clicked, &m_task, &app::BackgroundJob::cancel);
    connect(&m_task, &app::BackgroundJob::finished, this, [this] {
        updateButtons();
        QStringList lines{tr("Wrote %1 · predictions: %2").arg(QFileInfo(m_target->text()).fileName(), formatting::grouped(m_done->lines))};
        for (const std::string& note : m_done->notes)
            lines += QString::fromStdString(note);
        tell(lines.join(u'\n'));
    });
    connect(&m_task, &app::BackgroundJob::failed, this, [this](const QString& sentence) {
        updateButtons();
        tell(sentence, true);
    });
    connect(&m_task, &app::BackgroundJob::cancelled, this, [this] {
        updateButtons();
        tell(tr("Cancelled; nothing was written."));
    });
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &PredictFileView::showProgress);
    updateButtons();
}

QWidget* PredictFileView::makeRow(const QString& text, QLineEdit* line, QPushButton* browse)
{
    auto* box = new QWidget(this);
    auto* label = new QLabel(text, box);
    label->setObjectName(QStringLiteral("fieldLabel"));
    label->setBuddy(line);
    line->setAccessibleName(text);
    auto* row = new QHBoxLayout;
    row->setSpacing(7);
    row->addWidget(line, 1);
    row->addWidget(browse);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(label);
    layout->addLayout(row);
    return box;
}

void PredictFileView::setSubject(const PredictSubjectPtr& subject)
{
    m_subject = subject; // a file at work goes on with the run it was begun with
    if (!m_task.isRunning())
        tell({});
    if (subject) {
        QString help = tr("Each line is an entry: a label or an index for each mode, separated by blanks, tabs or commas. A label wins "
                          "over an index, and #9 is always index 9. Labels that hold blanks or commas need double quotes. Indices count as "
                          "in the tensor's own file, or from 1. A value at the end of a line is ignored. For example:\n%1")
                           .arg(exampleLine(*subject));
        if (subject->tensor->recipe)
            help += u'\n'
                + tr("You can also choose a table with the columns of %1. The predictions become its last column, in a CSV file.")
                      .arg(subject->tensor->name);
        m_help->setText(help);
        m_source->setPlaceholderText(subject->tensor->recipe ? tr("a text file, an entry a line, or a table")
                                                             : tr("a text file, an entry a line"));
    }
    updateButtons();
}

QString PredictFileView::outcome() const { return m_outcome->text(); }

void PredictFileView::browse(bool target)
{
    const QString folder = QSettings().value(QStringLiteral("predictFolder")).toString();
    auto* dialog =
        new QFileDialog(this, target ? tr("Predictions") : tr("Entries to predict"), folder, tr("Text (*.txt *.csv *.tns);;All files (*)"));
    if (!target && m_subject && m_subject->tensor->recipe) // tables have many endings
        dialog->selectNameFilter(dialog->nameFilters().constLast());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(target ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    if (target)
        dialog->setAcceptMode(QFileDialog::AcceptSave);
    connect(dialog, &QFileDialog::fileSelected, this, [this, target](const QString& path) {
        QSettings().setValue(QStringLiteral("predictFolder"), QFileInfo(path).absolutePath());
        (target ? m_target : m_source)->setText(path);
    });
    dialog->open();
}

/// Proposes a name beside the file that is read, until a person has chosen another.
void PredictFileView::sourceChanged()
{
    const QFileInfo file(m_source->text());
    const bool lines = file.suffix().isEmpty() || file.suffix() == QStringLiteral("txt") || file.suffix() == QStringLiteral("tns");
    const QString suffix = m_subject && m_subject->tensor->recipe && !lines ? QStringLiteral("csv") // as tables are written
        : file.suffix().isEmpty()                                           ? QStringLiteral("txt")
                                                                            : file.suffix();
    if (m_target->text() == m_proposed) {
        m_proposed = m_source->text().isEmpty()
            ? QString()
            : QFileInfo(file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral(".predicted.") + suffix).filePath();
        m_target->setText(m_proposed);
    }
    updateButtons();
}

void PredictFileView::start()
{
    tell({});
    m_done = std::make_shared<app::Predicted>();
    m_task.run([subject = m_subject, done = m_done, source = m_source->text().toStdString(),
                target = m_target->text().toStdString()](kernels::Progress& progress) {
        if (app::isTableFor(subject->tensor->recipe, source)) {
            const app::PredictedRows rows = app::predictTableTo(subject->ofTables(), source, target, progress);
            done->lines = rows.rows - rows.unknown;
            if (const std::string note = rows.note(); !note.empty())
                done->notes = {note};
            return;
        }
        app::IndexReader reader = readerOf(*subject);
        *done = app::predictFile(subject->model(), reader, source, target, progress, subject->written());
    });
    updateButtons();
    showProgress();
}

void PredictFileView::showProgress()
{
    const app::BackgroundJob::State state = m_task.state();
    m_bar->setRange(0, state.fraction < 0 ? 0 : 1000);
    m_bar->setValue(static_cast<int>(std::max(0.0, state.fraction) * 1000));
    if (state.fraction >= 0)
        tell(state.secondsLeft < 0
                 ? formatting::percent(state.fraction, 0)
                 : tr("%1 · %2 left").arg(formatting::percent(state.fraction, 0), formatting::roughDuration(state.secondsLeft)));
}

/// What can be pressed now.
void PredictFileView::updateButtons()
{
    const bool running = m_task.isRunning();
    running ? m_timer.start() : m_timer.stop();
    m_bar->setVisible(running);
    // The focus goes from one to the other: what is hidden or disabled with it would hand it to anywhere.
    if (running) {
        m_cancel->show();
        if (m_start->hasFocus())
            m_cancel->setFocus();
    }
    const bool ready = m_subject && !m_source->text().isEmpty() && !m_target->text().isEmpty();
    m_start->setEnabled(!running && ready);
    if (!running) {
        if (m_cancel->hasFocus())
            m_start->setFocus();
        m_cancel->hide();
    }
    m_start->setToolTip(ready ? QString() : tr("Choose a file of entries and a name for the predictions."));
    for (QLineEdit* line : {m_source, m_target})
        line->setEnabled(!running);
}

void PredictFileView::tell(const QString& text, bool problem)
{
    m_outcome->setObjectName(problem ? QStringLiteral("errorText") : QStringLiteral("muted"));
    m_outcome->setStyleSheet(QString()); // makes the style sheet look at the new name
    m_outcome->setText(text);
    m_outcome->setVisible(!text.isEmpty());
}

} // namespace ui
