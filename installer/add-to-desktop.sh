#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lies at the top of the portable folder: puts its Polyad into your menu, makes it open .tns files, and makes bash complete polyad-cli.
#   ./add-to-desktop.sh            run it again after the folder moved
#   ./add-to-desktop.sh --remove
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
id=org.polyad.Polyad
entry="$data/applications/$id.desktop"
icon="$data/icons/hicolor/scalable/apps/$id.svg"
types="$data/mime/packages/$id.xml"
completion="$data/bash-completion/completions/polyad-cli"

case "${1:-}" in
"")
    case $here in *[\"\`\$\\]*) echo "error: a menu entry cannot name this folder: $here. Move it to one without \" \` \$ \\." >&2; exit 1 ;; esac
    mkdir -p "$(dirname "$entry")" "$(dirname "$icon")" "$(dirname "$types")" "$(dirname "$completion")"
    cp "$here/share/icons/hicolor/scalable/apps/$id.svg" "$icon"
    cp "$here/share/mime/packages/$id.xml" "$types"
    ln -sfn "$here/share/bash-completion/completions/polyad-cli" "$completion"
    while IFS= read -r line; do
        case $line in Exec=*) line="Exec=\"${here//%/%%}/bin/polyad\" %F" ;; esac
        printf '%s\n' "$line"
    done <"$here/share/applications/$id.desktop" >"$entry"
    echo "Polyad is in the menu: $entry"
    echo "New shells complete polyad-cli: $completion (needs the package bash-completion)"
    ;;
--remove)
    rm -f "$entry" "$icon" "$types" "$completion"
    echo "Polyad is out of the menu."
    ;;
*)
    echo "usage: add-to-desktop.sh [--remove]"
    exit 2
    ;;
esac
# Without these two the menu still works; file managers learn of the types later.
if command -v update-mime-database >/dev/null && [ -d "$data/mime" ]; then update-mime-database "$data/mime"; fi
if command -v update-desktop-database >/dev/null && [ -d "$data/applications" ]; then update-desktop-database "$data/applications"; fi
