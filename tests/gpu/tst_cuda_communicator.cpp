// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_array.h"
#include "gpu.h"
#include "shared_gpu.h"

#include "kernels/base/error.h"
#include "kernels/device/communicator.h"
#include "kernels/device/crew.h"

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

using namespace kernels;

namespace {

/// Numbers whose sum depends on the order they are added in.
template <class T> std::vector<T> numbersOf(unsigned rank, std::size_t count)
{
    std::vector<T> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = T(1) / T(1 + rank * 7 + i % 13) * T(rank % 2 ? 1e5 : 1);
    return numbers;
}

template <class T> using Arrays = std::vector<std::unique_ptr<test::DeviceArray<T>>>; ///< [rank]

template <class T> Arrays<T> arraysOf(const test::Driver& driver, unsigned ranks, std::size_t count)
{
    Arrays<T> arrays;
    for (unsigned rank = 0; rank < ranks; ++rank)
        arrays.push_back(std::make_unique<test::DeviceArray<T>>(driver, numbersOf<T>(rank, count)));
    return arrays;
}

/// On the host, in the order of ranks.
template <class T> std::vector<T> sumOf(unsigned ranks, std::size_t count)
{
    std::vector<T> sum = numbersOf<T>(0, count);
    for (unsigned rank = 1; rank < ranks; ++rank) {
        const std::vector<T> more = numbersOf<T>(rank, count);
        for (std::size_t i = 0; i < count; ++i)
            sum[i] += more[i];
    }
    return sum;
}

} // namespace

/// Ranks that share one GPU, a thread each; several GPUs are tried by tst_cuda_group.
class CudaCommunicatorTest : public QObject {
    Q_OBJECT

    std::optional<test::Driver> m_driver;

    static std::vector<std::unique_ptr<Communicator>> ranks(unsigned count) { return makeCommunicators(test::sharedGpu(count)); }

private Q_SLOTS:
    void initTestCase()
    {
        POLYAD_NEEDS_GPU();
        m_driver.emplace(test::sharedGpu(1).front().index);
    }
    void init() { m_driver->enter(); } // whatever was made before, the main thread has the device

    void sumsAreTheHosts_data()
    {
        QTest::addColumn<unsigned>("size");
        for (const unsigned size : {1U, 2U, 3U, 4U, 7U, 16U})
            QTest::addRow("%u", size) << size;
    }
    /// Bit for bit: additions alone, in the order of ranks.
    void sumsAreTheHosts()
    {
        QFETCH(unsigned, size);
        const auto group = ranks(size);
        Crew crew(size);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{10007}, std::size_t{600011}}) {
            const Arrays<float> floats = arraysOf<float>(*m_driver, size, count);
            const Arrays<double> doubles = arraysOf<double>(*m_driver, size, count + 3);
            crew.together([&](unsigned rank) {
                QCOMPARE(group[rank]->rank(), rank);
                QCOMPARE(group[rank]->size(), size);
                group[rank]->allReduce(std::array{SharedNumbers{floats[rank]->data(), count, Precision::Fp32},
                                                  SharedNumbers{doubles[rank]->data(), count + 3, Precision::Fp64}});
            });
            const std::vector<float> floatSums = sumOf<float>(size, count);
            const std::vector<double> doubleSums = sumOf<double>(size, count + 3);
            for (unsigned rank = 0; rank < size; ++rank) {
                QVERIFY(floats[rank]->get() == floatSums);
                QVERIFY(doubles[rank]->get() == doubleSums);
            }
        }
    }

    /// One sum right behind another: each begins with what all made of the one before.
    void sumsOfSumsAreExact()
    {
        constexpr unsigned size = 4, rounds = 100;
        const auto group = ranks(size);
        const std::size_t count = 3001;
        Arrays<double> arrays;
        for (unsigned rank = 0; rank < size; ++rank)
            arrays.push_back(std::make_unique<test::DeviceArray<double>>(*m_driver, std::vector<double>(count, 1.0)));
        Crew crew(size);
        crew.together([&](unsigned rank) {
            for (unsigned round = 0; round < rounds; ++round)
                group[rank]->allReduce(std::array{SharedNumbers{arrays[rank]->data(), count, Precision::Fp64}});
        });
        for (const auto& array : arrays)
            QVERIFY(array->get() == std::vector<double>(count, std::ldexp(1.0, 2 * rounds))); // 4^rounds, a power of two
    }

    /// Each of them behind what its rank's GPU was asked for before.
    void sumsWaitForWhatIsUnderWay()
    {
        constexpr unsigned size = 3, parts = 4;
        const auto group = ranks(size);
        const std::size_t count = std::size_t{1} << 22;
        std::vector<Arrays<float>> made; // [part]
        Arrays<float> sources;
        for (unsigned part = 0; part < parts; ++part)
            made.push_back(arraysOf<float>(*m_driver, size, count));
        for (unsigned rank = 0; rank < size; ++rank)
            sources.push_back(std::make_unique<test::DeviceArray<float>>(*m_driver, std::vector<float>(count, float(rank + 1))));
        Crew crew(size);
        crew.together([&](unsigned rank) {
            test::LateCopies copies(*m_driver);
            for (unsigned part = 0; part < parts; ++part) {
                void* const ready = copies.copy(made[part][rank]->data(), sources[rank]->data(), count * sizeof(float));
                group[rank]->beginAllReduce(std::array{SharedNumbers{made[part][rank]->data(), count, Precision::Fp32, ready}});
            }
            group[rank]->finish();
        });
        for (const Arrays<float>& part : made)
            for (const auto& array : part)
                QVERIFY(array->get() == std::vector<float>(count, 6.F));
    }

    void theRootsMemoryIsEverywhere()
    {
        constexpr unsigned size = 3;
        const auto group = ranks(size);
        Crew crew(size);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100003}})
            for (unsigned root = 0; root < size; ++root) {
                Arrays<unsigned char> arrays;
                for (unsigned rank = 0; rank < size; ++rank)
                    arrays.push_back(std::make_unique<test::DeviceArray<unsigned char>>(
                        *m_driver, std::vector<unsigned char>(count, static_cast<unsigned char>(rank + 1))));
                crew.together([&](unsigned rank) { group[rank]->broadcast(arrays[rank]->data(), count, root); });
                for (const auto& array : arrays)
                    QVERIFY(array->get() == std::vector<unsigned char>(count, static_cast<unsigned char>(root + 1)));
            }
    }

    void nobodyPassesABarrierAlone()
    {
        constexpr unsigned size = 4;
        const auto group = ranks(size);
        Crew crew(size);
        std::atomic<unsigned> come{0}, early{0};
        crew.together([&](unsigned rank) {
            for (unsigned round = 1; round <= 100; ++round) {
                ++come;
                group[rank]->barrier();
                if (come < round * size)
                    ++early;
                group[rank]->barrier();
            }
        });
        QCOMPARE(early.load(), 0U);
    }

    /// Rows and columns of a grid: a rank belongs to one of each.
    void groupsDoNotDisturbEachOther()
    {
        const std::vector<std::unique_ptr<Communicator>> rows[] = {ranks(2), ranks(2)}, columns[] = {ranks(2), ranks(2)};
        Arrays<double> ofRow = arraysOf<double>(*m_driver, 4, 1), ofColumn = arraysOf<double>(*m_driver, 4, 1);
        Crew crew(4);
        for (unsigned round = 0; round < 20; ++round) {
            for (unsigned rank = 0; rank < 4; ++rank) {
                ofRow[rank]->set({double(rank)});
                ofColumn[rank]->set({double(rank)});
            }
            crew.together([&](unsigned rank) {
                const unsigned row = rank / 2, column = rank % 2;
                rows[row][column]->allReduce(std::array{SharedNumbers{ofRow[rank]->data(), 1, Precision::Fp64}});
                columns[column][row]->allReduce(std::array{SharedNumbers{ofColumn[rank]->data(), 1, Precision::Fp64}});
            });
            const double sumsOfRows[] = {1, 1, 5, 5}, sumsOfColumns[] = {2, 4, 2, 4};
            for (unsigned rank = 0; rank < 4; ++rank) {
                QCOMPARE(ofRow[rank]->get().front(), sumsOfRows[rank]);
                QCOMPARE(ofColumn[rank]->get().front(), sumsOfColumns[rank]);
            }
        }
    }

    /// All leave the call, nothing was added, and the group works on.
    void ranksThatDisagreeAreTold()
    {
        constexpr unsigned size = 3;
        const auto group = ranks(size);
        const Arrays<double> arrays = arraysOf<double>(*m_driver, size, 100);
        Crew crew(size);
        const auto add = [&](unsigned odd) {
            std::atomic<unsigned> told{0};
            crew.together([&](unsigned rank) {
                try {
                    group[rank]->allReduce(std::array{SharedNumbers{arrays[rank]->data(), rank == odd ? 99U : 100U, Precision::Fp64}});
                } catch (const Error&) {
                    ++told;
                }
            });
            return told.load();
        };
        for (unsigned odd = 0; odd < size; ++odd)
            QCOMPARE(add(odd), size);
        for (unsigned rank = 0; rank < size; ++rank)
            QVERIFY(arrays[rank]->get() == numbersOf<double>(rank, 100));
        QCOMPARE(add(size), 0U);
        QVERIFY(arrays.back()->get() == sumOf<double>(size, 100));
    }

    void tooManyRanksAreRefused() { QVERIFY_THROWS_EXCEPTION(Error, ranks(17)); }
};

QTEST_GUILESS_MAIN(CudaCommunicatorTest)
#include "tst_cuda_communicator.moc"
