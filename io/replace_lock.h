// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <functional>
#include <string>

namespace io {

/// Held by who reads a file, changes what it says and puts another one in its place (AtomicFile), from before the reading on: of two at
/// once the second waits, and then reads what the first has written. It ends with the process, however that comes. Nothing is held where
/// there is no such file, or where it lies on a share, whose locks are not told apart.
class ReplaceLock {
public:
    /// waits: called once where somebody else holds it. Throws kernels::Cancelled.
    ReplaceLock(const std::string& path, const std::function<void()>& waits, kernels::Progress&);
    ~ReplaceLock();
    ReplaceLock(const ReplaceLock&) = delete;
    ReplaceLock& operator=(const ReplaceLock&) = delete;

private:
    int m_descriptor = -1;
};

} // namespace io
