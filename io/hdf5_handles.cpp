// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_handles.h"

#include "io/error.h"

namespace io::hdf5 {
namespace {

std::recursive_mutex& theMutex()
{
    static std::recursive_mutex mutex;
    return mutex;
}

/// Upwards: the first entry is where it went wrong.
herr_t firstEntry(unsigned, const H5E_error2_t* error, void* text)
{
    auto& to = *static_cast<std::string*>(text);
    if (to.empty() && error->desc)
        to = error->desc;
    return 0;
}

} // namespace

Session::Session()
    : m_lock(theMutex())
{
    H5Eget_auto2(H5E_DEFAULT, &m_oldPrinter, &m_oldPrinterData);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
    H5Eclear2(H5E_DEFAULT);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, m_oldPrinter, m_oldPrinterData); }

std::string errorStack()
{
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, firstEntry, &text);
    H5Eclear2(H5E_DEFAULT);
    return text;
}

void fail(const std::string& where, const std::string& message, const std::string& hint)
{
    const std::string stack = errorStack();
    throw Error({message, where, stack.empty() ? "" : "HDF5: " + stack, {}, hint});
}

} // namespace io::hdf5
