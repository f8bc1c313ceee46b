// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "support/tree_problems.h"

#include <QtTest>

#include <numeric>

using namespace kernels;
using namespace kernels::fasttucker_plus;
namespace oracle = test::oracle;

namespace {

constexpr std::uint64_t seed = 21; ///< of TreeProblem::load()

/// Entries as a mode's rows have them, one row after another, and where each begins.
struct SortedEntries {
    SparseTensor tensor;
    Array<Count> begins;

    SortedEntries(const SparseTensor& train, unsigned mode)
        : tensor(train)
    {
        RunControl control;
        const fastertucker::RowEntries<double> rows = fastertucker::arrangeRows<double>(train, {mode}, seed, control);
        begins = rows.begins;
        for (unsigned n = 0, other = 0; n < train.order(); ++n)
            if (n != mode)
                tensor.indices[n] = rows.indices[other++];
        for (Index row = 0; row < train.dims()[mode]; ++row)
            std::fill(tensor.indices[mode].begin() + std::ptrdiff_t(begins[row]),
                      tensor.indices[mode].begin() + std::ptrdiff_t(begins[row + 1]), row);
        for (Count e = 0; e < train.entries(); ++e)
            tensor.setValue(e, rows.values[e]);
    }
};

/// Mode after mode, row after row, tile after tile of so many of a row's entries, each seeing what the tile before it left.
Model afterFactorPass(const test::TreeProblem& p, oracle::FactorStep step, Count tile)
{
    Model model = oracle::inDoubles(p.start);
    step.clipsBatches = true;
    for (unsigned mode = 0; mode < p.train.order(); ++mode) {
        const SortedEntries sorted(p.train, mode);
        step.mode = int(mode);
        for (Index row = 0; row < p.train.dims()[mode]; ++row) {
            std::vector<Count> ofRow(sorted.begins[row + 1] - sorted.begins[row]);
            std::iota(ofRow.begin(), ofRow.end(), sorted.begins[row]);
            oracle::factorPass(model, sorted.tensor, ofRow, tile, step);
        }
    }
    return model;
}

/// A row is rounded at its end only, but what it is owed is a sum over its entries, each off by sums over R and J and the product over
/// modes; and the row's projection, from which the errors come, is rounded tile after tile.
double tolerance(const test::TreeProblem& p, Precision precision)
{
    const double terms = *std::max_element(p.shape.ranks.begin(), p.shape.ranks.end()) + p.shape.coreRank + double(p.shape.dims.size());
    return test::tolerance(precision, terms + double(p.shape.entries));
}

/// And rows that are worked on in pieces, between which a stop is looked at: more than one each.
std::vector<test::TreeShape> rowShapes()
{
    std::vector<test::TreeShape> shapes = test::treeShapes();
    shapes.push_back({"rows of tens of thousands", {3, 70, 50}, {2, 2, 2}, 2, 140'007, 0});
    return shapes;
}

void addRows()
{
    QTest::addColumn<test::DeviceRow>("device");
    QTest::addColumn<int>("shape");
    const auto shapes = rowShapes();
    for (const auto& device : test::deviceRows())
        if (device.algorithm == "fastertucker" && device.variant == "coo" && device.device.kind == DeviceKind::Cpu)
            for (std::size_t s = 0; s < shapes.size(); ++s)
                QTest::addRow("%s, %s", device.name().c_str(), shapes[s].name) << device << int(s);
}

} // namespace

/// FasterTucker's variant coo where rows have entries of many tiles: normal mode on the CPU.
class FasterTuckerRowsTest : public QObject {
    Q_OBJECT

private:
    static void comparePass(const test::TreeProblem& p, const test::DeviceRow& device, const oracle::FactorStep& step)
    {
        const auto backEnd = p.load(device, {});
        RunControl control;
        backEnd->factorPass(test::passOf(step), control);
        const Model expected = afterFactorPass(p, step, fastertucker::tileEntries);
        const double off = oracle::distance(backEnd->model(Snapshot::Latest), expected);
        const double allowed = tolerance(p, device.precision);
        QVERIFY2(off <= allowed, qPrintable(QStringLiteral("off by %1, allowed %2").arg(off).arg(allowed)));
    }

private Q_SLOTS:
    void factorPassIsTheOraclesTileByTile_data() { addRows(); }
    void factorPassIsTheOraclesTileByTile()
    {
        QFETCH(test::DeviceRow, device);
        QFETCH(int, shape);
        const test::TreeProblem p(rowShapes().at(std::size_t(shape)), device.doubles());
        for (const bool nonnegative : {false, true})
            for (const bool damped : {false, true}) {
                oracle::FactorStep step = p.step(1);
                step.rowScales = p.rowScales();
                step.nonnegative = nonnegative;
                if (damped)
                    step.damping = p.damping();
                comparePass(p, device, step);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    /// Tiles of another size, or ones that all see the old row, come to what is told apart.
    void tilesAreSeen()
    {
        for (const test::TreeShape& shape : test::treeShapes()) {
            const test::TreeProblem p(shape, true);
            const oracle::FactorStep step = p.step(1);
            const Model expected = afterFactorPass(p, step, fastertucker::tileEntries);
            const bool isLong = shape.entries > 2 * fastertucker::tileEntries * *std::min_element(shape.dims.begin(), shape.dims.end());
            for (const Count tile : {fastertucker::tileEntries / 2, fastertucker::tileEntries + 1, shape.entries}) {
                const double apart = oracle::distance(afterFactorPass(p, step, tile), expected);
                QVERIFY2(!isLong || apart > 1e6 * tolerance(p, Precision::Fp64),
                         qPrintable(QStringLiteral("%1: %2, allowed %3").arg(shape.name).arg(apart).arg(tolerance(p, Precision::Fp64))));
            }
        }
    }
};

QTEST_GUILESS_MAIN(FasterTuckerRowsTest)
#include "tst_fastertucker_rows.moc"
