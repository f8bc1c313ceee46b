#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Builds the Debian packages, installs them in a bare Debian 12 and tries them there: tests/package/installed.sh.
#   installer/test-package.sh [--arch LIST]     CUDA architectures, default 90
# Where no bare system can be made the packages are only built, and that is said aloud.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$root/installer/clean_root.sh"

begin=$SECONDS
case "${1:-}" in
"") arch=90 ;;
--arch) arch=$2 ;;
*)
    say "usage: installer/test-package.sh [--arch LIST]"
    [ "$1" = --help ] && exit 0 || exit 2
    ;;
esac
"$root/installer/deb.sh" --arch "$arch"

obstacle=$(clean_root_obstacle)
if [ -n "$obstacle" ]; then
    say "SKIPPED the installed packages' tests: $obstacle"
    exit 0
fi

system=$(mktemp -d "${TMPDIR:-/tmp}/polyad-root.XXXXXX")
trap 'remove_root "$system"' EXIT
step "A bare Debian 12" clean_root "$system"
mkdir "$system/test"
cp -r "$root"/build/packages/*.deb "$root"/tests/package "$root"/tests/cli/completion_test.sh "$system/test/"
printf "build_folder=%q\nversion=%q\n" "$root" "$(sed -n "s/^project(Polyad VERSION \([0-9.]*\).*/\1/p" "$root/CMakeLists.txt")" >"$system/test/facts"
for part in runs desktop develops leaves-nothing; do
    say "==> Installed packages: $part"
    in_root "$system" bash /test/package/installed.sh "$part"
done
mkdir -p "$root/build/package-test"
cp "$system"/test/*.png "$root/build/package-test/"
say "==> Packages are fine, pictures are in build/package-test; $((SECONDS - begin)) s"
