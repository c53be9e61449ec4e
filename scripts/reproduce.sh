#!/usr/bin/env bash
# From a clean clone to report, paper and a table of the paper's claims; --help says how.
set -euo pipefail
usage="usage: scripts/reproduce.sh [--scale smoke|quick|full] [--out FOLDER]
  --scale   how much is measured [default: quick]
  --out     where all of it goes [default: results/local/reproduced of the repository]"
wrong() { printf '%s\n%s\n' "$1" "$usage" >&2; exit 2; }

from=$PWD
cd "$(dirname "$0")/.."
scale=quick out=results/local/reproduced
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) echo "$usage"; exit 0 ;;
    --scale) scale=${2-}; shift $(($# > 1 ? 2 : 1)) ;;
    --out)
      case "${2-}" in
        "") wrong "--out needs a folder" ;;
        /*) out=$2 ;;
        *) out=$from/$2 ;;
      esac
      shift 2 ;;
    *) wrong "unknown argument \`$1\`" ;;
  esac
done
case "$scale" in
  smoke) takes="1 minute of measuring; it leaves out points that the paper shows, which is not set" ;;
  quick) takes="10 minutes of measuring, 60 MB" ;;
  full) takes="about 2 hours of measuring (42 minutes of counts, 57 of times), 100 MB; let the machine do nothing else" ;;
  *) wrong "--scale is \`$scale\`, but must be smoke, quick or full" ;;
esac
echo "Scale $scale, into $out. On 2 cores: 7 minutes of compiling, then $takes."
echo "Needs cargo and, the first time, the network for crates. Stopped, the same command goes on where it was."

# One build for both programs: built one by one they share little, as each asks other features of the same crates.
cargo build --locked -p experiments -p paper --features experiments/peers
programs=${CARGO_TARGET_DIR:-target}/debug
failed=()
step() {
  local name=$1
  shift
  local code=0
  "$@" || code=$?
  # Ctrl-C, which the programs answer by finishing a row.
  [ $code -ne 130 ] || exit 130
  [ $code -eq 0 ] || { echo "$name: exit code $code; going on with what there is" >&2; failed+=("$name"); }
}
# Counts first, on all cores; then times, one core, nothing beside.
step "run" "$programs/experiments" run --scale "$scale" --out "$out"
step "run speed" "$programs/experiments" run speed --scale "$scale" --out "$out"
step "check" "$programs/experiments" check --out "$out"
echo "report: $out/index.html"
if [ "$scale" = smoke ]; then
  echo "no paper at smoke scale: take quick or full"
else
  step "paper" "$programs/paper" --results "$out" --figures "$out/paper/figures"
  echo "paper: $out/paper/bloomery.pdf, its tables and figures beside it; every number with its source: $out/paper/tables/numbers.csv"
fi
if [ ${#failed[@]} -gt 0 ]; then
  printf 'not well: %s\n' "${failed[@]}" >&2
  exit 1
fi
