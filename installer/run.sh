#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From a bare Debian 12 to an open window on the bundled sample: packages, release build, start.
# Without a display it runs the same job with polyad-cli. Safe to repeat: what is done is not done again.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
-h | --help)
    say "usage: installer/run.sh [FILE]…   build Polyad and open it on FILE (default: the flights sample)"
    say "       installer/run.sh --build-only   stop after the build"
    exit 0
    ;;
esac

install_packages
tell_cuda
build release polyad polyad-cli $(command -v nvcc >/dev/null && echo polyad_cuda)
[ "${1:-}" = --build-only ] && exit 0

bin="$root/build/release/bin"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    say "==> Opening the window. Press Start to watch a run."
    if [ $# -gt 0 ]; then exec "$bin/polyad" "$@"; else exec "$bin/polyad" --sample; fi
fi

say "==> No display here (DISPLAY and WAYLAND_DISPLAY are empty), so the same job runs on the command line:"
sample="$root/resources/samples/flights"
output="$root/build/flights-model.h5"
say "    polyad-cli run flights.tns --config suggested.json --output $output"
"$bin/polyad-cli" run "$sample/flights.tns" --config "$sample/suggested.json" --output "$output"
say "==> The model is in $output"
