#!/usr/bin/env bash
# From a clean clone to report, paper and a table of the paper's claims: reproduce.sh [--scale smoke|quick|full] [--out FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."

scale=quick out=results/local/reproduced
while [ $# -gt 0 ]; do
  case "$1" in
    --scale) scale=${2:?--scale needs smoke, quick or full}; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    *) echo "unknown argument \`$1\`; known: --scale smoke|quick|full, --out FOLDER" >&2; exit 2 ;;
  esac
done
case "$scale" in
  smoke) takes="1 minute of measuring; its numbers are too rough for the paper's claims" ;;
  quick) takes="10 minutes of measuring, 60 MB" ;;
  full) takes="about 2 hours of measuring (42 minutes of counts, 57 of times), 100 MB; let the machine do nothing else" ;;
  *) echo "unknown scale \`$scale\`; known: smoke, quick, full" >&2; exit 2 ;;
esac
echo "Scale $scale, into $out. On 2 cores: 7 minutes of compiling, then $takes."
echo "Needs cargo and, the first time, the network for crates. Stopped, the same command goes on where it was."

# One build for both programs: built one by one they share little, as each asks other features of the same crates.
cargo build --locked -p experiments -p paper --features experiments/peers
programs=${CARGO_TARGET_DIR:-target}/debug
# Counts first, on all cores; then times, one core, nothing beside.
"$programs/experiments" run --scale "$scale" --out "$out"
"$programs/experiments" run speed --scale "$scale" --out "$out"
"$programs/experiments" check --out "$out"
"$programs/paper" --results "$out" --out "$out/bloomery.pdf" --tables "$out/tables"
echo "report: $out/index.html; paper: $out/bloomery.pdf; every number of the paper with its source: $out/tables/numbers.csv"
