#!/usr/bin/env bash
# Coverage-guided fuzzing of the readers of saved forms, wire forms, the filters of other systems and definitions, on the stable toolchain: so many seconds each (60), from the
# corpora in scripts/fuzz/corpus and the built-in definitions. What it finds stays in scripts/fuzz/artifacts; make a test of it.
set -euo pipefail
cd "$(dirname "$0")/fuzz"
seconds=${1:-60}
target=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# With a target named, build scripts are not instrumented.
RUSTFLAGS="$flags" cargo build --release --target "$target"
mkdir -p artifacts
for name in load wire formats definition; do
    corpus=corpus/$name most=1024
    # Those of the harness, which are longer.
    [[ $name != definition ]] || corpus=../../experiments/defs most=16384
    found=$(mktemp -d)
    # New inputs go to a folder of their own: the committed corpora stay small.
    "target/$target/release/$name" -max_total_time="$seconds" -max_len="$most" -timeout=2 -print_final_stats=1 \
        -artifact_prefix="artifacts/$name-" "$found" "$corpus"
    rm -r "$found"
done
