// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/device/communicator.h"
#include "kernels/device/crew.h"
#include "kernels/models/model.h"
#include "kernels/tensor/grid.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace kernels {

/// Devices that share a run: for each a thread, a tile of the entries and its part of every mode's rows, by a grid; and sums for rows that
/// several have. A back end of several devices has one, and for each of them a back end that knows nothing of the others.
class TileGroup {
public:
    explicit TileGroup(std::vector<DeviceId>);

    unsigned size() const { return static_cast<unsigned>(m_devices.size()); }
    const DeviceId& device(unsigned member) const { return m_devices[member]; }

    /// Deals the entries out. counts: [mode][index] of those to learn from.
    void arrange(const SparseTensor& train, const SparseTensor* test, const std::vector<Array<Count>>& counts, const GridCosts&,
                 RunControl&);
    /// After arrange(): members that have the same rows can add up, and where wished all of them. Many GPUs take seconds.
    void connect(RunControl&, bool all = false);

    const Grid& grid() const { return m_grid; }
    const SparseTensor& train(unsigned member) const { return m_train[member]; } ///< may have no entries
    bool tests() const { return !m_test.empty(); }
    const SparseTensor& test(unsigned member) const { return m_test[member]; }
    std::uint64_t tileBytes() const;
    /// Of the device that has most to hold, and of the host for all of them.
    template <class Members> MemoryUse memoryOf(const Members& members) const
    {
        MemoryUse use{0, tileBytes()};
        for (const auto& member : members) {
            const MemoryUse own = member->memoryUse();
            use.deviceBytes = std::max(use.deviceBytes, own.deviceBytes);
            use.hostBytes += own.hostBytes;
        }
        return use;
    }

    /// Every member does a task, and all of them come to its end (kernels/device/crew.h).
    void together(RunControl& control, const Crew::Task& task) const { m_crew.together(control, task); }
    template <class Part>
    std::vector<Part> ofMembers(RunControl& control, const std::function<Part(unsigned member, RunControl&)>& ask) const
    {
        std::vector<Part> parts(size());
        m_crew.together(control, [&](unsigned member, RunControl& own) { parts[member] = ask(member, own); });
        return parts;
    }
    /// Of those that speak for a mode's rows, each part of them once; of the others what an empty one is.
    template <class Part>
    std::vector<Part> ofSpeakers(unsigned mode, RunControl& control, const std::function<Part(unsigned member, RunControl&)>& ask) const
    {
        return ofMembers<Part>(control,
                               [&](unsigned member, RunControl& own) { return speaksFor(mode, member) ? ask(member, own) : Part{}; });
    }

    /// Whether others have this mode's rows, too: of all members alike.
    bool sharesRows(unsigned mode) const { return m_ranks[mode].front() != nullptr; }
    /// Whether it is the first of those that have the same rows.
    bool speaksFor(unsigned mode, unsigned member) const { return m_grid.havers(mode, m_grid.partOf(member, mode)).front() == member; }

    /// Does it unless there was a problem before.
    static void attempt(std::exception_ptr& problem, const std::function<void()>& step);
    /// Within a task of all members: what each of them makes for a mode's rows becomes the sum over those that have the same rows. Also a
    /// member with a problem comes to where all meet, or the others would wait for it: they add up all or none, and false tells that none
    /// goes on.
    bool addUp(unsigned mode, unsigned member, std::exception_ptr& problem, const std::function<std::vector<SharedNumbers>()>& make) const;
    /// The same in parts, of which one is added up while the member makes the next.
    using MakePart = std::function<std::vector<SharedNumbers>(unsigned part)>;
    bool addUpParts(unsigned mode, unsigned member, std::exception_ptr& problem, unsigned parts, const MakePart& make) const;

    /// The same of several modes at once, [mode], no numbers where nothing is to be added up, and of what all members have, whichever
    /// rows are theirs; for the latter connect(all) was told.
    using MakeSeveral = std::function<void(std::vector<SharedNumbers>& ofModes, std::vector<SharedNumbers>& ofAll)>;
    bool addUpSeveral(unsigned member, std::exception_ptr& problem, const MakeSeveral& make) const;
    /// Within a task that all members come to the end of: false for all where one has a problem.
    bool meet(bool well) const { return m_crew.meet(well); }

    /// The rows of a mode, from those who speak for them.
    Matrix stacked(unsigned mode, const std::function<const Matrix&(unsigned member)>& ofMember) const;
    /// All factors, and the first one's cores, from one member's model after another: no more than one lies beside what they are put
    /// together in.
    Model stackedModel(const std::function<Model(unsigned member)>& ofMember) const;
    /// A member's rows of a mode, or of a model's modes.
    Matrix partOf(unsigned mode, unsigned member, const Matrix& whole, RunControl&) const;
    Model partOf(unsigned member, const Model& whole, RunControl&) const;

private:
    static void attemptToo(std::exception_ptr& problem, const std::function<void()>& step);
    Model unfilled(const Model& part) const;
    void putInto(Matrix& whole, unsigned mode, unsigned member, const Matrix& part) const;

    std::vector<DeviceId> m_devices;
    Grid m_grid;
    std::vector<SparseTensor> m_train, m_test; ///< [member]; no test entries: empty
    std::vector<std::unique_ptr<Communicator>> m_communicators;
    std::vector<std::vector<Communicator*>> m_ranks; ///< [mode][member]; null where no other member has its rows
    std::vector<Communicator*> m_all; ///< [member], where wished
    mutable Crew m_crew; // last: its threads end before what they use
};

/// Threads of the CPU for each of so many, of so many for all; 0: as many as the machine has.
unsigned threadsOfMember(unsigned threads, std::size_t members);

/// For estimates: what the fullest of so many devices has of it, a little above an equal share of the entries and maybe all rows.
ProblemShape fullestTile(const ProblemShape&, std::size_t devices);
/// Of all tiles together.
std::uint64_t tileBytes(const ProblemShape&);

} // namespace kernels
