#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Proves the README's two commands on a machine that has nothing: clones the last commit into a bare Debian 12
# and runs installer/run.sh there, without and with a display, and installer/test.sh.
#   installer/test-bare.sh [--without-cache] [--run-only]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$root/installer/clean_root.sh"

cache=yes tests=yes
for option in "$@"; do
    case $option in
    --without-cache) cache=no ;;
    --run-only) tests=no ;;
    *)
        say "usage: installer/test-bare.sh [--without-cache] [--run-only]   compile everything; leave installer/test.sh out"
        [ "$option" = --help ] && exit 0 || exit 2
        ;;
    esac
done
obstacle=$(clean_root_obstacle)
[ -z "$obstacle" ] || fail "no bare system can be made here: $obstacle"

system=$(mktemp -d "${TMPDIR:-/tmp}/polyad-root.XXXXXX")
trap 'remove_root "$system"' EXIT
step "A bare Debian 12" clean_root "$system"
git clone -q --no-hardlinks "$root" "$system/polyad"
# The compiler cache of this machine saves minutes; nothing depends on it. It keeps languages apart.
language=()
if [ "$cache" = yes ] && compiler_cache=$(ccache -k cache_dir 2>/dev/null) && [ -d "$compiler_cache" ]; then
    root_binds+=("$compiler_cache:/root/.cache/ccache")
    language=("LANG=${LANG:-}")
fi

timed() { # "what" command…
    local what=$1 begin=$SECONDS
    shift
    say "==> In the bare system: $what"
    "$@" 2>&1 | sed 's/^/    /'
    say "==> $what: $((SECONDS - begin)) s"
}
picture=build/bare/window.png
timed "installer/run.sh without a display" in_root "$system" env "${language[@]}" /polyad/installer/run.sh
timed "installer/run.sh again" in_root "$system" env "${language[@]}" /polyad/installer/run.sh
in_root "$system" sh -c 'apt-get install -y -qq --no-install-recommends xvfb xauth >/dev/null 2>&1'
timed "installer/run.sh with a display" in_root "$system" env "${language[@]}" xvfb-run -a -s '-screen 0 1600x1000x24' /polyad/installer/run.sh --sample --grab /polyad/window.png
mkdir -p "$root/build/bare"
cp "$system/polyad/window.png" "$root/$picture"
say "    the window: $picture"
[ "$tests" = no ] || timed "installer/test.sh" in_root "$system" env "${language[@]}" /polyad/installer/test.sh
