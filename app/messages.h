// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <exception>

namespace app {

/// The sentence the window and the command line show for any failure (translated where it is ours).
QString messageFor(const std::exception&);
QString messageForCurrentException();

} // namespace app
