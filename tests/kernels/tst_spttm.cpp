// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/device/device_list.h"
#include "kernels/operations/spttm/back_end.h"
#include "kernels/operations/spttm/fibres.h"
#include "kernels/operations/spttm/product_cpu.h"
#include "support/fibre_trees.h"
#include "support/products_with_matrices.h"
#include "support/stopping.h"

#include <QtTest>

#include <limits>
#include <set>

using namespace kernels;
using namespace kernels::spttm;

namespace {

struct Problem {
    std::string name;
    SparseTensor tensor;
    unsigned rank = 16;
};

/// Four entries of five along one fibre of `mode`.
SparseTensor withHeavyFibre(SparseTensor tensor, unsigned mode)
{
    for (unsigned n = 0; n < tensor.order(); ++n)
        for (Count e = 0; e < tensor.entries(); ++e)
            if (n != mode && e % 5 != 0)
                tensor.indices[n][e] = tensor.modes[n].size / 2;
    return tensor;
}

std::vector<Problem> problems()
{
    std::vector<Problem> all;
    for (auto& [name, tensor] : test::awkwardTensors())
        all.push_back({name, std::move(tensor), 5});
    all.push_back({"order 16", test::randomTensor(std::vector<Index>(16, 3), 300, 16), 3});
    for (const unsigned rank : {1u, 2u, 3u, 4u, 8u, 16u, 17u, 31u, 32u, 33u, 64u, 100u, 130u, 256u, 1023u, 1024u})
        all.push_back({"rank " + std::to_string(rank), test::randomTensor({9, 31, 7}, 700, rank, rank % 2 == 0), rank});
    const SparseTensor large = test::randomTensor({60, 50, 70}, 40'001, 9);
    all.push_back({"many pieces", large, 16});
    for (unsigned mode = 0; mode < 3; ++mode)
        all.push_back({"a heavy fibre of mode " + std::to_string(mode + 1), withHeavyFibre(large, mode), 12});
    all.push_back({"few long fibres", test::randomTensor({6, 7000, 3}, 30'000, 4), 8});
    all.push_back({"one fibre", test::withOneIndex(test::randomTensor({1, 9000}, 20'000, 6), 0, 0), 16});
    all.push_back({"fibres of one entry", test::randomTensor({700, 900, 20}, 20'000, 7), 4});
    return all;
}

const std::vector<Problem>& allProblems()
{
    static const std::vector<Problem> all = problems();
    return all;
}

/// A matrix with a row for each index would not fit.
bool canBeMultiplied(const SparseTensor& tensor, unsigned mode) { return tensor.modes[mode].size < 1'000'000; }

/// Empty where all is as it should be: blocks ascend, are those the elements have, and values are off by no more than so many
/// roundings of their terms.
template <class T> QString difference(const formats::Scoo<T>& found, const test::Elements& expected, double roundings)
{
    const double epsilon = std::numeric_limits<T>::epsilon();
    const Count size = found.blockSize();
    if (found.values.size() != found.blocks * size || expected.size() != found.values.size())
        return QString("%1 blocks of %2 for %3 elements").arg(found.blocks).arg(size).arg(expected.size());
    std::vector<Index> before, key, index(found.dims.size());
    for (Count block = 0; block < found.blocks; ++block, before = key) {
        key.clear();
        for (std::size_t k = 0; k < found.sparseModes.size(); ++k)
            key.push_back(index[found.sparseModes[k]] = found.indices[k][block]);
        if (block > 0 && !(before < key))
            return QString("block %1 does not come after the one before").arg(block);
        for (Count place = 0; place < size; ++place) {
            Count rest = place;
            for (std::size_t k = found.denseModes.size(); k-- > 0; rest /= found.dims[found.denseModes[k]])
                index[found.denseModes[k]] = static_cast<Index>(rest % found.dims[found.denseModes[k]]);
            const auto at = expected.find(index);
            if (at == expected.end())
                return QString("block %1 should not be there").arg(block);
            const double off = std::abs(static_cast<double>(found.values[block * size + place]) - at->second.value);
            if (!(off <= roundings * epsilon * at->second.size))
                return QString("block %1, place %2: %3 in place of %4")
                    .arg(block)
                    .arg(place)
                    .arg(static_cast<double>(found.values[block * size + place]))
                    .arg(at->second.value);
        }
    }
    return {};
}

QString difference(const Result& found, const test::Elements& expected, double roundings)
{
    return std::visit([&](const auto& result) { return difference(result, expected, roundings); }, found);
}

/// Sums of some thousand terms, some in pieces that are added up: their errors grow with the square root of the terms, and a chain adds
/// them.
constexpr double roundingsOfProduct = 40;

} // namespace

class SpttmTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheDefinition_data();
    void agreesWithTheDefinition();
    void chainsAgreeWithTheDefinition_data();
    void chainsAgreeWithTheDefinition();
    void semiSparseTensorsAreMultiplied();
    void hasTheSameBitsForAnyNumberOfThreads();
    void takesNoMoreThanPlanned_data();
    void takesNoMoreThanPlanned();
    void plansAreToldNotBuilt();
    void whatCannotBeIsRefused();
    void whatDoesNotFitIsRefused();
    void stopsWhenAsked();
    void stopsInTheMiddle_data();
    void stopsInTheMiddle();
};

void SpttmTest::agreesWithTheDefinition_data()
{
    QTest::addColumn<std::size_t>("problem");
    QTest::addColumn<bool>("doubles");
    for (std::size_t p = 0; p < allProblems().size(); ++p)
        for (const bool doubles : {false, true})
            QTest::addRow("%s, %s", allProblems()[p].name.c_str(), doubles ? "fp64" : "fp32") << p << doubles;
}

/// On every device there is, in every variant, along every mode.
void SpttmTest::agreesWithTheDefinition()
{
    QFETCH(std::size_t, problem);
    QFETCH(bool, doubles);
    const Problem& p = allProblems()[problem];
    const test::Elements elements = test::elementsOf(p.tensor);
    RunControl control;
    for (unsigned mode = 0; mode < p.tensor.order(); ++mode) {
        if (!canBeMultiplied(p.tensor, mode))
            continue;
        const Matrix matrix = test::randomMatrix(p.tensor.modes[mode].size, p.rank, 20 + mode, doubles);
        const test::Elements expected = test::multipliedPlainly(elements, mode, matrix);
        for (const DeviceInfo& device : devices()) {
            if (!device.problem.empty())
                continue;
            const auto spttm = makeSpttm(doubles ? Precision::Fp64 : Precision::Fp32, device.id);
            spttm->load(p.tensor, control);
            const Prepared prepared = spttm->prepare(mode, matrix, control);
            QCOMPARE(prepared.fibres * p.rank, Count{expected.size()});
            QVERIFY(prepared.longest <= p.tensor.entries() && (prepared.longest > 0) == (p.tensor.entries() > 0));
            for (const std::string& variant : variantsOn(device.id.kind))
                for (const int again : {0, 1}) {
                    spttm->compute(variant, control);
                    const QString off = difference(spttm->result(control), expected, roundingsOfProduct);
                    QVERIFY2(off.isEmpty(),
                             qPrintable(QString("%1 on %2, mode %3, time %4: %5")
                                            .arg(variant.c_str(), toString(device.id).c_str())
                                            .arg(mode + 1)
                                            .arg(again)
                                            .arg(off)));
                }
        }
    }
}

void SpttmTest::chainsAgreeWithTheDefinition_data()
{
    QTest::addColumn<std::vector<Index>>("dims");
    QTest::addColumn<std::vector<unsigned>>("modes");
    QTest::addColumn<std::vector<unsigned>>("ranks");
    const std::vector<Index> dims{20, 30, 25};
    QTest::newRow("to the last") << dims << std::vector<unsigned>{2, 1} << std::vector<unsigned>{4, 8};
    QTest::newRow("from the first") << dims << std::vector<unsigned>{0, 1} << std::vector<unsigned>{16, 3};
    QTest::newRow("around the middle") << dims << std::vector<unsigned>{2, 0} << std::vector<unsigned>{5, 7};
    QTest::newRow("until nothing is sparse") << dims << std::vector<unsigned>{1, 0, 2} << std::vector<unsigned>{3, 4, 5};
    QTest::newRow("one column each") << dims << std::vector<unsigned>{0, 2, 1} << std::vector<unsigned>{1, 1, 1};
    QTest::newRow("a wide one last") << dims << std::vector<unsigned>{1, 2} << std::vector<unsigned>{2, 130};
    QTest::newRow("order 2") << std::vector<Index>{40, 60} << std::vector<unsigned>{1, 0} << std::vector<unsigned>{16, 32};
    for (unsigned order = 4; order <= 10; ++order) {
        std::vector<unsigned> modes{order - 1, 1, order / 2}, ranks{2, 3, 4};
        QTest::addRow("order %u", order) << test::dimsOfOrder(order) << modes << ranks;
    }
}

void SpttmTest::chainsAgreeWithTheDefinition()
{
    QFETCH(std::vector<Index>, dims);
    QFETCH(std::vector<unsigned>, modes);
    QFETCH(std::vector<unsigned>, ranks);
    const SparseTensor tensor = test::randomTensor(dims, 900, 3);
    RunControl control;
    for (const bool doubles : {false, true})
        for (const DeviceInfo& device : devices()) {
            if (!device.problem.empty())
                continue;
            for (const std::string& variant : variantsOn(device.id.kind)) {
                const auto spttm = makeSpttm(doubles ? Precision::Fp64 : Precision::Fp32, device.id);
                test::Elements expected = test::elementsOf(tensor);
                spttm->load(tensor, control);
                for (std::size_t step = 0; step < modes.size(); ++step) {
                    const Matrix matrix = test::randomMatrix(dims[modes[step]], ranks[step], step, doubles);
                    expected = test::multipliedPlainly(expected, modes[step], matrix);
                    spttm->prepare(modes[step], matrix, control);
                    spttm->compute(variant, control);
                    const QString off = difference(spttm->result(control), expected, roundingsOfProduct * static_cast<double>(step + 1));
                    QVERIFY2(
                        off.isEmpty(),
                        qPrintable(
                            QString("%1 on %2, step %3: %4").arg(variant.c_str(), toString(device.id).c_str()).arg(step + 1).arg(off)));
                    spttm->proceed(control);
                }
            }
        }
}

/// Blocks in any order, some of one place twice: what no product makes, but the format allows.
void SpttmTest::semiSparseTensorsAreMultiplied()
{
    RunControl control;
    formats::Scoo<double> tensor;
    tensor.dims = {3, 4, 50, 2};
    tensor.sparseModes = {1, 2};
    tensor.denseModes = {3, 0};
    tensor.blocks = 40'000;
    for (const unsigned mode : tensor.sparseModes) {
        Array<Index> indices(tensor.blocks);
        for (Count b = 0; b < tensor.blocks; ++b)
            indices[b] = static_cast<Index>(random::uniform(5, mode, b) * tensor.dims[mode]);
        tensor.indices.push_back(std::move(indices));
    }
    test::Elements elements;
    for (Count b = 0; b < tensor.blocks; ++b)
        for (Index last = 0; last < 2; ++last)
            for (Index first = 0; first < 3; ++first) {
                tensor.values.push_back(random::uniform(7, tensor.values.size(), 0) - 0.5);
                test::SummedUp& at = elements[{first, tensor.indices[0][b], tensor.indices[1][b], last}];
                at.value += tensor.values.back();
                at.size += std::abs(tensor.values.back());
            }
    for (const unsigned mode : tensor.sparseModes) {
        const Matrix matrix = test::randomMatrix(tensor.dims[mode], 6, mode, true);
        const Fibres<double> fibres = fibresOf(tensor, mode, control);
        formats::Scoo<double> result = fibres.result(6);
        for (const std::string& variant : variantsOn(DeviceKind::Cpu)) {
            CpuProduct<double>(fibres, 6).compute(variant, std::get<Array<double>>(matrix.data).data(), result.values.data(), control);
            const QString off = difference(result, test::multipliedPlainly(elements, mode, matrix), roundingsOfProduct);
            QVERIFY2(off.isEmpty(), qPrintable(off));
        }
    }
}

void SpttmTest::hasTheSameBitsForAnyNumberOfThreads()
{
    const SparseTensor tensor = withHeavyFibre(test::randomTensor({30, 900, 20}, 60'000, 2), 1);
    const Matrix matrix = test::randomMatrix(900, 20, 3, false);
    const auto results = [&](int threads) {
        return test::withThreads(threads, [&] {
            RunControl control;
            const auto spttm = makeSpttm(Precision::Fp32, {});
            spttm->load(tensor, control);
            spttm->prepare(1, matrix, control);
            std::vector<Array<float>> all;
            for (const std::string& variant : variantsOn(DeviceKind::Cpu)) {
                spttm->compute(variant, control);
                all.push_back(std::get<formats::Scoo<float>>(spttm->result(control)).values);
            }
            return all;
        });
    };
    const auto one = results(1), three = results(3);
    QVERIFY(one == three);
}

void SpttmTest::takesNoMoreThanPlanned_data()
{
    QTest::addColumn<SparseTensor>("tensor");
    QTest::addColumn<unsigned>("rank");
    QTest::newRow("short fibres") << test::randomTensor({4000, 90'000, 8'000}, 300'000, 8) << 16u;
    QTest::newRow("keys of two words") << test::randomTensor({40'000, 90'000, 80'000, 70'000}, 200'000, 8) << 4u;
    QTest::newRow("every fibre full") << test::randomTensor({20, 30, 900}, 400'000, 8) << 32u;
}

/// Beside the tensor, and not far less where there are as many fibres as there may be.
void SpttmTest::takesNoMoreThanPlanned()
{
    QFETCH(SparseTensor, tensor);
    QFETCH(unsigned, rank);
    RunControl control;
    for (unsigned mode = 0; mode < tensor.order(); ++mode) {
        const Matrix matrix = test::randomMatrix(tensor.modes[mode].size, rank, 4, false);
        const Plan plan = planFor(DeviceKind::Cpu, shapeOf(tensor), mode, rank, sizeof(float));
        ArrayMemory::restartPeak();
        const std::uint64_t before = ArrayMemory::now();
        const auto spttm = makeSpttm(Precision::Fp32, {});
        spttm->load(tensor, control);
        const Prepared prepared = spttm->prepare(mode, matrix, control);
        spttm->compute(balancedId, control);
        const std::uint64_t taken = ArrayMemory::peak() - before;
        QVERIFY2(taken <= plan.most && plan.least <= plan.most && plan.least <= taken + taken / 10,
                 qPrintable(QString("%1 of %2 (at least %3) planned").arg(taken).arg(plan.most).arg(plan.least)));
        QVERIFY(prepared.fibres <= plan.mostFibres && prepared.fibreBytes <= plan.fibres && prepared.resultBytes <= plan.result);
        if (prepared.fibres * 100 > plan.mostFibres * 99)
            QVERIFY2(static_cast<double>(plan.most) <= 1.1 * static_cast<double>(taken),
                     qPrintable(QString("%1 of %2 planned").arg(taken).arg(plan.most)));
    }
}

void SpttmTest::plansAreToldNotBuilt()
{
    constexpr Index most = std::numeric_limits<Index>::max();
    for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda}) {
        const Plan huge = planFor(kind, {{most, most, most, most}, {0, 1, 2}, maxEntries}, 3, maxRank, 8);
        QCOMPARE(huge.most, std::numeric_limits<std::uint64_t>::max()); // and not what is left of more than that
        QCOMPARE(huge.mostFibres, Count{1});
        const Plan none = planFor(kind, {{4, 5, 6}, {}, 0}, 1, 16, 4);
        QCOMPARE(none.mostFibres, Count{0});
        QCOMPARE(none.result, std::uint64_t{0});
    }
    const Plan netflix = planFor(DeviceKind::Cpu, {{480189, 17770, 2182}, {}, 99'072'112}, 2, 16, 4);
    QCOMPARE(netflix.mostFibres, Count{99'072'112});
    QCOMPARE(netflix.result, std::uint64_t{99'072'112} * (2 * 4 + 16 * 4));
}

void SpttmTest::whatCannotBeIsRefused()
{
    RunControl control;
    const SparseTensor tensor = test::randomTensor({3, 4, 5}, 20, 1);
    const auto spttm = makeSpttm(Precision::Fp32, {});
    spttm->load(tensor, control);
    const auto message = [&](const auto& attempt) {
        try {
            attempt();
        } catch (const Error& error) {
            return error.kind() == ErrorKind::BadArgument ? QString(error.what()) : QString("another kind of error");
        }
        return QString("no error");
    };
    const auto prepare = [&](unsigned mode, std::size_t rows, std::size_t columns) {
        return message([&] { spttm->prepare(mode, Matrix(rows, columns, false), control); });
    };
    QVERIFY2(prepare(3, 5, 2).contains("there is no such mode"), qPrintable(prepare(3, 5, 2)));
    QVERIFY2(prepare(1, 5, 2).contains("does not fit mode 2") && prepare(1, 5, 2).contains("expected 4"), qPrintable(prepare(1, 5, 2)));
    QVERIFY2(prepare(1, 4, 1025).contains("1 to 1024"), qPrintable(prepare(1, 4, 1025)));
    QVERIFY2(prepare(1, 4, 0).contains("1 to 1024"), qPrintable(prepare(1, 4, 0)));
    spttm->prepare(1, test::randomMatrix(4, 2, 1, false), control);
    const QString variant = message([&] { spttm->compute("cusparse", control); });
    QVERIFY2(variant.contains("balanced, sequential, tbb"), qPrintable(variant));
    QVERIFY_EXCEPTION_THROWN(spttm->result(control), Error);
    spttm->compute(tbbId, control);
    spttm->proceed(control);
    QVERIFY2(prepare(1, 2, 2).contains("dense along this mode already"), qPrintable(prepare(1, 2, 2)));
}

/// A result of 2 EiB: told by the plan, refused before anything is taken for it.
void SpttmTest::whatDoesNotFitIsRefused()
{
    RunControl control;
    Fibres<float> fibres;
    fibres.dims = {1, 1u << 30, 1u << 20};
    fibres.denseModes = {1, 2};
    fibres.begins = Array<Count>{0, 1};
    QVERIFY_EXCEPTION_THROWN(fibres.result(1024), OutOfMemory);
    QVERIFY_EXCEPTION_THROWN(fibresOf(formats::Scoo<float>{{1, 1u << 30, 1u << 30}, {0}, {1, 2}, 1, {Array<Index>(1)}, {}}, 0, control),
                             OutOfMemory);
}

void SpttmTest::stopsWhenAsked()
{
    const SparseTensor tensor = test::randomTensor({300, 200, 100}, 50'000, 2);
    const Matrix matrix = test::randomMatrix(200, 16, 1, false);
    for (const std::string& variant : variantsOn(DeviceKind::Cpu)) {
        RunControl control;
        const auto spttm = makeSpttm(Precision::Fp32, {});
        spttm->load(tensor, control);
        spttm->prepare(1, matrix, control);
        control.stop();
        QVERIFY_EXCEPTION_THROWN(spttm->compute(variant, control), Cancelled);
        QVERIFY_EXCEPTION_THROWN(spttm->prepare(0, test::randomMatrix(300, 16, 1, false), control), Cancelled);
    }
}

void SpttmTest::stopsInTheMiddle_data()
{
    QTest::addColumn<QString>("variant");
    for (const std::string& variant : variantsOn(DeviceKind::Cpu))
        QTest::addRow("%s", variant.c_str()) << QString::fromStdString(variant);
}

/// However few fibres there are: all entries are one's.
void SpttmTest::stopsInTheMiddle()
{
    QFETCH(QString, variant);
    RunControl control;
    static const SparseTensor tensor = test::withOneIndex(test::randomTensor({9, 50'000}, 400'000, 2), 0, 3);
    const auto spttm = makeSpttm(Precision::Fp32, {});
    spttm->load(tensor, control);
    spttm->prepare(1, test::randomMatrix(50'000, 1024, 1, false), control);
    double whole = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const double begin = test::processorSeconds();
        spttm->compute(variant.toStdString(), control);
        whole = test::processorSeconds() - begin;
    }
    const test::Stopped stopped =
        test::bestStopAfter(whole / 4, whole / 4, [&](RunControl& own) { spttm->compute(variant.toStdString(), own); });
    QVERIFY2(stopped.early && stopped.processorSeconds < whole / 4,
             qPrintable(QString("%1 of %2 s%3").arg(stopped.processorSeconds).arg(whole).arg(stopped.early ? "" : ", to the end")));
}

QTEST_GUILESS_MAIN(SpttmTest)
#include "tst_spttm.moc"
