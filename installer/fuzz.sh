#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds the libFuzzer targets and runs each for some time on its corpus. A find is kept in build/fuzz-finds/ and fails the script.
#   installer/fuzz.sh [SECONDS_EACH] [TARGET…]     default: 10 s, all targets; an hour: installer/fuzz.sh 3600
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=${1:-10}
case $seconds in
'' | *[!0-9]*)
    say "usage: installer/fuzz.sh [SECONDS_EACH] [TARGET…]   targets: $(cd "$root/tests/fuzz" && echo fuzz_*.cpp | sed 's/fuzz_//g; s/\.cpp//g')"
    [ "$seconds" = --help ] && exit 0 || exit 2
    ;;
esac
[ $# -eq 0 ] || shift

install_packages fuzz
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd "$root/tests/fuzz" && ls fuzz_*.cpp | sed 's/^fuzz_//; s/\.cpp$//')
build fuzz "${targets[@]/#/fuzz_}" # what they need, no more

# HDF5 itself forgets memory of damaged files; that every handle of ours is closed is tests/io/tst_damaged_hdf5.cpp's to see.
export LSAN_OPTIONS="suppressions=$root/tests/support/lsan.supp:print_suppressions=0"
finds="$root/build/fuzz-finds" status=0
mkdir -p "$finds"
for target in "${targets[@]}"; do
    # What the run learns goes into the build folder, never into the repository by itself.
    learned="$root/build/fuzz-corpus/$target"
    log="$finds/$target.log"
    mkdir -p "$learned"
    dictionary="$root/tests/fuzz/$target.dict"
    printf '==> %s for %s s … ' "$target" "$seconds"
    if "$root/build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 -max_len=131072 -print_final_stats=1 \
        $([ -e "$dictionary" ] && echo "-dict=$dictionary") -artifact_prefix="$finds/$target-" "$learned" "$root/tests/fuzz/corpus/$target" >"$log" 2>&1; then
        say "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, no find"
    else
        say "FOUND: see $log"
        grep -E 'ERROR|SUMMARY|Test unit written|^ +#[0-9]+ ' "$log" | head -n 40 >&2 || tail -n 5 "$log" >&2
        status=1
    fi
done
exit $status
