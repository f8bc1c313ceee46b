// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_edits.h"

#include "ui/models/run_text.h"
#include "ui/run_style.h"

#include <QScopedValueRollback>
#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <memory>
#include <utility>

namespace ui {
namespace {

constexpr int remembered = 100;
constexpr std::uint64_t smallTensor = std::uint64_t{256} << 20;

/// A command of two functions, and one for its end.
class Edit : public QUndoCommand {
public:
    Edit(const QString& text, std::function<void()> forth, std::function<void()> back, std::function<void()> forgotten = {})
        : QUndoCommand(text)
        , m_forth(std::move(forth))
        , m_back(std::move(back))
        , m_forgotten(std::move(forgotten))
    {
    }
    ~Edit() override
    {
        if (m_forgotten)
            m_forgotten();
    }
    void redo() override { m_forth(); }
    void undo() override { m_back(); }

private:
    std::function<void()> m_forth, m_back, m_forgotten;
};

} // namespace

RunEdits::RunEdits(app::Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_stack(new QUndoStack(this))
{
    m_stack->setUndoLimit(remembered);
    // Where runs go otherwise, another session is opened: nothing before is to be taken back into it.
    connect(&session, &app::Session::runRemoved, this, [this] {
        if (!m_moving)
            m_stack->clear();
    });
    connect(&session, &app::Session::tensorRemoved, this, [this] {
        if (!m_moving)
            m_stack->clear();
    });
    connect(&session, &app::Session::sessionOpened, m_stack, &QUndoStack::clear); // also where no run was left to go
}

RunEdits::~RunEdits()
{
    delete m_stack; // its commands ask this object to let runs go
}

void RunEdits::change(app::Run* run, const QString& what, Change forth, Change back)
{
    const auto apply = [this, id = run->id()](const Change& change) {
        if (app::Run* const present = m_session.run(id))
            change(*present);
    };
    m_stack->push(new Edit(
        what, [apply, forth = std::move(forth)] { apply(forth); }, [apply, back = std::move(back)] { apply(back); }));
}

void RunEdits::move(const std::function<void()>& work)
{
    const QScopedValueRollback moving(m_moving, true);
    work();
}

void RunEdits::rename(app::Run* run, const QString& wanted)
{
    const QString name = wanted.trimmed();
    if (name.isEmpty() || name == run->name())
        return;
    change(
        run, tr("renaming %1").arg(run->name()), [name](app::Run& each) { each.setName(name); },
        [before = run->name()](app::Run& each) { each.setName(before); });
}

void RunEdits::setNote(app::Run* run, const QString& wanted)
{
    const QString note = wanted.trimmed();
    if (note == run->note())
        return;
    change(
        run, tr("the note on %1").arg(run->name()), [note](app::Run& each) { each.setNote(note); },
        [before = run->note()](app::Run& each) { each.setNote(before); });
}

void RunEdits::setColor(app::Run* run, int color)
{
    const auto& runs = m_session.runs();
    int index = color;
    while (std::any_of(runs.begin(), runs.end(), [&](const app::Run* each) { return each != run && each->colorIndex() == index; }))
        index += runColorCount;
    if (index == run->colorIndex())
        return;
    change(
        run, tr("the colour of %1").arg(run->name()), [index](app::Run& each) { each.setColorIndex(index); },
        [before = run->colorIndex()](app::Run& each) { each.setColorIndex(before); });
}

void RunEdits::nameComponent(app::Run* run, unsigned component, const QString& name)
{
    const auto& names = run->componentNames();
    const QString before = component < names.size() ? QString::fromStdString(names[component]) : QString();
    if (before == name)
        return;
    change(
        run, tr("naming component %1").arg(component + 1), [component, name](app::Run& each) { each.nameComponent(component, name); },
        [component, before](app::Run& each) { each.nameComponent(component, before); });
}

void RunEdits::remove(app::Run* run)
{
    const int id = run->id();
    // A removal that was undone is forgotten without a word about the run: by then another removal may hold it.
    auto holds = std::make_shared<bool>(false);
    m_stack->push(new Edit(
        tr("removing %1").arg(run->name()),
        [this, id, holds] {
            move([this, id] { m_session.setAside(m_session.run(id)); });
            *holds = true;
        },
        [this, id, holds] {
            *holds = false;
            m_session.putBack(id);
            Q_EMIT returned(id);
        },
        [this, id, holds] {
            if (*holds)
                m_session.letGo(id);
        }));
}

void RunEdits::remove(const std::vector<int>& ids)
{
    m_stack->beginMacro(tr("removing %1").arg(runCount(ids.size())));
    for (const int id : ids)
        if (app::Run* const run = m_session.run(id))
            remove(run);
    m_stack->endMacro();
}

bool RunEdits::isWorthHolding(const app::OpenTensor& tensor) const
{
    const auto& runs = m_session.runs();
    return tensor.path.isEmpty() || tensor.tensor.bytes() <= smallTensor
        || std::any_of(runs.begin(), runs.end(), [&tensor](const app::Run* run) { return run->tensor()->id == tensor.id; });
}

void RunEdits::closeTensor(const app::OpenTensorPtr& tensor)
{
    const auto held = std::make_shared<app::OpenTensorPtr>(); // while it is closed
    const auto close = [this, held, id = tensor->id, path = tensor->path, options = tensor->readOptions] {
        app::OpenTensorPtr open = m_session.tensor(id);
        if (!open && !path.isEmpty()) // it was read again
            open = m_session.openedFrom(path, options).tensor;
        if (!open)
            return;
        if (isWorthHolding(*open))
            *held = open;
        move([this, &open] { m_session.closeTensor(open->id); });
    };
    const auto putBack = [this, held, path = tensor->path, options = tensor->readOptions] {
        const app::OpenTensorPtr closed = std::exchange(*held, {});
        if (!closed)
            return (void)m_session.openFile(path, options);
        m_session.putBack(closed);
        Q_EMIT tensorReturned(closed);
    };
    m_stack->push(new Edit(tr("closing %1").arg(tensor->name), close, putBack));
}

} // namespace ui
