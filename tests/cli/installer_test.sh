#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What installer/run.sh says while it builds, and what it refuses: installer_test.sh SOURCE
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
failures=0

expect() { # "what" EXPECTED FOUND
    [ "$2" = "$3" ] && return
    printf '%s: expected "%s", found "%s"\n' "$1" "$2" "$3" >&2
    failures=$((failures + 1))
}

. "$source/installer/common.sh"
log="$folder/build.log"
printf '[0/2] Re-checking globbed directories...\n[1/411] Building CXX object a.o\n[152/411] Building CXX object b.o\nIn file included from c.cpp [1/1]\n' >"$log"
expect "progress" "36 %, 152 of 411 files, about 3 min left" "$(build_progress "$log" 100)"
printf '[400/411] Building CXX object d.o\n' >>"$log"
expect "seconds" "97 %, 400 of 411 files, about 5 s left" "$(build_progress "$log" 200)"
printf '[0/2] Re-checking globbed directories...\n' >"$log"
expect "no progress" "none" "$(build_progress "$log" 1 || echo none)"
expect "no log" "none" "$(build_progress "$folder/nothing" 1 || echo none)"

# A step that is followed tells its end, passes its failure on, and leaves nothing that keeps a pipe open.
log_dir="$folder/logs"
slow() { echo "[1/4] one"; sleep 1; }
begin=$SECONDS
told=$(follow=yes step "Build (test)" slow | tail -n 1)
case $told in "==> Build (test) … done in "*) ;; *) expect "the end" "==> Build (test) … done in …" "$told" ;; esac
[ $((SECONDS - begin)) -lt 10 ] || expect "seconds until the pipe closes" "some" "$((SECONDS - begin))"
expect "failure" "failed" "$( (follow=yes step "Build (test)" false) >/dev/null 2>&1 || echo failed)"

if ! command -v nvcc >/dev/null; then
    told=$("$source/installer/run.sh" --cuda --build-only 2>&1 || true)
    case $told in "error: --cuda needs the CUDA toolkit"*) ;; *) expect "--cuda without nvcc" "error: --cuda needs the CUDA toolkit" "$told" ;; esac
fi
exit $((failures > 0))
