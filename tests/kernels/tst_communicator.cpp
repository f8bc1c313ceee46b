// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/communicator.h"
#include "kernels/device/crew.h"
#include "kernels/device/thread_ranks.h"

#include <QtTest>

#include <array>
#include <atomic>
#include <cstring>

using namespace kernels;

namespace {

std::vector<std::unique_ptr<Communicator>> ranksOnCpu(unsigned size) { return makeCommunicators(std::vector<DeviceId>(size, DeviceId{})); }

/// Numbers whose sum depends on the order they are added in.
template <class T> std::vector<T> numbersOf(unsigned rank, std::size_t count)
{
    std::vector<T> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = T(1) / T(1 + rank * 7 + i % 13) * T(rank % 2 ? 1e5 : 1);
    return numbers;
}

/// Memory that fails when it is told to.
class FailingMemory final : public SharedMemory {
public:
    explicit FailingMemory(const bool& fails)
        : m_fails(fails)
    {
    }
    void addUp(std::span<void* const> arrays, Count, Count, Precision) override { copy(arrays[0], arrays[0], 0); }
    void copy(void*, const void*, Count) override
    {
        if (m_fails)
            throw Error(ErrorKind::Device, "this memory is lost");
    }

private:
    const bool& m_fails;
};

/// What each rank is left with.
std::vector<std::string> problemsOf(Crew& crew, unsigned size, const std::function<void(unsigned rank)>& call)
{
    std::vector<std::string> problems(size);
    crew.together([&](unsigned rank) {
        try {
            call(rank);
        } catch (const OtherRankFailed&) {
            problems[rank] = "other";
        } catch (const Error& error) {
            problems[rank] = error.what();
        }
    });
    return problems;
}

} // namespace

/// Ranks of one process, a thread each.
class CommunicatorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAreTheSameEverywhere_data()
    {
        QTest::addColumn<unsigned>("size");
        for (const unsigned size : {1U, 2U, 3U, 4U, 6U, 7U})
            QTest::addRow("%u", size) << size;
    }
    /// And added in the order of ranks, whoever comes first: the same bits every time.
    void sumsAreTheSameEverywhere()
    {
        QFETCH(unsigned, size);
        const auto ranks = ranksOnCpu(size);
        Crew crew(size);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{10007}}) {
            std::vector<std::vector<float>> floats;
            std::vector<std::vector<double>> doubles;
            for (unsigned rank = 0; rank < size; ++rank) {
                floats.push_back(numbersOf<float>(rank, count));
                doubles.push_back(numbersOf<double>(rank, count + 3));
            }
            std::vector<float> floatSums = floats.front();
            std::vector<double> doubleSums = doubles.front();
            for (unsigned rank = 1; rank < size; ++rank) {
                for (std::size_t i = 0; i < count; ++i)
                    floatSums[i] += floats[rank][i];
                for (std::size_t i = 0; i < count + 3; ++i)
                    doubleSums[i] += doubles[rank][i];
            }
            crew.together([&](unsigned rank) {
                QCOMPARE(ranks[rank]->rank(), rank);
                QCOMPARE(ranks[rank]->size(), size);
                ranks[rank]->allReduce(std::array{SharedNumbers{floats[rank].data(), count, Precision::Fp32},
                                                  SharedNumbers{doubles[rank].data(), count + 3, Precision::Fp64}});
            });
            for (unsigned rank = 0; rank < size; ++rank) {
                QVERIFY(floats[rank] == floatSums);
                QVERIFY(doubles[rank] == doubleSums);
            }
        }
    }

    void theRootsMemoryIsEverywhere()
    {
        constexpr unsigned size = 5;
        const auto ranks = ranksOnCpu(size);
        Crew crew(size);
        for (unsigned root = 0; root < size; ++root) {
            std::vector<std::vector<double>> numbers;
            for (unsigned rank = 0; rank < size; ++rank)
                numbers.push_back(numbersOf<double>(rank, 100));
            const std::vector<double> expected = numbers[root];
            crew.together([&](unsigned rank) { ranks[rank]->broadcast(numbers[rank].data(), 100 * sizeof(double), root); });
            for (unsigned rank = 0; rank < size; ++rank)
                QVERIFY(numbers[rank] == expected);
        }
    }

    void nobodyPassesABarrierAlone()
    {
        constexpr unsigned size = 4;
        const auto ranks = ranksOnCpu(size);
        Crew crew(size);
        std::atomic<unsigned> come{0}, early{0};
        crew.together([&](unsigned rank) {
            for (unsigned round = 1; round <= 200; ++round) {
                ++come;
                ranks[rank]->barrier();
                if (come < round * size)
                    ++early;
                ranks[rank]->barrier();
            }
        });
        QCOMPARE(early.load(), 0U);
    }

    /// Rows and columns of a grid: a rank belongs to one of each.
    void groupsDoNotDisturbEachOther()
    {
        const std::vector<std::unique_ptr<Communicator>> rows[] = {ranksOnCpu(3), ranksOnCpu(3)};
        const std::vector<std::unique_ptr<Communicator>> columns[] = {ranksOnCpu(2), ranksOnCpu(2), ranksOnCpu(2)};
        Crew crew(6);
        std::vector<double> ofRow(6), ofColumn(6);
        crew.together([&](unsigned rank) {
            const unsigned row = rank / 3, column = rank % 3;
            for (unsigned round = 0; round < 50; ++round) {
                ofRow[rank] = ofColumn[rank] = rank;
                rows[row][column]->allReduce(std::array{SharedNumbers{&ofRow[rank], 1, Precision::Fp64}});
                columns[column][row]->allReduce(std::array{SharedNumbers{&ofColumn[rank], 1, Precision::Fp64}});
            }
        });
        QVERIFY(ofRow == std::vector<double>({3, 3, 3, 12, 12, 12}));
        QVERIFY(ofColumn == std::vector<double>({3, 5, 7, 3, 5, 7}));
    }

    /// Whichever it is, and the next call is as any other.
    void aRankThatFailsFreesTheOthers()
    {
        constexpr unsigned size = 4;
        std::array<bool, size> fails{};
        std::vector<std::unique_ptr<SharedMemory>> memories;
        for (const bool& each : fails)
            memories.push_back(std::make_unique<FailingMemory>(each));
        const auto ranks = makeThreadRanks(std::move(memories));
        Crew crew(size);
        std::array<double, 8> numbers{};
        for (unsigned guilty = 0; guilty < size; ++guilty) {
            const std::function<void(unsigned)> calls[] = {
                [&](unsigned rank) {
                    ranks[rank]->allReduce(std::array{SharedNumbers{numbers.data(), numbers.size(), Precision::Fp64}});
                },
                [&](unsigned rank) { ranks[rank]->broadcast(numbers.data(), sizeof(numbers), (guilty + 1) % size); }};
            std::vector<std::string> expected(size, "other");
            expected[guilty] = "this memory is lost";
            for (const auto& call : calls) {
                fails[guilty] = true;
                QVERIFY(problemsOf(crew, size, call) == expected);
                fails[guilty] = false;
                QVERIFY(problemsOf(crew, size, call) == std::vector<std::string>(size));
            }
        }
    }

    /// Rather than reading past the end of what another has.
    void ranksThatDisagreeAreTold()
    {
        const auto ranks = ranksOnCpu(3);
        Crew crew(3);
        std::vector<std::vector<double>> numbers(3, std::vector<double>(10, 1.0));
        const auto add = [&](Count ofLast, Precision type) {
            return problemsOf(crew, 3, [&](unsigned rank) {
                ranks[rank]->allReduce(
                    std::array{SharedNumbers{numbers[rank].data(), rank < 2 ? 10 : ofLast, rank < 2 ? Precision::Fp64 : type}});
            });
        };
        const std::vector<std::string> told(3, "ranks add up different things");
        QVERIFY(add(9, Precision::Fp64) == told);
        QVERIFY(add(10, Precision::Fp32) == told);
        QVERIFY(numbers[0] == std::vector<double>(10, 1.0));
        QVERIFY(add(10, Precision::Fp64) == std::vector<std::string>(3));
        QVERIFY(numbers[2] == std::vector<double>(10, 3.0));
    }

    void aCrewTellsWhatWentWrong()
    {
        Crew crew(4);
        RunControl control;
        QVERIFY_THROWS_EXCEPTION(Error, crew.together(control, [](unsigned member, RunControl&) {
            if (member == 1)
                throw Cancelled{};
            if (member == 2)
                throw Error(ErrorKind::Device, "lost");
        }));
        std::atomic<unsigned> well{0};
        crew.together(control, [&](unsigned, RunControl&) { ++well; }); // it can be used on
        QCOMPARE(well.load(), 4U);
    }

    /// Whoever comes first, and whatever others gave up with meanwhile.
    void aCrewTellsTheCause()
    {
        Crew crew(4);
        for (unsigned guilty = 0; guilty < 4; ++guilty) {
            QString told;
            try {
                crew.together([&](unsigned member) {
                    if (member == guilty)
                        throw Error(ErrorKind::OutOfMemory, "the cause");
                    if (member == (guilty + 1) % 4)
                        throw Cancelled{};
                    throw OtherRankFailed(ErrorKind::Device, "another");
                });
            } catch (const std::exception& e) {
                told = QString::fromUtf8(e.what());
            }
            QCOMPARE(told, QStringLiteral("the cause"));
        }
        QVERIFY_THROWS_EXCEPTION(OtherRankFailed, crew.together([](unsigned member) {
            if (member < 3)
                throw Cancelled{};
            throw OtherRankFailed(ErrorKind::Device, "another");
        }));
    }

    /// They are at work for hours otherwise.
    void aFailureEndsTheWorkOfOthers()
    {
        Crew crew(3);
        RunControl control;
        std::atomic<unsigned> stopped{0};
        const auto begin = std::chrono::steady_clock::now();
        QVERIFY_THROWS_EXCEPTION(Error, crew.together(control, [&](unsigned member, RunControl& own) {
            if (member == 1)
                throw Error(ErrorKind::Device, "lost");
            try {
                while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
                    own.checkpoint();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            } catch (const Cancelled&) {
                ++stopped;
                throw;
            }
        }));
        QCOMPARE(stopped.load(), 2U);
        crew.together(control, [](unsigned, RunControl& own) { own.checkpoint(); }); // the next task is not stopped
    }

    /// Those who come well to where all meet are told of one who does not, and wait for nobody.
    void aMeetingIsOfAllOrNone()
    {
        Crew crew(4);
        std::atomic<unsigned> told{0};
        for (unsigned round = 0; round < 100; ++round)
            crew.together([&](unsigned member) {
                if (crew.meet(member != round % 4) || !crew.meet(true))
                    ++told;
            });
        QCOMPARE(told.load(), 0U);
    }

    void aStopReachesAllMembers()
    {
        Crew crew(3);
        RunControl control;
        std::atomic<unsigned> at{0};
        const auto wait = [&](unsigned, RunControl& own) {
            ++at;
            while (true) {
                own.checkpoint();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        };
        std::thread person([&] {
            while (at < 3)
                std::this_thread::yield();
            control.stop();
        });
        QVERIFY_THROWS_EXCEPTION(Cancelled, crew.together(control, wait));
        person.join();
    }

    /// They stand still while the run does, and its clock knows.
    void aPauseReachesAllMembers()
    {
        Crew crew(3);
        RunControl control;
        std::atomic<bool> resumed{false};
        std::atomic<unsigned> at{0}, moved{0};
        std::thread person([&] {
            while (at < 3)
                std::this_thread::yield();
            control.pause();
            while (!control.isPaused())
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(30)); // the members come to their checkpoints meanwhile
            const unsigned before = moved;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            if (moved != before)
                ++at; // told by the count below
            resumed = true;
            control.resume();
        });
        crew.together(control, [&](unsigned, RunControl& own) {
            ++at;
            while (!resumed) {
                own.checkpoint();
                ++moved;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        person.join();
        QCOMPARE(at.load(), 3U);
        QVERIFY(control.pausedSeconds() >= 0.05);
    }
};

QTEST_GUILESS_MAIN(CommunicatorTest)
#include "tst_communicator.moc"
