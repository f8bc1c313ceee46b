// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/registry.h"
#include "kernels/formats/bcsf.h"
#include "kernels/formats/blco.h"
#include "kernels/formats/flycoo.h"
#include "kernels/formats/hicoo.h"
#include "kernels/formats/mmcsf.h"
#include "kernels/formats/runs.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

using namespace kernels;
using namespace kernels::formats;

namespace {

/// Into a format and back again, once for each way the format may be built (a tree a mode, say).
using ThereAndBack = std::function<std::vector<SparseTensor>(const SparseTensor&)>;

/// One result for each mode.
template <class Build> ThereAndBack eachMode(const Build& build)
{
    return [build](const SparseTensor& tensor) {
        std::vector<SparseTensor> all;
        for (unsigned mode = 0; mode < tensor.order(); ++mode)
            all.push_back(build(tensor, mode));
        return all;
    };
}

RunControl& control()
{
    static RunControl never;
    return never;
}

SparseTensor throughRuns(const SparseTensor& tensor, unsigned mode)
{
    const RunsPlan plan = planRuns(tensor.dims(), mode, tensor.entries(), {100, 5});
    return toCoo(buildRuns<double>(tensor, plan, control()), tensor.dims());
}

/// In the order of mode 0, then of every other.
std::vector<SparseTensor> throughFlycoo(const SparseTensor& tensor)
{
    Flycoo<double> flycoo = buildFlycoo<double>(tensor, planFlycoo(tensor.dims(), tensor.entries(), 7, 8), control());
    std::vector<SparseTensor> all{toCoo(flycoo, 0)};
    for (unsigned mode = 1; mode < tensor.order(); ++mode) {
        remap(flycoo, mode, (mode + 1) % 2, control());
        all.push_back(toCoo(flycoo, mode % 2));
    }
    return all;
}

const std::map<std::string, ThereAndBack>& conversions()
{
    static const std::map<std::string, ThereAndBack> all{
        {"coo", [](const SparseTensor& tensor) { return std::vector<SparseTensor>{tensor}; }},
        {"csf", eachMode([](const SparseTensor& tensor, unsigned mode) {
             return toCoo(buildCsf(tensor, rootedAt(tensor.dims(), mode), control()), control());
         })},
        {"bcsf", eachMode([](const SparseTensor& tensor, unsigned mode) {
             return toCoo(buildBcsf(tensor, rootedAt(tensor.dims(), mode), {}, control()).tree, control());
         })},
        {"mmcsf", [](const SparseTensor& tensor) { return std::vector<SparseTensor>{toCoo(buildMmcsf(tensor, control()), control())}; }},
        {"runs", eachMode(throughRuns)},
        {"flycoo", throughFlycoo},
        {"blco", [](const SparseTensor& tensor) { return std::vector<SparseTensor>{toCoo(buildBlco<double>(tensor, control()))}; }},
        {"hicoo", [](const SparseTensor& tensor) { return std::vector<SparseTensor>{toCoo(buildHicoo<double>(tensor, control()))}; }}};
    return all;
}

/// Equal coordinates may come in any order.
std::vector<test::Entry> sortedEntries(const SparseTensor& tensor)
{
    std::vector<unsigned> modes(tensor.order());
    std::iota(modes.begin(), modes.end(), 0u);
    auto entries = test::entriesInOrder(tensor, modes);
    std::sort(entries.begin(), entries.end(),
              [](const test::Entry& l, const test::Entry& r) { return std::tie(l.index, l.value) < std::tie(r.index, r.value); });
    return entries;
}

/// Small ones: each goes through all pairs of formats.
std::vector<test::NamedTensor> tensors()
{
    std::vector<test::NamedTensor> all;
    const auto suits = [](const SparseTensor& tensor) {
        const std::vector<Index> dims = tensor.dims();
        return std::all_of(dims.begin(), dims.end(), [](Index size) { return size < 1'000'000; });
    };
    for (auto& [name, tensor] : test::awkwardTensors()) // orders 2 to 10, duplicates, one entry, none
        if (suits(tensor))
            all.push_back({name, std::move(tensor)});
    all.push_back({"one giant slice", test::withOneIndex(test::randomTensor({30, 4000, 50}, 2000, 3), 0, 29)});
    return all;
}

} // namespace

/// What every tensor format promises, whichever it is.
class FormatContractTest : public QObject {
    Q_OBJECT

    static void addFormats()
    {
        QTest::addColumn<QString>("format");
        for (const TensorFormatInfo& info : tensorFormats())
            QTest::addRow("%s", info.id.c_str()) << QString::fromStdString(info.id);
    }
    static const TensorFormatInfo& fetchFormat()
    {
        QFETCH(QString, format);
        return tensorFormat(format.toStdString());
    }

private Q_SLOTS:
    void isDescribed_data() { addFormats(); }
    void isDescribed()
    {
        const TensorFormatInfo& info = fetchFormat();
        QVERIFY(!info.title.empty());
        QVERIFY(!info.summary.empty());
    }

    void bytesGrowWithEntriesAndHoldTheValues_data() { addFormats(); }
    void bytesGrowWithEntriesAndHoldTheValues()
    {
        const TensorFormatInfo& info = fetchFormat();
        for (unsigned order = minOrder; order <= maxOrder; ++order) {
            ProblemShape shape{std::vector<Index>(order, 1000), 0, 0};
            std::uint64_t before = 0;
            for (const Count entries : {Count{1}, Count{1000}, Count{1} << 20, maxEntries}) {
                shape.trainEntries = entries;
                for (const unsigned valueBytes : {4u, 8u})
                    QVERIFY(info.bytes(shape, valueBytes) >= entries * valueBytes);
                QVERIFY(info.bytes(shape, 4) > before);
                QVERIFY(info.bytes(shape, 8) >= info.bytes(shape, 4)); // records may have room for either
                before = info.bytes(shape, 4);
            }
        }
    }

    /// `auto` is one of the others.
    void everyFormatHasAWayBack_data() { addFormats(); }
    void everyFormatHasAWayBack()
    {
        const std::string& id = fetchFormat().id;
        QVERIFY2(id == "auto" || conversions().count(id) == 1, id.c_str());
    }

    void everyFormatBecomesEveryOther_data()
    {
        QTest::addColumn<std::size_t>("number");
        const auto all = tensors();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%s", all[i].name.c_str()) << i;
    }

    void everyFormatBecomesEveryOther()
    {
        QFETCH(std::size_t, number);
        const SparseTensor tensor = std::move(tensors()[number].tensor);
        const auto expected = sortedEntries(tensor);
        const auto same = [&](const SparseTensor& other) { return other.dims() == tensor.dims() && sortedEntries(other) == expected; };
        for (const auto& [from, first] : conversions()) {
            const std::vector<SparseTensor> between = first(tensor);
            for (const SparseTensor& one : between)
                QVERIFY2(same(one), from.c_str());
            for (const auto& [to, second] : conversions())
                for (const SparseTensor& result : second(between.back()))
                    QVERIFY2(same(result), (from + " to " + to).c_str());
        }
    }

    /// Four bytes an index and the value, nothing else.
    void cooHoldsExactlyItsCoordinates()
    {
        const ProblemShape shape{{10, 20, 30}, 1000, 0};
        QCOMPARE(tensorFormat("coo").bytes(shape, 4), std::uint64_t{1000 * (3 * 4 + 4)});
        QCOMPARE(tensorFormat("coo").bytes(shape, 8), std::uint64_t{1000 * (3 * 4 + 8)});
    }
};

QTEST_GUILESS_MAIN(FormatContractTest)
#include "tst_format_contract.moc"
