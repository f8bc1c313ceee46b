#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Cheap checks on the sources: licence headers, and rooms that know only the rooms they may.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0
complain() { printf '%s\n' "$*" >&2; bad=1; }

while read -r file; do
    head -n 4 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' || complain "$file: no SPDX header"
done < <(git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' '*.sh' '*.py' '*.cmake' 'CMakeLists.txt' '*/CMakeLists.txt' '.ci/run')

# room → rooms whose headers it may include
allowed() {
    case $1 in
    kernels) echo 'kernels' ;;
    io) echo 'kernels|io' ;;
    app) echo 'kernels|io|app' ;;
    ui) echo 'kernels|io|app|ui' ;;
    esac
}
for room in kernels io app ui; do
    while read -r line; do
        complain "$line  ($room may include only $(allowed $room))"
    done < <(git grep -nE '#include "(kernels|io|app|ui)/' -- "$room" | grep -vE "#include \"($(allowed $room))/" || true)
done
refuse() { # what pattern paths…
    local what=$1 pattern=$2 found
    shift 2
    found=$(git grep -lE "$pattern" -- "$@" || true)
    [ -z "$found" ] || complain "$what:" $found
}
refuse "kernels/ knows neither Qt nor HDF5" '#include <(Q[A-Z]|hdf5)' kernels
refuse "io/ does not know Qt" '#include <Q[A-Z]' io
refuse "Qt Charts stays inside ui/widgets/*_chart.*" '#include <(QtCharts|Q[A-Za-z]*(Chart|ChartView|Series|Axis)>)' ui ':!ui/widgets/*_chart*'
for target in tests/fuzz/fuzz_*.cpp; do # libFuzzer stops at a corpus that is not there
    target=${target#tests/fuzz/fuzz_} && target=${target%.cpp}
    [ -n "$(git ls-files "tests/fuzz/corpus/$target")" ] || complain "tests/fuzz/corpus/$target: no seeds"
done
if command -v clang-format-16 >/dev/null; then
    unformatted=$(git ls-files "*.h" "*.cpp" "*.cu" "*.cuh" | xargs clang-format-16 --dry-run -Werror 2>&1 | grep -oE "^[^: ]+\.(h|cpp|cuh?):" | sort -u || true)
    [ -z "$unformatted" ] || complain "not as .clang-format has it (run clang-format-16 -i):" $unformatted
fi
exit $bad
