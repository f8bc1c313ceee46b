// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/old_entries.h"
#include "kernels/base/error.h"

#include <QTest>

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

using namespace app;
using kernels::Count;
using kernels::SparseTensor;

namespace {

OpenTensorPtr opened(const char* name, Count entries, double first = 1, bool doubles = false)
{
    auto open = std::make_shared<OpenTensor>();
    open->name = QLatin1String(name);
    open->tensor = SparseTensor({3, 2, 2}, entries, doubles);
    for (Count e = 0; e < entries; ++e) {
        for (unsigned n = 0; n < 3; ++n)
            open->tensor.indices[n][e] = static_cast<kernels::Index>(e >> n) % 2;
        open->tensor.setValue(e, first + static_cast<double>(e));
    }
    open->tensor.modes[0].labels = {"a", "b", "c"};
    return open;
}

io::ModelFile modelOf(const OpenTensor& runs)
{
    io::ModelFile file;
    file.model.dims = {3, 2, 2};
    file.modes = runs.tensor.modes;
    file.input.dims = {3, 2, 2};
    file.input.entries = file.input.trainEntries = runs.tensor.entries();
    return file;
}

io::UpdateRecord update(const char* name, Count entries)
{
    io::UpdateRecord record;
    record.fileName = name;
    record.entries = entries;
    return record;
}

std::string refusal(const io::ModelFile& file, const OpenTensorPtr& runs, const std::vector<OpenTensorPtr>& batches)
{
    kernels::Progress progress;
    try {
        oldEntriesFor(file, runs, batches, progress);
    } catch (const kernels::Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

/// All that a model was made from and has learnt since, put together for passes.
class TestOldEntries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allOfThemInTheirOrder()
    {
        const OpenTensorPtr runs = opened("first", 5);
        io::ModelFile file = modelOf(*runs);
        file.updates = {update("monday", 3), update("", 0), update("tuesday", 2)}; // passes between them
        kernels::Progress progress;
        const OldEntries old = oldEntriesFor(file, runs, {opened("tuesday", 2, 100.1, true), opened("monday", 3, 10)}, progress);
        QCOMPARE(old.train.entries(), Count{10});
        QVERIFY(old.train.hasDoubleValues() && !old.train.sorted);
        const std::vector<double> expected{1, 2, 3, 4, 5, 100.1, 101.1, 10, 11, 12};
        for (Count e = 0; e < 10; ++e)
            QCOMPARE(old.train.value(e), expected[e]);
        for (unsigned n = 0; n < 3; ++n)
            QCOMPARE(old.train.indices[n].size(), std::size_t{10});
        old.train.check();
        QVERIFY(old.untested.empty());
    }

    /// The sums of their numbers are the same in all of these.
    void filesOfOtherNumbersAreRefused()
    {
        const OpenTensorPtr runs = opened("first", 5);
        io::ModelFile file = modelOf(*runs);
        file.updates = {update("monday", 3), update("tuesday", 2)};
        QCOMPARE(refusal(file, runs, {opened("tuesday", 2), opened("monday", 3)}), std::string());
        const std::string swapped = refusal(file, runs, {opened("tuesday", 3), opened("monday", 2)});
        QVERIFY2(swapped.starts_with("tuesday: ")
                     && swapped.find("found 3 entries, others than when it was learnt, expected monday, tuesday") != std::string::npos,
                 swapped.c_str());
        const std::string another = refusal(file, runs, {opened("monday", 3), opened("wednesday", 2)});
        QVERIFY2(another.starts_with("wednesday: ") && another.find("expected tuesday") != std::string::npos, another.c_str());
        const std::string one = refusal(file, runs, {opened("monday", 3)});
        QVERIFY2(one.starts_with("tuesday: ") && one.find("found no file given for it, expected 2 entries") != std::string::npos,
                 one.c_str());
    }

    /// A file that has had a group added has other bytes than when its first one was learnt: groups are told by name and number then.
    void groupsOfAFileThatGrewAreTaken()
    {
        const OpenTensorPtr runs = opened("first", 5);
        io::ModelFile file = modelOf(*runs);
        for (const char* const name : {"data.h5:/day1", "data.h5:/day2"}) {
            file.updates.push_back(update(name, 3));
            file.updates.back().sha256 = std::string("when ") + name + " was all";
        }
        const OpenTensorPtr day1 = opened("data.h5:/day1", 3), day2 = opened("data.h5:/day2", 3);
        QCOMPARE(refusal(file, runs, {day1, day2}), std::string());
        QVERIFY(!refusal(file, runs, {day1, opened("data.h5:/day3", 3)}).empty());
        file.updates.back() = update("monday", 3);
        file.updates.back().sha256 = "another file's";
        const std::string other = refusal(file, runs, {day1, opened("monday", 3)});
        QVERIFY2(other.find("found 3 entries, others than when it was learnt, expected monday") != std::string::npos, other.c_str());
    }

    /// Where memory is promised freely no copy throws: it is asked for before.
    void memoryIsAskedForFirst()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory does not fit the limit that is set here");
#endif
        const OpenTensorPtr runs = opened("first", 4'000'000), batch = opened("monday", 4'000'000);
        io::ModelFile file = modelOf(*runs);
        file.updates = {update("monday", 4'000'000)};
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_AS, &before), 0);
        rlimit limited = before;
        limited.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (std::uint64_t{200} << 20);
        QCOMPARE(setrlimit(RLIMIT_AS, &limited), 0); // 122 MiB of entries, 61 of the batch and 61 of a column
        std::uint64_t needed = 0;
        kernels::Progress progress;
        try {
            oldEntriesFor(file, runs, {batch}, progress);
        } catch (const kernels::OutOfMemory& error) {
            needed = error.bytesNeeded();
        } catch (const std::bad_alloc&) {
            needed = 1;
        }
        QCOMPARE(setrlimit(RLIMIT_AS, &before), 0);
        QCOMPARE(needed, std::uint64_t{4'000'000} * (3 * 16 + 2 * 8));
    }
};

QTEST_GUILESS_MAIN(TestOldEntries)
#include "tst_old_entries.moc"
