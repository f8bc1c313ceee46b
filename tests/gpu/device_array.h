// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

/// Memory of a GPU for tests of what takes pointers there. Only the CUDA module is linked with CUDA: the driver is asked by name.
namespace test {

class Driver {
public:
    /// Its allocations are where the CUDA module's are: in the device's primary context, which becomes the calling thread's.
    explicit Driver(int device)
    {
        call<int(unsigned)>("cuInit", 0U);
        call<int(void**, int)>("cuDevicePrimaryCtxRetain", &m_context, device);
        enter();
    }
    void enter() const { call<int(void*)>("cuCtxSetCurrent", m_context); }

    template <class Signature, class... Arguments> void call(const char* name, Arguments... arguments) const
    {
        void* const function = m_library ? dlsym(m_library, name) : nullptr;
        if (!function)
            throw std::runtime_error(std::string("the driver has no ") + name);
        if (const int status = reinterpret_cast<Signature*>(function)(arguments...))
            throw std::runtime_error(std::string(name) + " returns " + std::to_string(status));
    }

private:
    void* m_library = dlopen("libcuda.so.1", RTLD_NOW); // never closed: the module has it, too
    void* m_context = nullptr;
};

/// Numbers that are copied there and back.
template <class T> class DeviceArray {
public:
    DeviceArray(const Driver& driver, const std::vector<T>& numbers)
        : m_driver(driver)
        , m_count(numbers.size())
    {
        m_driver.call<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2", &m_at, std::max<std::size_t>(bytes(), 1));
        set(numbers);
    }
    ~DeviceArray()
    {
        try {
            m_driver.call<int(unsigned long long)>("cuMemFree_v2", m_at);
        } catch (const std::exception& e) {
            qWarning("%s", e.what());
        }
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    void set(const std::vector<T>& numbers)
    {
        if (bytes() == 0)
            return;
        m_driver.call<int(unsigned long long, const void*, std::size_t)>("cuMemcpyHtoD_v2", m_at, numbers.data(), bytes());
        m_driver.call<int()>("cuCtxSynchronize"); // it may return while the copy is under way
    }
    std::vector<T> get() const
    {
        std::vector<T> numbers(m_count);
        if (bytes() > 0)
            m_driver.call<int(void*, unsigned long long, std::size_t)>("cuMemcpyDtoH_v2", numbers.data(), m_at, bytes());
        return numbers;
    }
    void* data() const
    {
        void* pointer = nullptr;
        std::memcpy(&pointer, &m_at, sizeof pointer);
        return pointer;
    }

private:
    std::size_t bytes() const { return m_count * sizeof(T); }

    const Driver& m_driver;
    std::size_t m_count;
    unsigned long long m_at = 0;
};

/// Copies within a GPU that come late: some milliseconds of other work before each.
class LateCopies {
public:
    explicit LateCopies(const Driver& driver)
        : m_driver(driver)
    {
        m_driver.enter();
        m_driver.call<int(void**, unsigned)>("cuStreamCreate", &m_stream, 1U); // not the default one's
        m_driver.call<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2", &m_scratch, scratchWords * sizeof(unsigned));
    }
    ~LateCopies()
    {
        try {
            m_driver.call<int(void*)>("cuStreamSynchronize", m_stream);
            for (void* const event : m_events)
                m_driver.call<int(void*)>("cuEventDestroy_v2", event);
            m_driver.call<int(unsigned long long)>("cuMemFree_v2", m_scratch);
            m_driver.call<int(void*)>("cuStreamDestroy_v2", m_stream);
        } catch (const std::exception& e) {
            qWarning("%s", e.what());
        }
    }
    LateCopies(const LateCopies&) = delete;
    LateCopies& operator=(const LateCopies&) = delete;

    /// Returns the event behind which it is done.
    void* copy(void* to, const void* from, std::size_t bytes)
    {
        m_driver.enter();
        for (unsigned i = 0; i < 100; ++i)
            m_driver.call<int(unsigned long long, unsigned, std::size_t, void*)>("cuMemsetD32Async", m_scratch, i, scratchWords, m_stream);
        m_driver.call<int(unsigned long long, unsigned long long, std::size_t, void*)>(
            "cuMemcpyDtoDAsync_v2", reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes, m_stream);
        void* event = nullptr;
        m_driver.call<int(void**, unsigned)>("cuEventCreate", &event, 2U); // no times
        m_events.push_back(event);
        m_driver.call<int(void*, void*)>("cuEventRecord", event, m_stream);
        return event;
    }

private:
    static constexpr std::size_t scratchWords = std::size_t{1} << 24;

    const Driver& m_driver;
    void* m_stream = nullptr;
    unsigned long long m_scratch = 0;
    std::vector<void*> m_events;
};

} // namespace test
