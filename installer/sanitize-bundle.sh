#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs compute-sanitizer over every algorithm of a bundle made with --with-tests, in every variant, format and precision its GPU takes:
# one small run of three modes at rank 16, and one of four at rank 33 (Tucker: 9) that is deterministic where it can be. The FastTucker
# family has kernels of its own for wider ranks: FastTucker and FastTuckerPlus run at 40, 72, 128 and at mixed ranks, too. Groups are
# for a million entries to learn from and more: FastTuckerPlus has such tensors, with rows that tiles share and without, and with values
# that reach so far that steps are damped.
#   tests/sanitize.sh [--tool memcheck|racecheck|initcheck|synccheck]… [PATTERN]…      PATTERN: of "algorithm variant format precision"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cli=$here/../bin/polyad-cli
tools=()
while [ "${1:-}" = --tool ]; do
    tools+=("$2")
    shift 2
done
[ ${#tools[@]} -gt 0 ] || tools=(memcheck racecheck initcheck synccheck)
patterns=("$@")
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
[ -x "$sanitizer" ] || { echo "compute-sanitizer is not here; it comes with the CUDA toolkit" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

combinations() {
    "$cli" list algorithms --json | sed -n 's/^ *"\([a-z_]*\)": "\{0,1\}\([^",]*\).*/\1 \2/p' | awk '
        $1 == "id" { id = $2 }
        $1 == "objective" { algorithm = id }
        $1 == "variant" { variant = $2 }
        $1 == "format" { format = $2 }
        $1 == "precision" { precision = $2 }
        $1 == "device" { device = $2 }
        $1 == "supported" && $2 == "true" && device == "cuda" { print algorithm, variant, format, precision }'
}

wanted() {
    [ ${#patterns[@]} -gt 0 ] || return 0
    local pattern
    for pattern in "${patterns[@]}"; do case $1 in *$pattern*) return 0 ;; esac; done
    return 1
}

# TOOL TENSOR RANK DETERMINISTIC ALGORITHM VARIANT FORMAT PRECISION: a line, and what was said where something was.
check() {
    local tool=$1 tensor=$2 rank=$3 deterministic=$4 iterations=2 log begin=$SECONDS
    log=$(mktemp -p "$work")
    shift 4
    [ "$tool" != racecheck ] || iterations=1 # slow, and sees within one all there is
    local run=("$cli" run "$tensor" --device cuda:0 --algorithm "$1" --variant "$2" --format "$3" --precision "$4" --rank "$rank"
        --iterations "$iterations" --tolerance 0 --progress none --telemetry none)
    local checks=(--tool "$tool" --error-exitcode 86)
    [ "$tool" != memcheck ] || checks+=(--leak-check full)
    local status=0
    [ "$deterministic" = no ] || "${run[@]}" --deterministic >"$log" 2>&1 || status=$?
    [ "$status" -ne 2 ] || deterministic=no # refused; any other failure is one
    [ "$deterministic" = no ] || run+=(--deterministic)
    if "$sanitizer" "${checks[@]}" "${run[@]}" >"$log" 2>&1; then
        echo "PASS $tool: $* at rank $rank$([ "$deterministic" = no ] || echo ', deterministic') ($((SECONDS - begin)) s)"
    else
        printf 'FAIL %s: %s at rank %s (%d s)\n%s\n' "$tool" "$*" "$rank" $((SECONDS - begin)) "$(tail -n 40 "$log")"
    fi
}

# Values near their mean, and some so far above it that steps are damped.
"$cli" generate --output "$work/three.tns" --dims 400,150,30 --nnz 20000 --test-nnz 300 --uniform-values >/dev/null
"$cli" generate --output "$work/four.tns" --dims 40,30,20,5 --nnz 2000 --test-nnz 200 --rank 3 >/dev/null
"$cli" generate --output "$work/wide.tns" --dims 60,50,40 --nnz 3000 --test-nnz 100 --uniform-values >/dev/null
"$cli" generate --output "$work/mixed.tns" --dims 30,25,20,15 --nnz 2000 --test-nnz 100 --uniform-values >/dev/null
"$cli" generate --output "$work/shared.h5" --dims 3000,2000,60 --nnz 1.2M --uniform-values >/dev/null
"$cli" generate --output "$work/apart.h5" --dims 20000,15000,18000 --nnz 1.2M --uniform-values >/dev/null
"$cli" generate --output "$work/five.h5" --dims 900,700,60,50,9 --nnz 1.2M --uniform-values >/dev/null
"$cli" generate --output "$work/steep.h5" --dims 3000,2000,60 --nnz 1.2M --draw exponential >/dev/null
"$cli" generate --output "$work/steep-five.h5" --dims 900,700,60,50,9 --nnz 1.2M --draw exponential >/dev/null
jobs_at_once=$(($(nproc) < 12 ? $(nproc) : 12))
while read -r combination; do
    wanted "$combination" || continue
    case $combination in tucker-*) odd_rank=9 ;; *) odd_rank=33 ;; esac # 33^4 numbers are no core
    tensors=("three.tns 16 no" "four.tns $odd_rank yes")
    case $combination in "fasttucker-plus "* | "fasttucker "*) tensors+=("wide.tns 40 no" "wide.tns 72 no" "wide.tns 128 no" "mixed.tns 48,32,16,20 no") ;; esac
    case $combination in "fasttucker-plus grouped "*) for of in "shared.h5 16" "shared.h5 32" "shared.h5 48" "shared.h5 64" "apart.h5 16" "apart.h5 64" "five.h5 16" "five.h5 32" "steep.h5 16" "steep.h5 33" "steep-five.h5 16"; do tensors+=("$of no"); done ;; esac
    for tool in "${tools[@]}"; do
        for tensor in "${tensors[@]}"; do
            while [ "$(jobs -rp | wc -l)" -ge "$jobs_at_once" ]; do wait -n || true; done
            # shellcheck disable=SC2086 # words on purpose
            check "$tool" "$work/"$tensor $combination | tee -a "$work/results" &
        done
    done
done < <(combinations)
wait
[ -s "$work/results" ] || { echo "no combination of that name runs on a GPU" >&2; exit 2; }
passed=$(grep -c '^PASS' "$work/results" || true) failed=$(grep -c '^FAIL' "$work/results" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
