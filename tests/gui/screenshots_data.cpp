// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page Data: filtered and sorted, with odd content, with many entries.
#include "gui/photographer.h"
#include "ui/dialogs/filter_dialog.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/widgets/mode_row.h"

#include <QFile>
#include <QLineEdit>

namespace {

ui::EntriesCard* entriesOf(Photographer& p) { return p.window.dataPage()->entries(); }

void settle(Photographer& p)
{
    waitFor("the entries", [&p] { return !entriesOf(p)->isWorking(); });
}

void opened(Photographer& p, std::size_t count)
{
    waitFor(
        "a tensor", [&] { return p.session.tensors().size() == count && p.session.loadJobs().empty(); }, 200'000);
    p.window.showPage(ui::MainWindow::DataTab);
    QTest::qWait(100);
}

void filtered(Photographer& p)
{
    p.openSample();
    entriesOf(p)->showEntries({{QStringLiteral("Chicago"), {}, QStringLiteral("7-9; 17-20")}, QStringLiteral("2"), {}, false});
    settle(p);
    entriesOf(p)->sortBy(3, true);
    settle(p);
    p.shoot("data-filtered");
    entriesOf(p)->askForFilter();
    auto* dialog = p.window.findChild<ui::FilterDialog*>();
    dialog->findChild<QLineEdit*>(QStringLiteral("filter-2"))->setText(QStringLiteral("nowhere"));
    p.shootWidget(*dialog, QStringLiteral("dialog-filter"));
    dialog->close();
}

/// Ten modes with long names, duplicates that were kept and zeros.
void odd(Photographer& p)
{
    QFile file(p.scratch.filePath(QStringLiteral("sensors-of-the-whole-building-with-a-long-name.tns")));
    if (!file.open(QIODevice::WriteOnly))
        throw std::runtime_error("cannot write");
    for (int e = 0; e < 4000; ++e) {
        QByteArray line;
        for (int n = 0; n < 10; ++n)
            line += QByteArray::number(1 + (e * (n + 3) * 7919 + e / 7) % (5 + 37 * n)) + ' ';
        file.write(line + QByteArray::number(e % 9 ? 0.37 * (e % 113) : 0.0) + '\n');
        if (e % 50 == 0)
            file.write(line + "1.5\n");
    }
    file.close();
    io::ReadOptions options;
    options.duplicates = kernels::Duplicates::Keep;
    for (unsigned n = 0; n < 10; ++n)
        options.naming.push_back({n, "measured quantity number " + std::to_string(n + 1), {}});
    p.session.openFile(file.fileName(), options);
    opened(p, 2);
    p.shoot("data-ten-modes");
    entriesOf(p)->showRepeated();
    settle(p);
    auto* row = p.window.dataPage()->findChild<ui::ModeRow*>();
    row->edit();
    p.shoot("data-repeated");
}

void large(Photographer& p)
{
    p.session.generatePreset(QStringLiteral("netflix-like"), 0.1, 1);
    opened(p, 3);
    p.shoot("data-large");
    entriesOf(p)->sortBy(3, true);
    settle(p);
    p.shoot("data-large-sorted");
}

void data(Photographer& p)
{
    filtered(p);
    odd(p);
    large(p);
}

const Scene sceneData("data", data);

} // namespace
