#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the tests of a bundle made with --with-tests: all of them, or those whose names match the arguments.
#   tests/run.sh [PATTERN]…          POLYAD_EXPECT_GPU=1 makes a missing GPU a failure
here=$(cd "$(dirname "$0")" && pwd)
export QT_QPA_PLATFORM=${QT_QPA_PLATFORM:-offscreen}
passed=0 failed=0 skipped=0
for program in "$here"/tst_*; do
    name=$(basename "$program")
    if [ $# -gt 0 ]; then
        wanted=no
        for pattern in "$@"; do case $name in $pattern) wanted=yes ;; esac; done
        [ "$wanted" = yes ] || continue
    fi
    begin=$SECONDS
    if output=$("$program" 2>&1); then
        if printf '%s' "$output" | grep -q '^SKIP' && ! printf '%s' "$output" | grep -q '^PASS.*::[^(]*(.*)' ; then
            skipped=$((skipped + 1)) word=SKIP
        else
            passed=$((passed + 1)) word=PASS
        fi
        printf '%s %s (%d s)\n' "$word" "$name" $((SECONDS - begin))
        printf '%s\n' "$output" | grep '^SKIP'
    else
        failed=$((failed + 1))
        printf 'FAIL %s (%d s)\n%s\n' "$name" $((SECONDS - begin)) "$output"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
