// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_handles.h"

#include "io/error.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace io::hdf5 {
namespace {

/// First come, first served: a plain mutex would let a long read take its next slab before anybody who waits.
class Queue {
public:
    void lock()
    {
        std::unique_lock lock(m_mutex);
        const std::uint64_t ticket = m_nextTicket++;
        m_changed.wait(lock, [&] { return ticket == m_served; });
    }

    void unlock()
    {
        {
            const std::lock_guard lock(m_mutex);
            ++m_served;
        }
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_nextTicket = 0, m_served = 0;
};

Queue& theQueue()
{
    static Queue queue;
    return queue;
}

/// Upwards: the first entry is where it went wrong.
herr_t firstEntry(unsigned, const H5E_error2_t* error, void* text)
{
    auto& to = *static_cast<std::string*>(text);
    if (to.empty() && error->desc)
        to = error->desc;
    return 0;
}

/// Of "file write failed: time = …, errno = 28, error message = 'No space left on device', buf = …" the system's own words.
std::string systemsWords(const std::string& text)
{
    constexpr std::string_view before = "error message = '";
    const auto begin = text.find(before);
    if (begin == std::string::npos)
        return text;
    const auto end = text.find('\'', begin + before.size());
    return text.substr(begin + before.size(), end == std::string::npos ? end : end - begin - before.size());
}

} // namespace

Session::Session()
{
    theQueue().lock();
    // Everything is closed by its handle. HDF5's own tidying at exit would print about what damaged files left open.
    [[maybe_unused]] static const herr_t noTidying = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &m_oldPrinter, &m_oldPrinterData);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
    H5Eclear2(H5E_DEFAULT);
}

Session::~Session()
{
    H5Eset_auto2(H5E_DEFAULT, m_oldPrinter, m_oldPrinterData);
    theQueue().unlock();
}

void Session::giveWay()
{
    theQueue().unlock();
    theQueue().lock();
}

std::string errorStack()
{
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, firstEntry, &text);
    H5Eclear2(H5E_DEFAULT);
    return systemsWords(text);
}

void fail(const std::string& where, const std::string& message, const std::string& hint)
{
    const std::string stack = errorStack();
    throw Error({message, where, stack.empty() ? "" : "HDF5: " + stack, {}, hint});
}

} // namespace io::hdf5
