#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From a bare Debian 12 to an open window on the bundled sample: packages, release build, start.
# Without a display it runs the same job with polyad-cli. Safe to repeat: what is done is not done again.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cuda=no build_only=no
if gpu_is_visible; then cuda=yes; fi
while [ $# -gt 0 ]; do
    case $1 in
    --build-only) build_only=yes ;;
    --cuda)
        command -v nvcc >/dev/null || fail "--cuda needs the CUDA toolkit: nvcc is neither on PATH nor in /usr/local/cuda/bin. Install the toolkit, or leave --cuda out."
        cuda=yes
        ;;
    -h | --help)
        say "usage: installer/run.sh [--cuda] [FILE]…   build Polyad and open it on FILE (default: the flights sample)"
        say "       installer/run.sh --build-only       stop after the build"
        say "The CUDA module is built where a GPU is visible and the CUDA toolkit is there. --cuda builds it without a GPU, too."
        exit 0
        ;;
    *) break ;; # the window's
    esac
    shift
done

install_packages
tell_cuda "$cuda"
command -v nvcc >/dev/null || cuda=no
build release polyad polyad-cli $([ "$cuda" = no ] || echo polyad_cuda)
[ "$build_only" = no ] || exit 0

bin="$root/build/release/bin"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    say "==> Opening the window. Press Start to watch a run."
    if [ $# -gt 0 ]; then exec "$bin/polyad" "$@"; else exec "$bin/polyad" --sample; fi
fi

say "==> No display here (DISPLAY and WAYLAND_DISPLAY are empty), so the same job runs on the command line:"
sample="$root/resources/samples/flights"
output="$root/build/flights-model.h5"
say "    polyad-cli run flights.tns --config suggested.json --output $output --force"
"$bin/polyad-cli" run "$sample/flights.tns" --config "$sample/suggested.json" --output "$output" --force
say "==> The model is in $output"
