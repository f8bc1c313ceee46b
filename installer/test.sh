#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From a bare Debian 12 to green tests: packages, build, every test. Safe to repeat.
#   installer/test.sh [PRESET] [ctest options]     default preset: release
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
-h | --help)
    say "usage: installer/test.sh [PRESET] [ctest options]   presets: release (default), dev, cpu-only, asan, tsan"
    exit 0
    ;;
esac
preset=release
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    preset=$1
    shift
fi

begin=$SECONDS
install_packages tests
tell_cuda yes
[ "$preset" != tsan ] || step "TBB for the thread sanitizer" "$root/installer/tsan_tbb.sh"
build "$preset"
say "==> Tests ($preset)"
cd "$root"
ctest --preset "$preset" -j "$(nproc)" "$@"
say "==> All done in $((SECONDS - begin)) s"
