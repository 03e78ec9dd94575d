#!/usr/bin/env bash
# Adds a decoder the way README says, to a copy of the working files: variants/examples/template.rs and one line in
# the registry. Then checks that it is tested, listed, verified, ranked, charted and benchmarked with nothing else
# touched, and that a file without its line is noticed.
#
# Usage: tests/add_a_variant.sh [--counts]     --counts: its instructions as well (valgrind, some minutes more)
set -euo pipefail
cd "$(dirname "$0")/.."

name=leb128_fresh
type=Leb128Fresh
capture=vlp16-columns
counts=${1:-}
case $counts in "" | --counts) ;; *) echo "usage: $0 [--counts]" >&2; exit 2 ;; esac

# A fixed place, so that a second run replaces what the first one built; the dependencies are built once for all.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
copy=$CARGO_TARGET_DIR/add_a_variant
rm -rf "$copy"
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/out"
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar --create --null --files-from - | tar --extract --directory "$copy"
cd "$copy"

# What README's three commands do.
sed -e '/^\/\/ Only as an example/,$d' -e "s/use variants::/use crate::/; s/Leb128Yours/$type/g" \
  variants/examples/template.rs >"variants/$name.rs"
sed -i "s/^registry! { \\$/&\n    $name::$type,/" variants/lib.rs

# Runs a command, with what it prints in out/log.
run() {
  "$@" >out/log 2>&1 || { cat out/log; echo "FAILED: $*" >&2; exit 1; }
}

# shows FILE TEXT WHAT: the file has the text.
shows() {
  grep -q -e "$2" "$1" || { tail -n 40 "$1"; echo "FAILED: $3: no $2 in $1" >&2; exit 1; }
  echo "ok: $3"
}

lab() {
  run cargo run --quiet --locked -- "$@"
}

run cargo test --locked -p variants --test conformance "$name::"
shows out/log "test $name::all_two_byte_inputs ... ok" "tested: $(grep -c "^test $name::.* ok$" out/log) properties hold"

cp "variants/$name.rs" variants/leb128_stray.rs
if cargo test --locked -p variants --test conformance every_file_is_registered >out/log 2>&1; then
  echo "FAILED: a file that is not registered goes unnoticed" >&2
  exit 1
fi
shows out/log "leb128_stray" "a file without a line in the registry fails every_file_is_registered"
rm variants/leb128_stray.rs

lab list
shows out/log "$name" "listed"
lab verify --variant "$name" --capture "$capture"
shows out/log "1 variant" "verified"
lab rank --variant "$name" leb128_loop --capture "$capture" --rounds 5 --json
shows out/log "\"variant\":\"$name\"" "ranked"
lab report --quick --capture "$capture" --out out/reports
shows out/reports/results.md "\`$name\`" "in the report's table"
grep -l "$name" out/reports/charts/*.svg >out/log || true
shows out/log "svg" "in $(wc -l <out/log) charts"

run cargo test --quiet --locked --bench time -- "$capture/$name\$"
shows out/log "tokens/rows/$capture/$name" "benchmarked"

if [ "$counts" = --counts ]; then
  lab gate --update --only "*/$name" --baseline out/gate.csv
  shows out/log "new .*$name" "counted, and new to the gate"
  shows out/gate.csv "$name" "accepted by the gate"
fi
