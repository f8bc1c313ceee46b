// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "shared_gpu.h"

#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "support/cp_als_groups.h"

#include <chrono>
#include <thread>

using namespace kernels;
using namespace test::cp_als;
using test::sharedGpu;
using test::ntf::GroupShape;
using test::ntf::groupShapes;
using test::ntf::positiveTensor;

namespace {

/// Of fp64 after four sweeps: up to 7e-11 was seen, where a giant row or very short modes leave equations that are nearly singular.
constexpr double roundings = 1e-9;

} // namespace

/// Several ranks on a GPU are one, up to rounding; several GPUs where there are any.
class CudaCpAlsGroupTest : public QObject {
    Q_OBJECT

    /// Empty where they agree.
    static QString otherThanOne(const Setting& setting, const std::vector<DeviceId>& group, const SparseTensor& train,
                                const SparseTensor* held, double tolerance)
    {
        const QString problem = difference(setting, sharedGpu(1), group, train, held, tolerance);
        return problem.isEmpty() ? problem
                                 : QStringLiteral("%1, %2 ranks: %3").arg(QString::fromUtf8(setting.format)).arg(group.size()).arg(problem);
    }

private Q_SLOTS:
    void initTestCase() { POLYAD_NEEDS_GPU(); }

    void severalAreOne_data()
    {
        QTest::addColumn<std::size_t>("shape");
        for (std::size_t i = 0; i < groupShapes().size(); ++i)
            QTest::newRow(groupShapes()[i].name) << i;
    }
    /// Two to five modes, rows that hold most entries, ranks that have none.
    void severalAreOne()
    {
        QFETCH(std::size_t, shape);
        const GroupShape of = groupShapes()[shape];
        const SparseTensor train = positiveTensor(of.dims, of.entries, 41, false, of.shareOfFirst), held = positiveTensor(of.dims, 7, 42);
        Setting settings[3], formats[3], singles;
        settings[0].start = "nvecs";
        settings[1].evaluateEvery = 100;
        settings[2].rank = 1;
        formats[1].format = "csf";
        formats[2].format = "auto";
        singles.precision = Precision::Fp32;
        for (const std::size_t count : {2, 3, 4}) { // by turns: loading takes a GPU far longer than sweeps do
            const std::size_t turn = (shape + count) % 3;
            QString problem = otherThanOne(formats[turn], sharedGpu(count), train, &held, roundings);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            problem = otherThanOne(settings[turn], sharedGpu(count), train, nullptr, roundings);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            if (of.shareOfFirst != 0.1)
                continue; // equations of few entries make more of single precision's roundings
            problem = otherThanOne(singles, sharedGpu(count), train, &held, 2e-2);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// Whatever the entries are laid out in, also by a rank that has none of them.
    void everyFormatIsOne()
    {
        const SparseTensor giant = positiveTensor({13, 11, 9}, 400, 53, false, 0.95), few = positiveTensor({30, 20, 10}, 3, 54);
        for (const std::string& format : mttkrp::cudaFormats())
            for (const SparseTensor* const train : {&giant, &few}) {
                Setting setting;
                setting.format = format.c_str();
                const QString problem = otherThanOne(setting, sharedGpu(4), *train, nullptr, roundings);
                QVERIFY2(problem.isEmpty(), qPrintable(problem));
            }
    }

    /// Enough rows and columns for every block of the dense products, and tensor cores; sums of 10⁵ numbers.
    void manyEntriesAreOne()
    {
        const SparseTensor train = positiveTensor({3000, 2000, 300}, 300000, 55), held = positiveTensor({3000, 2000, 300}, 3000, 56);
        for (const Precision precision : {Precision::Fp64, Precision::Fp32, Precision::Tf32}) {
            if (!algorithm("cp-als").supports({"als", "runs", precision, sharedGpu(1).front()}))
                continue; // tf32 on an old GPU
            Setting setting;
            setting.precision = precision;
            setting.rank = 70;
            const QString problem = otherThanOne(setting, sharedGpu(3), train, &held, precision == Precision::Fp64 ? roundings : 2e-2);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// By NCCL.
    void severalGpusAreOne()
    {
        if (test::usableGpus().size() < 2)
            QSKIP("needs two GPUs");
        const SparseTensor train = positiveTensor({3000, 2000, 300}, 300000, 57), held = positiveTensor({3000, 2000, 300}, 3000, 58);
        for (const char* const format : {"runs", "auto"}) {
            Setting setting;
            setting.format = format;
            setting.rank = 17;
            const QString problem = otherThanOne(setting, test::usableGpus(), train, &held, roundings);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    /// The same bits, whichever thread came first.
    void twoRunsAreTheSame()
    {
        const SparseTensor train = positiveTensor({400, 300, 200}, 30000, 43);
        Setting setting;
        setting.precision = Precision::Fp32;
        setting.rank = 9;
        setting.deterministic = true;
        for (const char* const format : {"runs", "csf"})
            for (const std::size_t count : {2, 4}) {
                setting.format = format;
                const Prepared first(configOf(setting, sharedGpu(count), train.dims()), train),
                    second(configOf(setting, sharedGpu(count), train.dims()), train);
                RunControl control;
                for (unsigned t = 0; t < 4; ++t) {
                    first->iterate(t, control);
                    second->iterate(t, control);
                    QCOMPARE(first->evaluate(control).objective, second->evaluate(control).objective);
                }
                QCOMPARE(apart(first->model(Snapshot::Latest), second->model(Snapshot::Latest)), 0.0);
            }
    }

    /// A run that goes on where another stopped is the run that did not stop; also with another number of ranks, or on the CPU.
    void aRunGoesOnElsewhere()
    {
        const SparseTensor train = positiveTensor({13, 11, 9}, 400, 44);
        Setting setting;
        setting.deterministic = true;
        const auto on = [&](const std::vector<DeviceId>& devices) { return Prepared(configOf(setting, devices, train.dims()), train); };
        const Prepared from = on(sharedGpu(3)), same = on(sharedGpu(3)), other = on(sharedGpu(2)), host = on({DeviceId{}});
        RunControl control;
        from->iterate(0, control);
        from->iterate(1, control);
        for (const auto& to : {same.get(), other.get(), host.get()}) {
            to->restoreState(from->saveState(), control);
            QCOMPARE(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)), 0.0);
        }
        from->iterate(2, control);
        for (const auto& to : {same.get(), other.get(), host.get()}) {
            to->iterate(2, control);
            QVERIFY(apart(to->model(Snapshot::Latest), from->model(Snapshot::Latest)) <= (to == same.get() ? 0.0 : roundings));
        }
    }

    /// Wherever each of the ranks is then; nobody waits for one that left.
    void aStopEndsAllRanks()
    {
        const SparseTensor train = positiveTensor({3000, 2000, 100}, 600000, 45);
        Setting setting;
        setting.precision = Precision::Fp32;
        setting.rank = 64;
        const RunConfig config = configOf(setting, sharedGpu(3), train.dims());
        for (const int afterMs : {0, 30, 100, 400}) {
            RunControl control;
            std::thread person([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
                control.stop();
            });
            bool left = false;
            try {
                const auto solver = algorithm("cp-als").makeSolver({config, train, nullptr});
                solver->prepare(control);
                for (unsigned t = 0;; ++t) {
                    solver->iterate(t, control);
                    (void)solver->evaluate(control);
                }
            } catch (const Cancelled&) {
                left = true;
            }
            person.join();
            QVERIFY(left);
        }
    }

    /// Each of the ranks from the host, piece by piece.
    void entriesThatDoNotFitStream()
    {
        const SparseTensor train = positiveTensor({900, 700, 100}, 600000, 50);
        const ProblemShape shape{train.dims(), train.entries(), 0, 8};
        Setting setting;
        setting.format = "blco";
        RunConfig config = configOf(setting, sharedGpu(3), train.dims());
        config.memoryLimit = algorithm("cp-als").estimateMemory(config, shape).deviceBytes * 2 / 3;
        const Prepared several(config, train), one(configOf(setting, sharedGpu(1), train.dims()), train);
        QCOMPARE(several->variantNote(), std::string("entries streamed through the GPU"));
        RunControl control;
        for (unsigned t = 0; t < 2; ++t) {
            several->iterate(t, control);
            one->iterate(t, control);
        }
        QVERIFY(several->memoryUse().deviceBytes <= config.memoryLimit);
        QVERIFY(apart(several->model(Snapshot::Latest), one->model(Snapshot::Latest)) <= roundings);
        QVERIFY(std::abs(several->evaluate(control).train.rmse() - one->evaluate(control).train.rmse()) <= roundings);
    }

    /// Of the rank that has most. A tree is told as if no two of its entries shared a fibre.
    void memoryIsEstimated()
    {
        const SparseTensor train = positiveTensor({30000, 20000, 100}, 600000, 46), held = positiveTensor({30000, 20000, 100}, 60000, 47);
        for (const char* const format : {"runs", "coo", "csf", "auto"})
            for (const std::size_t count : {2, 4}) {
                Setting setting;
                setting.format = format;
                setting.precision = Precision::Fp32;
                setting.rank = 24;
                const RunConfig config = configOf(setting, sharedGpu(count), train.dims());
                const MemoryUse told = algorithm("cp-als").estimateMemory(config, {train.dims(), train.entries(), held.entries(), 8});
                const Prepared solver(config, train, &held);
                RunControl control;
                solver->iterate(0, control);
                const MemoryUse taken = solver->memoryUse();
                QVERIFY2(taken.deviceBytes <= told.deviceBytes && told.deviceBytes < 6 * taken.deviceBytes
                             && taken.hostBytes <= told.hostBytes,
                         qPrintable(QStringLiteral("%1, %2 ranks: %3 taken, %4 told")
                                        .arg(QString::fromUtf8(format))
                                        .arg(count)
                                        .arg(taken.deviceBytes)
                                        .arg(told.deviceBytes)));
            }
    }
};

QTEST_GUILESS_MAIN(CudaCpAlsGroupTest)
#include "tst_cuda_cp_als_group.moc"
