// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace io::hdf5 {

/// An HDF5 identifier that closes itself.
template <herr_t (*Close)(hid_t)> class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id)
        : m_id(id)
    {
    }
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept
        : m_id(std::exchange(other.m_id, -1))
    {
    }
    Handle& operator=(Handle&& other) noexcept
    {
        if (this != &other) {
            reset();
            m_id = std::exchange(other.m_id, -1);
        }
        return *this;
    }

    explicit operator bool() const { return m_id >= 0; }
    hid_t id() const { return m_id; }
    void reset()
    {
        if (m_id >= 0)
            Close(m_id);
        m_id = -1;
    }

private:
    hid_t m_id = -1;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Object = Handle<H5Oclose>;
using Dataset = Handle<H5Dclose>;
using Attribute = Handle<H5Aclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Properties = Handle<H5Pclose>;

/// Every HDF5 call of the program happens while one of these lives: the library is entered by one thread at
/// a time, in the order they came. It also keeps the library from printing, and from loading filter plug-ins.
class Session {
public:
    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Lets threads that wait take their turn; called between slabs of a long read or write.
    void giveWay();

private:
    H5E_auto2_t m_oldPrinter = nullptr;
    void* m_oldPrinterData = nullptr;
};

/// The innermost sentence of HDF5's error stack, "" when it is empty. Clears the stack.
std::string errorStack();

/// Throws io::Error "where: message (found <error stack>)".
[[noreturn]] void fail(const std::string& where, const std::string& message, const std::string& hint = {});

/// Passes a call's result on; a negative one ends in fail().
template <class T> T check(T result, const std::string& where, const char* message)
{
    if (result < 0)
        fail(where, message);
    return result;
}

} // namespace io::hdf5
