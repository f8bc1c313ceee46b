#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds Debian packages into build/packages: polyad, libpolyad-dev and, where nvcc is found, polyad-cuda.
# After installer/arrow.sh --fetch, polyad-arrow too.
#   installer/deb.sh [--arch "75;80;86;89;90;100;120"]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arch=$release_architectures
while [ $# -gt 0 ]; do
    case $1 in
    --arch) arch=$2; shift ;;
    *)
        say "usage: installer/deb.sh [--arch LIST]"
        [ "$1" = --help ] && exit 0 || exit 2
        ;;
    esac
    shift
done

out="$root/build/packages"
pack() {
    rm -rf "$out"
    # Two builds of one commit give the same packages.
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
    export SOURCE_DATE_EPOCH
    cpack --config "$root/build/release/CPackConfig.cmake" -B "$out"
    rm -rf "$out/_CPack_Packages"
}

install_packages package
tell_cuda yes
tell_arrow
POLYAD_CMAKE_ARGS="${POLYAD_CMAKE_ARGS:-} -DCMAKE_CUDA_ARCHITECTURES=$arch"
build release polyad_io polyad_manual polyad-cli_manual $(command -v nvcc >/dev/null && echo polyad_cuda) $arrow_target
step "Pack" pack
du -h "$out"/*.deb | sed 's/^/    /'
