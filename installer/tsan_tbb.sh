#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds oneTBB from Debian's source package with the thread sanitizer into build/tsan-tbb; the distribution's
# own build makes the sanitizer report hundreds of races that are not there. Safe to repeat.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
prefix="$root/build/tsan-tbb"
[ ! -e "$prefix/lib/cmake/TBB/TBBConfig.cmake" ] || exit 0
work="$root/build/tsan-tbb-src"
mkdir -p "$work"
cd "$work"
if ! ls onetbb_*.orig.tar.* >/dev/null 2>&1; then
    # Source entries may be off: turn the binary entries into source entries, for this call only.
    lists=$(mktemp -d)
    trap 'rm -rf "$lists"' EXIT
    mkdir -p "$lists/state/partial" "$lists/parts"
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$lists/sources.list" || true
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$lists/parts/$(basename "$file")"
    done
    options=(-o "Dir::Etc::sourcelist=$lists/sources.list" -o "Dir::Etc::sourceparts=$lists/parts" -o "Dir::State::lists=$lists/state")
    apt-get "${options[@]}" update -qq
    apt-get "${options[@]}" source -qq --download-only onetbb
fi
mkdir -p source
tar xf onetbb_*.orig.tar.* -C source --strip-components=1
cmake -S source -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTBB_TEST=OFF -DTBB_STRICT=OFF \
    -DTBBMALLOC_BUILD=OFF -DCMAKE_CXX_FLAGS=-fsanitize=thread -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build build
cmake --install build
