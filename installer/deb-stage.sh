#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Adds to staged packages what Debian asks of each: deb-stage.sh FOLDER VERSION CONTACT
# FOLDER holds a folder for every component: polyad, cuda, arrow, dev.
set -euo pipefail
stage=$1 version=$2 contact=$3
here=$(cd "$(dirname "$0")" && pwd)
date=$(LC_ALL=C date -u -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")

# The newest section of CHANGELOG.md in Debian's form.
changelog() {
    printf 'polyad (%s) unstable; urgency=medium\n\n' "$version"
    awk '/^## / { sections++ } sections == 1 && !/^## /' "$here/../CHANGELOG.md" | sed 's/[*`]//g' \
        | awk '/^- / { if (item) print item; item = substr($0, 3); next } /^  / && item { item = item " " substr($0, 3); next }
               { if (item) print item; item = "" } END { if (item) print item }' \
        | while read -r item; do printf '%s\n' "$item" | fold -s -w 74 | sed 's/ *$//; 1s/^/  * /; 2,$s/^/    /'; done
    printf '\n -- %s  %s\n' "$contact" "$date"
}

for component in polyad:polyad cuda:polyad-cuda arrow:polyad-arrow dev:libpolyad-dev; do
    usr="$stage/${component%%:*}/usr" package=${component##*:}
    [ -d "$usr" ] || continue
    mkdir -p "$usr/share/doc/$package"
    install -m 644 "$here/copyright" "$usr/share/doc/$package/copyright"
    changelog | gzip -9n >"$usr/share/doc/$package/changelog.gz"
    find "$usr/share/man" -name '*.1' -exec gzip -9n {} + 2>/dev/null || true
    find "$usr/lib" -name '*.a' -exec strip --strip-debug --remove-section=.comment --remove-section=.note {} + 2>/dev/null || true
    if [ -e "$here/$package.lintian-overrides" ]; then
        install -D -m 644 "$here/$package.lintian-overrides" "$usr/share/lintian/overrides/$package"
    fi
    find "$usr" -type d -empty -delete
    find "$usr" -type d -exec chmod 755 {} +
done
