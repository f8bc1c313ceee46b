#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Writes a program's manual page from what it says with --help: man-page.sh PROGRAM VERSION PAGE
set -euo pipefail
program=$1 version=$2 page=$3
name=$(basename "$program")
export LC_ALL=C.UTF-8

# Help text on standard input, roff on standard output. "  NAME  text" is an item, what stands further right belongs
# to the item above, a line that ends in ":" is a heading, and what follows "Examples:" is shown as it is.
to_roff() {
    awk -v program="$program" -v name="$name" '
        function escape(text) {
            gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); sub(/^[.'\'']/, "\\\\\\&&", text)
            return text
        }
        index($0, program) { at = index($0, program); $0 = substr($0, 1, at - 1) name substr($0, at + length(program)) }
        /^[[:space:]]*$/ { gap = 1; next }
        /^Usage: / { print ".PP\n\\fB" escape(substr($0, 8)) "\\fR"; next }
        /^[A-Z][A-Za-z ]*:$/ { examples = ($0 == "Examples:"); print ".PP\n\\fB" substr($0, 1, length($0) - 1) "\\fR"; gap = 0; next }
        examples && /^  / { print ".PP\n.RS 4\n.nf\n" escape(substr($0, 3)) "\n.fi\n.RE"; next }
        /^  [^ ]/ {
            at = match(substr($0, 3), /  +/)
            print ".TP\n\\fB" escape(at ? substr($0, 3, at - 1) : substr($0, 3)) "\\fR"
            if (at) print escape(substr($0, 2 + at + RLENGTH))
            next
        }
        /^   / { sub(/^ +/, ""); print escape($0); next }
        { if (!text || gap || examples) print ".PP"; examples = 0; text = 1; gap = 0; print escape($0) }'
}

subcommands() { # of the help text on standard input
    awk '/^Subcommands:/ { inside = 1; next } inside && /^  [a-z]/ { print $1; next } inside && /^$/ { exit }'
}

help=$("$program" --help)
summary=$(printf '%s\n' "$help" | grep -m1 -v '^Usage:' | sed 's/^Polyad //; s/\.$//; s/:.*//')
write_page() {
    printf '.\\" Made from `%s --help` by installer/man-page.sh\n' "$name"
    printf '.TH %s 1 "" "Polyad %s" "Polyad"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n' "${name^^}" "$version" "${name//-/\\-}" "${summary,}"
    printf '%s\n' "$help" | to_roff
    local sub text inner
    for sub in $(printf '%s\n' "$help" | subcommands); do
        text=$("$program" "$sub" --help)
        printf '.SH "%s"\n' "${name^^} ${sub^^}"
        printf '%s\n' "$text" | to_roff
        for inner in $(printf '%s\n' "$text" | subcommands); do
            printf '.SS "%s %s %s"\n' "$name" "$sub" "$inner"
            "$program" "$sub" "$inner" --help | to_roff
        done
    done
    printf '.SH "SEE ALSO"\n'
    case $name in polyad) echo '.BR polyad\-cli (1),' ;; *) echo '.BR polyad (1),' ;; esac
    echo '/usr/share/doc/polyad/guide/start.md, /usr/share/doc/polyad/FILE_FORMATS.md'
}
mkdir -p "$(dirname "$page")"
write_page >"$page.part"
mv "$page.part" "$page"
