#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lets Polyad read Parquet, Feather, Arrow IPC and ORC: gets Apache Arrow from PyPI (headers and libraries of the wheel pyarrow, into
# build/arrow), builds the Arrow module and installs it for this user. Needs no root. Safe to repeat.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

version=26.0.1 python=3.11 # of the wheel; its libraries do not need Python
target="${XDG_DATA_HOME:-$HOME/.local/share}/polyad/arrow"
only_fetch=no
while [ $# -gt 0 ]; do
    case $1 in
    --fetch) only_fetch=yes ;;
    --remove)
        rm -rf "$target" "$root/build/arrow"
        say "==> Removed $target and build/arrow"
        exit 0
        ;;
    *)
        say "usage: installer/arrow.sh             get Arrow, build the module and install it into $target"
        say "       installer/arrow.sh --fetch     get Arrow alone; deb.sh and portable.sh then include the module"
        say "       installer/arrow.sh --remove    remove what this script has made"
        [ "$1" = --help ] || [ "$1" = -h ] && exit 0 || exit 2
        ;;
    esac
    shift
done

# A Python with pip: the system's, or one in build/arrow.
find_pip() {
    if python3 -m pip --version >/dev/null 2>&1; then
        pip=(python3 -m pip)
    else
        command -v python3 >/dev/null || fail "python3 is missing. Install it: apt-get install python3 python3-venv"
        python3 -c 'import ensurepip' 2>/dev/null || fail "python3 has no pip. Install one: apt-get install python3-venv"
        [ -x "$root/build/arrow/venv/bin/pip" ] || step "A private Python" python3 -m venv "$root/build/arrow/venv"
        pip=("$root/build/arrow/venv/bin/python" -m pip)
    fi
}

download() {
    "${pip[@]}" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --implementation cp --python-version "$python" \
        --platform "manylinux_2_28_$(uname -m)" --dest "$root/build/arrow/wheel" "pyarrow==$version"
}

# Only what C++ needs: headers, three libraries and their licences.
unpack() {
    local new="$root/build/arrow/new" name
    rm -rf "$new" "$arrow_wheel"
    python3 -m zipfile -e "$root/build/arrow/wheel/pyarrow-$version"-*.whl "$new"
    mkdir -p "$new/kept"
    mv "$new/pyarrow/include" "$new/kept/"
    for name in arrow parquet arrow_compute; do
        mv "$new/pyarrow/lib$name.so".[0-9]* "$new/kept/"
    done
    mv "$new/pyarrow-$version.dist-info/licenses" "$new/kept/"
    printf '%s\n' "$version" >"$new/kept/VERSION"
    mv "$new/kept" "$arrow_wheel"
    rm -rf "$new" "$root/build/arrow/wheel"
}

# Files that a running program has open stay as they are: new ones take their names.
install_module() {
    local stage="$root/build/arrow/stage" file
    rm -rf "$stage"
    cmake --install "$root/build/release" --prefix "$stage" --strip --component arrow
    mkdir -p "$target"
    for file in "$stage"/lib/polyad/*.so* "$stage"/share/doc/polyad-arrow/*; do
        cp "$file" "$target/.new"
        mv "$target/.new" "$target/$(basename "$file")"
    done
    find "$target" -name 'lib*.so.*' -type f | while read -r file; do
        [ -e "$stage/lib/polyad/$(basename "$file")" ] || rm "$file" # of an earlier version
    done
    rm -rf "$stage"
    # libpolyad_kernels.so is part of the program, which has opened it by then.
    ! ldd "$target/libpolyad_arrow.so" | grep 'not found' | grep -v libpolyad_kernels
}

if [ "$(cat "$arrow_wheel/VERSION" 2>/dev/null)" = "$version" ]; then
    say "==> Arrow $version: already there"
else
    mkdir -p "$root/build/arrow"
    find_pip
    step "Download Arrow $version (50 MB)" download
    step "Unpack Arrow" unpack
fi
[ "$only_fetch" = no ] || exit 0

install_packages
tell_arrow
build release polyad_arrow
step "Install the Arrow module" install_module
say "==> Polyad reads Parquet, Feather, Arrow IPC and ORC now: $target ($(du -sh "$target" | cut -f1))"
