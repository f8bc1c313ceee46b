// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/index_field.h"

#include "app/label_text.h"
#include "kernels/base/error.h"
#include "ui/formatting.h"
#include "ui/models/value_table.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/parameter_editor.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QStandardItemModel>
#include <QToolButton>

namespace ui {
namespace {

constexpr std::size_t mostHits = 60;

/// A number as tables show it, without the thin spaces of its groups.
std::string typed(QString text) { return text.remove(QChar(0x202F)).trimmed().toStdString(); }

} // namespace

IndexField::IndexField(const app::IndexReader& reader, const kernels::Mode& mode, unsigned number, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_reader(reader)
    , m_mode(mode)
    , m_number(number)
    , m_search(mode.labels)
{
    auto* title = new ElidedLabel(tr("%1 · %2").arg(name, formatting::grouped(mode.size)), this);
    title->setObjectName(QStringLiteral("fieldLabel"));
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_line = new QLineEdit(this);
    m_line->setObjectName(QStringLiteral("index-%1").arg(number + 1));
    m_line->setAccessibleName(tr("Index of %1").arg(name));
    m_line->setPlaceholderText(mode.labels.empty() ? tr("1 to %1").arg(formatting::grouped(mode.size)) : tr("label or #index"));
    title->setBuddy(m_line);
    m_any = new QToolButton(this);
    m_any->setObjectName(QStringLiteral("toggle"));
    m_any->setText(tr("any"));
    m_any->setCheckable(true);
    m_any->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Ignored); // as high as the field
    m_any->setAccessibleName(tr("Any %1").arg(name));
    m_any->setToolTip(tr("List the best predictions along %1").arg(name));
    m_hint = new ElidedLabel(this);
    m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* row = new QHBoxLayout;
    row->setSpacing(5);
    row->addWidget(m_line, 1);
    row->addWidget(m_any);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(title);
    layout->addLayout(row);
    layout->addWidget(m_hint);
    if (!mode.labels.empty())
        setUpCompletion();
    connect(m_line, &QLineEdit::textChanged, this, [this] {
        read();
        Q_EMIT edited();
    });
    connect(m_any, &QToolButton::toggled, this, [this](bool any) {
        m_line->setEnabled(!any);
        read();
        if (any)
            Q_EMIT anyChosen();
        Q_EMIT edited();
    });
    read();
}

/// The completer shows what the search found and filters nothing itself.
void IndexField::setUpCompletion()
{
    m_hits = new QStandardItemModel(this);
    m_completer = new QCompleter(m_hits, this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(10);
    m_completer->popup()->setObjectName(QStringLiteral("hits"));
    m_completer->popup()->setAccessibleName(tr("Labels that hold the text"));
    connect(m_line, &QLineEdit::textEdited, this, &IndexField::complete); // before the line edit opens the popup
    m_line->setCompleter(m_completer);
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this,
            [this](const QModelIndex& hit) { setIndex(hit.data(Qt::UserRole).toUInt()); });
}

void IndexField::complete(const QString& text)
{
    m_hits->clear();
    for (const unsigned hit : m_search.listed(text, mostHits)) {
        auto* item = new QStandardItem(labelOf(m_mode, hit));
        item->setData(hit, Qt::UserRole);
        m_hits->appendRow(item);
    }
}

bool IndexField::isAny() const { return m_any->isChecked(); }
QString IndexField::hint() const { return m_hint->text(); }
void IndexField::setAny(bool any) { m_any->setChecked(any); }

void IndexField::setIndex(kernels::Index index)
{
    m_picked = index;
    m_pickedText = m_mode.labels.empty() ? QString::number(quint64{index} + 1) : labelOf(m_mode, index);
    setAny(false);
    if (m_line->text() != m_pickedText) {
        m_line->setText(m_pickedText);
        m_line->setCursorPosition(0);
        return;
    }
    read();
    Q_EMIT edited();
}

void IndexField::read()
{
    m_index.reset();
    if (isAny())
        return showHint(tr("the best of all %1").arg(formatting::grouped(m_mode.size)));
    const QString text = m_line->text();
    app::IndexReader::Meaning meaning;
    if (m_picked && text == m_pickedText)
        m_index = m_picked;
    else if (!text.trimmed().isEmpty()) {
        m_picked.reset();
        const std::string wanted = typed(text);
        try {
            meaning = m_reader.meaning(m_number, wanted);
            m_index = meaning.index;
        } catch (const kernels::Error& error) {
            const bool isNumber = app::wholeNumber(wanted) && m_reader.labelsAreNumbers(m_number); // 9 is no part of label 19
            const std::vector<unsigned> hits = isNumber ? std::vector<unsigned>() : m_search.find(text, 2);
            if (hits.size() != 1)
                return showHint(whyNot(isNumber, !hits.empty()), QString::fromUtf8(error.what()));
            m_index = hits.front();
        }
    }
    if (meaning.doubt == app::IndexReader::Doubt::AlsoIndex)
        showHint(tr("label, index %1 · #%2 is index %2").arg(formatting::grouped(quint64{*m_index} + 1), text.trimmed()));
    else
        showHint(m_index ? understood(*m_index, text)
                         : tr("1 to %1%2").arg(formatting::grouped(m_mode.size), m_mode.labels.empty() ? QString() : tr(", or a label")));
    if (meaning.doubt != app::IndexReader::Doubt::None)
        m_hint->setToolTip(QString::fromStdString(m_reader.note(m_number, typed(text), meaning)));
}

/// What to write instead of what is neither a label nor an index.
QString IndexField::whyNot(bool isNumber, bool anyHits) const
{
    const QString size = formatting::grouped(m_mode.size);
    if (m_mode.labels.empty())
        return tr("write 1 to %1").arg(size);
    if (anyHits)
        return tr("several labels hold this: choose one");
    return isNumber ? tr("no such label · #1 to #%1").arg(size) : tr("no such label · 1 to %1").arg(size);
}

/// A label for a number, the number for a label.
QString IndexField::understood(kernels::Index index, const QString& text) const
{
    const QString number = formatting::grouped(quint64{index} + 1);
    const QString label = labelOf(m_mode, index);
    if (m_mode.labels.empty())
        return tr("index %1 of %2").arg(number, formatting::grouped(m_mode.size));
    return text == label ? tr("index %1 of %2").arg(number, formatting::grouped(m_mode.size)) : tr("%1 · %2").arg(number, label);
}

void IndexField::showHint(const QString& text, const QString& problem)
{
    m_hint->setObjectName(problem.isEmpty() ? QStringLiteral("muted") : QStringLiteral("errorText"));
    m_hint->setStyleSheet(QString()); // makes the style sheet look at the new name
    m_hint->setText(text);
    m_hint->setToolTip(problem);
    m_line->setAccessibleDescription(text);
    markInvalid(m_line, !problem.isEmpty());
}

} // namespace ui
