// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A table on its way to a tensor, and a row of one that cannot be read.
#include "gui/photographer.h"
#include "ui/pages/import_page.h"

#include <QFile>

namespace {

using Figures = app::TableImport::Figures;

QString writeFlights(const Photographer& p, const char* name, const QByteArray& odd)
{
    const char* carriers[] = {"AA", "B6", "DL", "EV", "UA"};
    const char* places[] = {"ATL", "BOS", "LAX", "MCO", "MIA", "ORD", "SFO"};
    QFile file(p.scratch.filePath(QLatin1String(name)));
    if (!file.open(QIODevice::WriteOnly))
        throw std::runtime_error("cannot write a table");
    file.write("carrier,flight,origin,dest,time_hour,distance,dep_delay\n");
    for (int n = 0; n < 4000; ++n) {
        const QByteArray day = QByteArray::number(n / 200 + 1).rightJustified(2, '0');
        const QByteArray hour = QByteArray::number(5 + n % 18).rightJustified(2, '0');
        file.write(QByteArray(carriers[n % 5]) + "," + QByteArray::number(100 + n * 37 % 3000) + "," + (n % 3 ? "JFK" : "EWR") + ","
                   + places[n * 11 % 7] + ",2013-01-" + day + " " + hour + ":00:00," + QByteArray::number(184 + n * 53 % 2400) + ","
                   + (n == 3000 ? odd : QByteArray::number(n * 29 % 97 - 12)) + "\n");
    }
    return file.fileName();
}

void show(Photographer& p, const QString& path, Figures figures)
{
    p.window.openFiles({path});
    waitFor("the figures", [&] { return p.window.importPage()->import().figures() == figures; });
}

void importing(Photographer& p)
{
    show(p, writeFlights(p, "flights.csv", "4"), Figures::Known);
    p.shoot("import");
}

void badRow(Photographer& p)
{
    show(p, writeFlights(p, "delayed.csv", "late"), Figures::Failed);
    p.shoot("import-bad-row");
}

const Scene importScene("import", importing);
const Scene badRowScene("import-bad-row", badRow);

} // namespace
