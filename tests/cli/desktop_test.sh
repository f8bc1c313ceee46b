#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The script of the portable folder on a folder that holds what it needs: desktop_test.sh SOURCE
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
bundle="$folder/a bundle" data="$folder/data"
mkdir -p "$bundle/share/"{applications,icons/hicolor/scalable/apps,mime/packages,bash-completion/completions}
cp "$source/installer/add-to-desktop.sh" "$bundle"
cp "$source/resources/org.polyad.Polyad.desktop" "$bundle/share/applications"
cp "$source/resources/icons/org.polyad.Polyad.svg" "$bundle/share/icons/hicolor/scalable/apps"
cp "$source/resources/org.polyad.Polyad.mime.xml" "$bundle/share/mime/packages/org.polyad.Polyad.xml"
cp "$source/installer/polyad-cli.bash-completion" "$bundle/share/bash-completion/completions/polyad-cli"

XDG_DATA_HOME=$data "$bundle/add-to-desktop.sh"
grep -qxF "Exec=\"$bundle/bin/polyad\" %F" "$data/applications/org.polyad.Polyad.desktop"
bash -c '. "$1" && complete -p polyad-cli' bash "$data/bash-completion/completions/polyad-cli"
XDG_DATA_HOME=$data "$bundle/add-to-desktop.sh" --remove
[ -z "$(find "$data" -iname '*polyad*')" ]
