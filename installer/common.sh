# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the scripts beside it: saying what is done, timing it, packages, building.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log_dir="$root/build/logs"
arrow_wheel="$root/build/arrow/pyarrow" # where arrow.sh puts Arrow's headers and libraries
release_architectures="75;80;86;89;90;100;120" # of the CUDA module in what travels
export PATH="$PATH:/usr/local/cuda/bin"
# One compiler cache for all presets: what release compiled, cpu-only need not.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:+$CCACHE_SLOPPINESS,}pch_defines,time_macros # what has precompiled headers is cached, too

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step "what" command…: runs the command with its output in a log, says how long it took.
step() {
    local what=$1 begin=$SECONDS log status=0
    shift
    mkdir -p "$log_dir"
    log="$log_dir/$(printf '%s' "$what" | tr -cs 'A-Za-z0-9' '-' | tr 'A-Z' 'a-z').log"
    printf '==> %s … ' "$what"
    if [ -n "${follow:-}" ]; then
        follow_build "$what" "$log" &
        local follower=$!
    fi
    "$@" >"$log" 2>&1 || status=$?
    if [ -n "${follow:-}" ]; then
        kill "$follower" 2>/dev/null || true
        wait "$follower" 2>/dev/null || true
        if [ -t 1 ]; then printf '\r\033[K'; fi
        printf '==> %s … ' "$what"
    fi
    if [ "$status" -eq 0 ]; then
        printf 'done in %d s\n' $((SECONDS - begin))
    else
        printf 'failed after %d s\n' $((SECONDS - begin))
        tail -n 40 "$log" >&2
        fail "$what failed; the whole output is in $log"
    fi
}

# "37 %, 152 of 411 files, about 3 min left", by the last [152/411] in ninja's log. Fails before there is one.
build_progress() { # LOG, seconds since the beginning
    local status files total left
    status=$(tail -c 65536 "$1" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || true
    [ -n "$status" ] || return 1
    IFS=/ read -r files total <<<"${status//[\[\]]/}"
    [ "$files" -gt 0 ] && [ "$total" -gt 2 ] || return 1 # ninja looks at the list of files first
    left=$(($2 * (total - files) / files))
    if [ "$left" -ge 90 ]; then left="$(((left + 30) / 60)) min"; else left="$left s"; fi
    printf '%d %%, %d of %d files, about %s left' $((100 * files / total)) "$files" "$total" "$left"
}

# Tells how far ninja is until it is killed: on a terminal in the step's own line, elsewhere in a line now and then.
follow_build() { # "what" LOG
    local begin=$SECONDS pause=15 progress
    if [ -t 1 ]; then pause=1; else echo; fi
    # Without the script's output, which a pipe behind it waits for.
    while sleep "$pause" </dev/null >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        progress=$(build_progress "$2" $((SECONDS - begin))) || continue
        if [ -t 1 ]; then printf '\r\033[K==> %s … %s' "$1" "$progress"; else printf '    %s\n' "$progress"; fi
    done
}

# wanted_packages [PURPOSE]: names from packages.txt; lines marked with a purpose only where it is asked for.
wanted_packages() {
    awk -v purpose="${1:-}" '!/^#/ && NF && (NF == 1 || $3 == purpose) { print $1 }' "$root/installer/packages.txt"
}

install_packages() {
    command -v dpkg-query >/dev/null || {
        say "==> This is no Debian system: install what installer/packages.txt lists by other means."
        return 0
    }
    local missing=() name
    for name in $(wanted_packages "${1:-}"); do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        say "==> Packages: all there"
        return 0
    fi
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "missing packages: ${missing[*]}. Install them as root: apt-get install ${missing[*]}"
        sudo=(sudo)
        sudo -v || fail "cannot become root to install: ${missing[*]}"
    fi
    step "Package lists" "${sudo[@]}" apt-get update -qq
    step "Packages (${#missing[@]} missing)" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

gpu_is_visible() { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }

# tell_cuda yes|no: whether the CUDA module is built where the toolkit is there.
tell_cuda() {
    if ! command -v nvcc >/dev/null; then
        say "==> No CUDA toolkit: building for the CPU (put nvcc on PATH to build the CUDA module)"
    elif [ "$1" = yes ]; then
        say "==> CUDA toolkit found ($(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')): the CUDA module is built too"
    else
        say "==> CUDA toolkit found, but no GPU: building for the CPU (--cuda builds the CUDA module all the same)"
    fi
    if gpu_is_visible; then
        nvidia-smi -L | sed 's/ (UUID.*//; s/^/    /'
    else
        say "    no NVIDIA GPU is visible here; everything runs on the CPU"
    fi
}

# Builds the Arrow module too, where arrow.sh has got Arrow.
tell_arrow() {
    arrow_target=
    [ -e "$arrow_wheel/VERSION" ] || return 0
    arrow_target=polyad_arrow
    POLYAD_CMAKE_ARGS="${POLYAD_CMAKE_ARGS:-} -DPOLYAD_PYARROW=$arrow_wheel"
    say "==> Arrow $(cat "$arrow_wheel/VERSION") found: the Arrow module is built"
}

# build PRESET TARGETS…: configures and builds. POLYAD_CMAKE_ARGS adds cache settings.
build() {
    local preset=$1
    shift
    cd "$root" || exit 1
    # shellcheck disable=SC2086
    step "Configure ($preset)" cmake --preset "$preset" ${POLYAD_CMAKE_ARGS:-}
    follow=yes NINJA_STATUS='[%f/%t] ' step "Build ($preset)" cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}
}
