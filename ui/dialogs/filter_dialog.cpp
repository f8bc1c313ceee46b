// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/filter_dialog.h"

#include "ui/formatting.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/parameter_editor.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>

namespace ui {
namespace {

/// One line, muted or as an error; never moves what is around it.
QLabel* makeHint(QWidget* parent)
{
    auto* hint = new ElidedLabel(parent);
    hint->setObjectName(QStringLiteral("muted"));
    hint->setTextFormat(Qt::PlainText);
    hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return hint;
}

void say(QLabel* hint, QLineEdit* field, const QString& text, bool problem)
{
    hint->setObjectName(problem ? QStringLiteral("errorText") : QStringLiteral("muted"));
    hint->setStyleSheet(QString()); // makes the style sheet look at the new name
    hint->setText(text);
    hint->setToolTip(problem ? text : QString());
    field->setAccessibleDescription(text);
    markInvalid(field, problem);
}

} // namespace

FilterDialog::FilterDialog(app::OpenTensorPtr tensor, std::shared_ptr<const EntryWishReader> reader, const EntryWish& wish, QWidget* parent)
    : QDialog(parent)
    , m_tensor(std::move(tensor))
    , m_reader(std::move(reader))
{
    setWindowTitle(tr("Filter entries of %1").arg(m_tensor->name));
    setMinimumWidth(520);
    const kernels::TensorStatistics& statistics = m_tensor->statistics;

    m_from = new QLineEdit(wish.from, this);
    m_from->setObjectName(QStringLiteral("filter-from"));
    m_from->setAccessibleName(tr("Smallest value"));
    m_from->setPlaceholderText(formatting::number(statistics.valueMin));
    m_to = new QLineEdit(wish.to, this);
    m_to->setObjectName(QStringLiteral("filter-to"));
    m_to->setAccessibleName(tr("Largest value"));
    m_to->setPlaceholderText(formatting::number(statistics.valueMax));
    m_valueHint = makeHint(this);
    auto* values = new QHBoxLayout;
    values->setSpacing(8);
    values->addWidget(m_from, 1);
    values->addWidget(new QLabel(tr("to"), this));
    values->addWidget(m_to, 1);
    auto* valueTitle = new QLabel(tr("Value"), this);
    valueTitle->setObjectName(QStringLiteral("fieldLabel"));
    valueTitle->setBuddy(m_from);

    m_repeated = new QCheckBox(tr("Only coordinates that occur more than once"), this);
    m_repeated->setObjectName(QStringLiteral("filter-repeated"));
    const bool anyRepeated =
        m_tensor->tensor.sorted && statistics.duplicates > 0 && m_tensor->readOptions.duplicates == kernels::Duplicates::Keep;
    m_repeated->setEnabled(anyRepeated || wish.repeatedOnly);
    m_repeated->setToolTip(m_repeated->isEnabled() ? QString() : tr("Each coordinate occurs once in this tensor"));
    m_repeated->setChecked(wish.repeatedOnly);

    auto* clear = new QPushButton(tr("Clear"), this);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    m_show = new QPushButton(tr("Show"), this);
    m_show->setObjectName(QStringLiteral("primary"));
    m_show->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(clear);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_show);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(9);
    layout->addWidget(makeModes(wish), 1);
    layout->addWidget(valueTitle);
    layout->addLayout(values);
    layout->addWidget(m_valueHint);
    layout->addWidget(m_repeated);
    layout->addSpacing(4);
    layout->addLayout(buttons);

    connect(m_show, &QPushButton::clicked, this, &FilterDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(clear, &QPushButton::clicked, this, [this] {
        for (QLineEdit* field : m_modes)
            field->clear();
        m_from->clear();
        m_to->clear();
        m_repeated->setChecked(false);
    });
    for (QLineEdit* field : {m_from, m_to})
        connect(field, &QLineEdit::textChanged, this, &FilterDialog::check);
    for (QLineEdit* field : m_modes)
        connect(field, &QLineEdit::textChanged, this, &FilterDialog::check);
    check();
    m_modes.front()->setFocus();
}

/// More modes than fit are scrolled.
QWidget* FilterDialog::makeModes(const EntryWish& wish)
{
    auto* body = new QWidget(this);
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(0, 0, 8, 0);
    grid->setVerticalSpacing(3);
    for (unsigned n = 0; n < m_tensor->tensor.order(); ++n) {
        const QString name = QString::fromStdString(m_tensor->modeName(n));
        const kernels::Mode& mode = m_tensor->modes()[n];
        auto* title = new ElidedLabel(name, body);
        title->setObjectName(QStringLiteral("fieldLabel"));
        title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        title->setTextFormat(Qt::PlainText);
        auto* field = new QLineEdit(n < static_cast<unsigned>(wish.modes.size()) ? wish.modes[n] : QString(), body);
        field->setObjectName(QStringLiteral("filter-%1").arg(n + 1));
        field->setAccessibleName(tr("Indices of %1").arg(name));
        field->setPlaceholderText(mode.labels.empty() ? tr("3; 7-9") : tr("any part of a label; #3; #7-9"));
        title->setBuddy(field);
        grid->addWidget(title, static_cast<int>(3 * n), 0);
        grid->addWidget(field, static_cast<int>(3 * n + 1), 0);
        m_modes.push_back(field);
        m_hints.push_back(makeHint(body));
        grid->addWidget(m_hints.back(), static_cast<int>(3 * n + 2), 0);
    }
    grid->setRowStretch(static_cast<int>(3 * m_tensor->tensor.order()), 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(body);
    body->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setMinimumHeight(std::min(body->sizeHint().height(), 330));
    return scroll;
}

EntryWish FilterDialog::wish() const
{
    EntryWish wish;
    for (const QLineEdit* field : m_modes)
        wish.modes += field->text().trimmed();
    wish.from = m_from->text().trimmed();
    wish.to = m_to->text().trimmed();
    wish.repeatedOnly = m_repeated->isChecked();
    return wish;
}

void FilterDialog::focusMode(unsigned mode) { m_modes[mode]->setFocus(); }

void FilterDialog::check()
{
    bool good = true;
    for (unsigned n = 0; n < m_modes.size(); ++n) {
        const EntryWishReader::Indices read = m_reader->indices(n, m_modes[n]->text());
        const QString hint = read.note.isEmpty() ? read.hint : tr("%1 · %2").arg(read.hint, read.note);
        say(m_hints[n], m_modes[n], read.problem.isEmpty() ? hint : read.problem, !read.problem.isEmpty());
        good = good && read.problem.isEmpty();
    }
    EntryWish values;
    values.from = m_from->text();
    values.to = m_to->text();
    const QString problem = m_reader->problem(values);
    const QString hint =
        tr("%1 to %2 occur").arg(formatting::number(m_tensor->statistics.valueMin), formatting::number(m_tensor->statistics.valueMax));
    say(m_valueHint, m_from, problem.isEmpty() ? hint : problem, !problem.isEmpty());
    markInvalid(m_to, !problem.isEmpty());
    m_show->setEnabled(good && problem.isEmpty());
}

void FilterDialog::accept()
{
    if (!m_show->isEnabled())
        return;
    Q_EMIT wished(wish());
    QDialog::accept();
}

} // namespace ui
