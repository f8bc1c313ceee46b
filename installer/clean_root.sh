# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced after common.sh: a bare Debian 12 in a folder, to prove things on a machine that has nothing yet.
# Downloads are kept in ~/.cache/polyad, so that only the first one waits for them.

root_cache="${XDG_CACHE_HOME:-$HOME/.cache}/polyad"
root_binds=() # FOLDER_HERE:FOLDER_THERE, mounted for each command

# Why no root can be made here; nothing where one can.
clean_root_obstacle() {
    [ "$(id -u)" -eq 0 ] || { echo "chroot needs root"; return; }
    command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; return; }
    command -v apt-get >/dev/null || { echo "this is no Debian system"; return; }
    unshare --mount --pid --fork true 2>/dev/null || { echo "this system forbids mounting (unshare --mount)"; return; }
    local probe
    probe=$(mktemp -d)
    mknod "$probe/null" c 1 3 2>/dev/null && echo x 2>/dev/null >"$probe/null" || echo "device files cannot be made in $probe"
    rm -rf "$probe"
    wget -q --timeout=20 --tries=2 --spider "$(debian_mirror)/dists/bookworm/Release" || echo "the package mirror $(debian_mirror) does not answer"
}

# "deb URI SUITE main" for the Debian 12 suites this machine takes its own packages from.
debian_sources() {
    local found
    found=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null \
        | awk '$2 ~ /^bookworm(-updates|-security)?$/ && $3 == "main" && $1 ~ /debian/ { print "deb", $1, $2, $3 }' | sort -u)
    printf '%s\n' "${found:-deb http://deb.debian.org/debian bookworm main}"
}

debian_mirror() { debian_sources | awk '$3 == "bookworm" { sub(/\/$/, "", $2); print $2; exit }'; }

make_base_root() {
    rm -rf "$root_cache/base"
    mkdir -p "$root_cache/base"
    debootstrap --variant=minbase bookworm "$root_cache/base" "$(debian_mirror)"
    debian_sources >"$root_cache/base/etc/apt/sources.list"
    rm -rf "$root_cache/base/var/cache/apt/archives"/*.deb
    tar -C "$root_cache/base" -cf "$root_cache/bookworm.tar.part" .
    mv "$root_cache/bookworm.tar.part" "$root_cache/bookworm.tar"
    rm -rf "$root_cache/base"
}

# clean_root FOLDER: unpacks a bare Debian 12 there. apt uses this machine's names and proxy.
clean_root() {
    [ -e "$root_cache/bookworm.tar" ] || make_base_root
    rm -rf "$1"
    mkdir -p "$1"
    tar -C "$1" -xf "$root_cache/bookworm.tar"
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    apt-config dump | grep -E '^Acquire::(http|https|ftp)::Proxy' >"$1/etc/apt/apt.conf.d/99proxy" || true
    cp "$root_cache"/archives/*.deb "$1/var/cache/apt/archives/" 2>/dev/null || true
}

# remove_root FOLDER: keeps what apt fetched there for the next one. (A copy, as apt locks the folder it works in.)
remove_root() {
    mkdir -p "$root_cache/archives"
    cp -n "$1"/var/cache/apt/archives/*.deb "$root_cache/archives/" 2>/dev/null || true
    rm -rf "$1"
}

# in_root FOLDER COMMAND…: runs it there with an environment as bare as the system, POLYAD_CMAKE_ARGS apart. The mounts are seen by this
# command alone and go with it, and so does whatever it leaves running.
in_root() {
    local folder=$1
    shift
    # shellcheck disable=SC2016
    POLYAD_CMAKE_ARGS=${POLYAD_CMAKE_ARGS:-} unshare --mount --pid --fork --kill-child bash -c '
        folder=$1 count=$2; shift 2
        mount -t proc proc "$folder/proc" && mount -t tmpfs tmpfs "$folder/dev/shm" && mount -t devpts devpts "$folder/dev/pts" || exit 1
        while [ "$count" -gt 0 ]; do
            mkdir -p "$folder${1#*:}" && mount --bind "${1%%:*}" "$folder${1#*:}" || exit 1
            shift; count=$((count - 1))
        done
        trap "exit 130" INT TERM # this shell is process 1, which signals without a trap do not reach
        chroot "$folder" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb POLYAD_CMAKE_ARGS="$POLYAD_CMAKE_ARGS" "$@"
    ' in_root "$folder" ${#root_binds[@]} ${root_binds[@]+"${root_binds[@]}"} "$@"
}
