#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sources the completion in a real bash and asks for words: completion_test.sh POLYAD_CLI COMPLETION
set -u
program=$1
source "$2" || exit 1
failures=0

# ask LINE: what Tab would offer at the end of LINE
ask() {
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    _polyad_cli "$program" "" "" 2>/dev/null
}

# expect LINE WORD…: each word is offered
expect() {
    local line=$1 word
    shift
    ask "$line"
    for word in "$@"; do
        if [[ " ${COMPREPLY[*]} " != *" $word "* ]]; then
            echo "\"$line\": \"$word\" is missing in: ${COMPREPLY[*]}" >&2
            failures=$((failures + 1))
        fi
    done
}

# refuse LINE WORD…: none is offered
refuse() {
    local line=$1 word
    shift
    ask "$line"
    for word in "$@"; do
        if [[ " ${COMPREPLY[*]} " == *" $word "* ]]; then
            echo "\"$line\": \"$word\" should not be offered" >&2
            failures=$((failures + 1))
        fi
    done
}

expect "polyad-cli import x.csv --ag" --aggregate
expect "polyad-cli import x.csv --aggregate m" mean median min max
expect "polyad-cli " import info generate convert list run sweep update evaluate compare predict export report bench
expect "polyad-cli ev" evaluate
refuse "polyad-cli ev" info
expect "polyad-cli run --alg" --algorithm
expect "polyad-cli run --algorithm " fasttucker-plus
refuse "polyad-cli run --algorithm " calculate learning-rate-a
expect "polyad-cli run x.tns --device " auto cpu
expect "polyad-cli run x.tns --precision b" bf16
expect "polyad-cli run x.tns --format " coo
refuse "polyad-cli run x.tns --format " tns
expect "polyad-cli run x.tns --progress " bar json none
expect "polyad-cli run x.tns --check" --checkpoint --checkpoint-every
expect "polyad-cli run x.tns --checkpoint-every " 30s
expect "polyad-cli run x.tns --preset " paper
expect "polyad-cli generate --preset n" netflix-like netflix-harsh nell2-like
refuse "polyad-cli generate --preset " paper
expect "polyad-cli sweep x.tns --r" --rank --ranks --replicates
expect "polyad-cli sweep x.tns --algorithm " cp-als
refuse "polyad-cli sweep x.tns --progress " json
expect "polyad-cli list d" devices
expect "polyad-cli list algorithms " fasttucker-plus fastertucker
refuse "polyad-cli list algorithms " devices calculate
expect "polyad-cli run x.tns --fo" --force --format
expect "polyad-cli generate --header " parti sptensor
expect "polyad-cli run x.tns --values " auto fp64
refuse "polyad-cli generate --values " auto
benches=$("$program" bench --help | sed -n 's/^  \([a-z]\+\)  \{3,\}[A-Z].*/\1/p')
expect "polyad-cli bench " load fasttucker $benches
expect "polyad-cli export m.h5 out --to " $("$program" export --help | sed -n '/^Kinds/,/^$/s/^  \([a-z0-9]*\) .*/\1/p')
expect "polyad-cli evaluate m.h5 x.tns --part " all train test
# Readline cuts words at ':', so only what follows it is offered.
COMP_WORDBREAKS=$' \t\n:='
expect "polyad-cli run preset:netflix" netflix-like netflix-harsh
COMP_WORDBREAKS=$' \t\n'
expect "polyad-cli run preset:netflix" preset:netflix-like

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
touch "$folder/flights.tns"
expect "polyad-cli info $folder/fl" "$folder/flights.tns"
expect "polyad-cli run x.tns --output $folder/fl" "$folder/flights.tns"

# The long options that PROGRAM ARGUMENT… --help tells
options_of() { "$@" --help | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# Every option the completion offers is one the program knows, and the other way round; benches share theirs.
for sub in info generate convert list run sweep update evaluate compare predict export report bench; do
    ask "polyad-cli $sub --"
    offered=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
    known=$(options_of "$program" "$sub")
    [[ $sub == bench ]] && known=$(for bench in $benches; do options_of "$program" bench "$bench"; done | sort -u)
    if [[ $offered != "$known" ]]; then
        echo "$sub: completion and program differ:" >&2
        diff <(echo "$offered") <(echo "$known") >&2
        failures=$((failures + 1))
    fi
done
exit $((failures > 0))
