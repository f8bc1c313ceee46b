// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fcntl.h>

namespace io {

/// A lock of the open file, which ends with its last descriptor, however that comes; false where another has it, unless the command is to
/// wait. Not flock: HDF5 takes one of those itself on the file it writes.
inline bool lockOpenFile(int descriptor, int command = F_OFD_SETLK)
{
    struct flock whole { };
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return fcntl(descriptor, command, &whole) == 0;
}

} // namespace io
