#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes a folder and a tar.xz that run on any x86-64 Linux with glibc ≥ 2.36: programs, CUDA module, Qt with its
# plugins, HDF5, TBB, fonts, and after installer/arrow.sh --fetch the Arrow module. Nothing in it names the machine it was built on.
#   installer/portable.sh [--with-tests] [--arch "75;80;86;89;90;100;120"] [--no-archive]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

with_tests=no archive=yes arch=$release_architectures
while [ $# -gt 0 ]; do
    case $1 in
    --with-tests) with_tests=yes ;;
    --no-archive) archive=no ;;
    --arch) arch=$2; shift ;;
    *)
        say "usage: installer/portable.sh [--with-tests] [--arch LIST] [--no-archive]"
        [ "$1" = --help ] && exit 0 || exit 2
        ;;
    esac
    shift
done

version=$(sed -n 's/^project(Polyad VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
name="polyad-$version-linux-x86_64"
out="$root/build/portable"
bundle="$out/$name"
libs="$bundle/lib/polyad"
qt_plugins=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || echo /usr/lib/x86_64-linux-gnu/qt6/plugins)

# Every library that FILE needs and that does not come with glibc (or the driver).
needed_libraries() {
    ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' \
        | grep -vE '/(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl)\.so'
}

# Copies what the files of the bundle need until nothing new is needed.
collect_libraries() {
    local file library found=yes
    while [ "$found" = yes ]; do
        found=no
        while read -r file; do
            while read -r library; do
                case $library in "$bundle"/*) continue ;; esac
                [ -e "$libs/$(basename "$library")" ] && continue
                cp -L "$library" "$libs/"
                found=yes
            done < <(needed_libraries "$file" || true)
        done < <(find "$bundle" -type f \( -name '*.so*' -o -perm -u+x \) ! -name '*.sh')
    done
}

stage() {
    rm -rf "$bundle"
    local component
    for component in polyad cuda arrow bundle; do
        cmake --install "$root/build/release" --prefix "$bundle" --strip --component "$component"
    done
    local plugin
    for plugin in platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqminimal.so imageformats/libqsvg.so iconengines/libqsvgicon.so \
        platformthemes/libqxdgdesktopportal.so platforminputcontexts/libcomposeplatforminputcontextplugin.so platforminputcontexts/libibusplatforminputcontextplugin.so; do
        [ -e "$qt_plugins/$plugin" ] || continue
        install -D "$qt_plugins/$plugin" "$libs/plugins/$plugin"
    done
    printf '[Paths]\nPrefix=..\nPlugins=lib/polyad/plugins\n' >"$bundle/bin/qt.conf"
    cp "$root/installer/add-to-desktop.sh" "$bundle/"
}

stage_tests() {
    mkdir -p "$bundle/tests"
    cp $(find "$root/build/release/tests" -maxdepth 1 -type f -name "tst_*") "$root"/build/release/tests/polyad_screenshots "$bundle/tests/"
    cp "$root/build/release/tests/libpolyad_fake_cuda.so" "$bundle/tests/"
    cp -r "$root/tests/data" "$bundle/tests/data"
    find "$bundle/tests" -maxdepth 1 -type d -name "*_autogen" -exec rm -r {} +
    cp "$bundle/bin/qt.conf" "$bundle/tests/"
    cp "$root/installer/run-bundled-tests.sh" "$bundle/tests/run.sh"
    cp "$root/installer/sanitize-bundle.sh" "$bundle/tests/sanitize.sh"
    strip --strip-unneeded "$bundle"/tests/tst_* "$bundle"/tests/polyad_screenshots
}

relocate() {
    local file
    chmod u+w -R "$bundle"
    find "$libs" -maxdepth 1 -name '*.so*' -exec strip --strip-unneeded {} + -exec patchelf --set-rpath '$ORIGIN' {} +
    find "$libs/plugins" -name '*.so' -exec strip --strip-unneeded {} + -exec patchelf --set-rpath '$ORIGIN/../..' {} +
    find "$bundle/bin" "$bundle/tests" -maxdepth 1 -type f -perm -u+x ! -name '*.sh' -exec patchelf --set-rpath '$ORIGIN/../lib/polyad' {} + 2>/dev/null || true
}

check() {
    local found missing
    found=$(grep -rlF "$root" "$bundle/bin" "$bundle/lib" "$bundle/share" || true)
    [ -z "$found" ] || { say "names the build folder: $found"; return 1; }
    missing=$(find "$bundle" -type f \( -name '*.so*' -o -path '*/bin/polyad*' \) -exec ldd {} + 2>/dev/null | grep 'not found' || true)
    [ -z "$missing" ] || { say "$missing"; return 1; }
    "$bundle/bin/polyad-cli" --version
    QT_QPA_PLATFORM=offscreen "$bundle/bin/polyad" --sample --grab "$out/window.png"
    check_desktop
}

# The menu entry names this folder, bash completes, and both go without a trace.
check_desktop() {
    local data
    data=$(mktemp -d)
    XDG_DATA_HOME=$data "$bundle/add-to-desktop.sh"
    grep -qxF "Exec=\"$bundle/bin/polyad\" %F" "$data/applications/org.polyad.Polyad.desktop"
    bash -c '. "$1" && complete -p polyad-cli' bash "$data/bash-completion/completions/polyad-cli"
    XDG_DATA_HOME=$data "$bundle/add-to-desktop.sh" --remove
    [ -z "$(find "$data" -iname '*polyad*')" ]
    rm -r "$data"
}

pack() { tar -C "$out" -cf - "$name" | xz -T0 -9 >"$out/$name.tar.xz"; }

install_packages bundle
tell_cuda yes
tell_arrow
POLYAD_CMAKE_ARGS="${POLYAD_CMAKE_ARGS:-} -DCMAKE_CUDA_ARCHITECTURES=$arch"
if [ "$with_tests" = yes ]; then build release all polyad_screenshots; else build release polyad_manual polyad-cli_manual $(command -v nvcc >/dev/null && echo polyad_cuda) $arrow_target; fi
step "Stage the bundle" stage
[ "$with_tests" = no ] || step "Stage the tests" stage_tests
step "Collect libraries" collect_libraries
step "Make it relocatable" relocate
step "Check the bundle" check
say "    $bundle ($(du -sh "$bundle" | cut -f1))"
if [ "$archive" = yes ]; then
    step "Pack" pack
    say "    $out/$name.tar.xz ($(du -h "$out/$name.tar.xz" | cut -f1))"
fi
