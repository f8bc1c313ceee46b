#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run inside a bare Debian 12 by installer/test-package.sh, which puts packages and this folder into /test.
#   installed.sh runs | desktop | develops | leaves-nothing     in this order
set -u
cd /test || exit 1
. ./facts # build_folder, version
sample=/usr/share/polyad/samples/flights/flights.tns
failures=0

# check "what" command…: prints the command's output when it fails.
check() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $what"
    else
        printf 'FAILED  %s\n%s\n' "$what" "$output"
        failures=$((failures + 1))
    fi
}
# prints TEXT command…: the command succeeds and its output contains TEXT.
prints() {
    local text=$1 output
    shift
    output=$("$@" 2>&1) && [[ $output == *"$text"* ]] || { printf '%s\n(expected: %s)\n' "$output" "$text"; return 1; }
}
refuses() { ! "$@"; }
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; }
nothing() { # command…: prints nothing
    local output
    output=$("$@" 2>&1)
    [ -z "$output" ] || { printf '%s\n' "$output"; return 1; }
}

all_libraries_found() {
    local found
    found=$(ldd /usr/bin/polyad /usr/bin/polyad-cli /usr/lib/polyad/*.so 2>&1) && [[ $found != *"not found"* ]] || { echo "$found"; return 1; }
}
no_build_path() { nothing grep -rlF "$build_folder" /usr/bin/polyad /usr/bin/polyad-cli /usr/lib/polyad /usr/share/polyad /usr/share/doc/polyad; }
# Predicting the mean of the training entries gives 0.9633 (docs/guide/charts.md).
learns() {
    local rmse
    polyad-cli run $sample --rank 8 --iterations 20 --output model.h5 --force || return 1
    rmse=$(polyad-cli evaluate model.h5 $sample --part test | sed -n 's/^RMSE *//p')
    echo "test RMSE $rmse"
    awk -v rmse="$rmse" 'BEGIN { exit !(rmse > 0.5 && rmse < 0.95) }'
}
# The first page without a tensor packs into 80 kB; this one has a table and a histogram and takes 200 kB.
window_opens() {
    QT_QPA_PLATFORM=offscreen timeout 60 polyad --sample --grab window.png || return 1
    [ "$(head -c 4 window.png | tail -c 3)" = PNG ] && [ "$(stat -c %s window.png)" -gt 120000 ] || { ls -l window.png; return 1; }
}
window_misses_file() {
    local output status=0
    output=$(QT_QPA_PLATFORM=offscreen timeout 60 polyad --grab none.png /nowhere.tns 2>&1) || status=$?
    [ "$status" -eq 1 ] && [[ $output == *"shows no tensor"* ]] || { echo "$status: $output"; return 1; }
}

part_runs() {
    check "package lists" apt-get update -qq
    check "installs with what it depends on" install ./polyad_*.deb
    check "all libraries found" all_libraries_found
    check "no path of the build machine" no_build_path
    check "polyad-cli --version" prints "polyad-cli $version" polyad-cli --version
    check "polyad --version" prints "polyad $version" polyad --version
    check "a small decomposition" learns
    check "the window opens on the sample" window_opens
    check "the window tells of a file that is not there" window_misses_file
    check "no CUDA module: said" prints "the CUDA module is not installed" polyad-cli list devices
    if ls polyad-cuda_*.deb >/dev/null 2>&1; then
        check "the CUDA module installs" install ./polyad-cuda_*.deb
        check "the CUDA module's libraries found, no build path" eval 'all_libraries_found && no_build_path'
        check "no driver: said" prints "the NVIDIA driver is not installed" polyad-cli list devices
        check "the CPU still works" learns
    fi
}

opens_on_double_click() {
    local deadline=$((SECONDS + 20)) file found
    QT_QPA_PLATFORM=offscreen gio open $sample || return 1
    while [ "$SECONDS" -lt "$deadline" ]; do
        for file in /proc/[0-9]*/cmdline; do
            found=$(tr '\0' ' ' <"$file" 2>/dev/null)
            [ "$found" = "polyad $sample " ] || continue
            kill "$(basename "$(dirname "$file")")"
            return 0
        done
        sleep 0.2
    done
    echo "no process \"polyad $sample\""
    return 1
}
completion_loads() {
    # shellcheck disable=SC1091
    bash -c '. /usr/share/bash-completion/bash_completion && _completion_loader polyad-cli; complete -p polyad-cli'
}
page_renders() { prints "$2" env MANWIDTH=100 LC_ALL=C.UTF-8 man "$1"; } # NAME TEXT
page_warnings() { nothing bash -c 'LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l "$(man -w "$1")" 2>&1 >/dev/null' - "$1"; }

part_desktop() {
    check "tools to look at it" install desktop-file-utils appstream shared-mime-info libglib2.0-bin xdg-utils libfile-mimeinfo-perl \
        man-db bash-completion lintian
    check "lintian: no error, no warning" lintian --allow-root --fail-on error,warning ./*.deb
    check "desktop entry" desktop-file-validate /usr/share/applications/org.polyad.Polyad.desktop
    check "metainfo" appstreamcli validate --no-net /usr/share/metainfo/org.polyad.Polyad.metainfo.xml
    check "metainfo tells of this version" grep -q "<release version=\"$version\"" /usr/share/metainfo/org.polyad.Polyad.metainfo.xml
    check "icon" grep -q '<svg' /usr/share/icons/hicolor/scalable/apps/org.polyad.Polyad.svg
    gzip -c $sample >flights.tns.gz
    cp model.h5 session.polyad
    check "gio knows .tns" prints "text/x-sparse-tensor" gio info -a standard::content-type $sample
    check "gio knows .tns.gz" prints "application/x-sparse-tensor-gzip" gio info -a standard::content-type flights.tns.gz
    check "gio knows .polyad" prints "application/x-polyad-session" gio info -a standard::content-type session.polyad
    check "xdg-mime knows .tns" prints "text/x-sparse-tensor" xdg-mime query filetype $sample
    check "xdg-mime opens .tns with it" prints "org.polyad.Polyad.desktop" xdg-mime query default text/x-sparse-tensor
    check "gio opens .tns with it" prints "org.polyad.Polyad.desktop" gio mime text/x-sparse-tensor
    check "a double click opens the file" opens_on_double_click
    check "page polyad-cli(1)" page_renders polyad-cli "--deterministic"
    check "page polyad(1)" page_renders polyad "--sample"
    check "pages without warnings" eval 'page_warnings polyad && page_warnings polyad-cli'
    check "completion loads" completion_loads
    check "completion completes" bash completion_test.sh "$(command -v polyad-cli)" /usr/share/bash-completion/completions/polyad-cli
}

builds_example() {
    cp -r /usr/share/doc/libpolyad-dev/examples/decompose example && cmake -S example -B example/build && cmake --build example/build
}
# What it prints is what polyad-cli finds in the model it wrote.
example_agrees() {
    local rmse
    rmse=$(example/build/decompose $sample example.h5 | sed -n 's/.*RMSE //p')
    echo "the example printed $rmse"
    [ -n "$rmse" ] && prints "RMSE $rmse" polyad-cli evaluate example.h5 $sample --part test
}
headers_compile() {
    mkdir -p headers
    (cd /usr/include/polyad && find . -name '*.h') | sed 's|^\./\(.*\)|#include "\1"|' >headers/all.cpp
    sed 's/decompose/headers/; s/add_executable(.*/add_library(headers all.cpp)/; s/(decompose PRIVATE/(headers PRIVATE/' example/CMakeLists.txt >headers/CMakeLists.txt
    cmake -S headers -B headers/build && cmake --build headers/build
}
refuses_newer() {
    mkdir -p newer
    sed 's/Polyad 0.1/Polyad 99/' example/CMakeLists.txt >newer/CMakeLists.txt
    touch newer/main.cpp
    prints "requested version \"99\"" eval 'cmake -S newer -B newer/build 2>&1 || true'
}

part_develops() {
    check "libpolyad-dev installs" install ./libpolyad-dev_*.deb g++ cmake make
    check "the example builds" builds_example
    check "the example runs and agrees with polyad-cli" example_agrees
    check "all installed headers compile" headers_compile
    check "find_package refuses another version" refuses_newer
}

part_leaves_nothing() {
    check "a file is there before" test -e /usr/lib/polyad/libpolyad_kernels.so
    check "packages removed" apt-get purge -y -qq 'polyad*' 'libpolyad*'
    check "no file left" nothing find / -xdev \( -path /test -o -path /root -o -path /tmp -o -path /var/cache/apt \) -prune -o -iname '*polyad*' -print
    check "no package left half installed" nothing dpkg --audit
    check "gio has forgotten .tns" refuses grep -rq sparse-tensor /usr/share/mime /usr/share/applications
}

"part_${1//-/_}"
[ "$failures" -eq 0 ]
