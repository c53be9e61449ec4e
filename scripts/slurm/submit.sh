#!/usr/bin/env bash
# Measures experiments as a SLURM job array, a shard to a task, and merges the shards when all tasks have ended:
#
#   cargo build -p experiments
#   scripts/slurm/submit.sh N OUT [ID_OR_TAG...] [--scale SCALE] [--seed SEED]
#
# The same command again submits the shards that have not ended well, which go on where they were, and merges again.
# Partition, account, time limit and cores of a task come from SBATCH_... variables; EXPERIMENTS names another program.
set -euo pipefail
if [[ $# -lt 2 || ! $1 =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 N OUT [arguments of \`experiments run\`...]" >&2
    exit 2
fi
shards=$1 out=$(realpath -m "$2")
shift 2
cd "$(dirname "$0")/../.."
EXPERIMENTS=$(realpath -m "${EXPERIMENTS:-${CARGO_TARGET_DIR:-target}/debug/experiments}")
export EXPERIMENTS
[[ -x $EXPERIMENTS ]] || { echo "$EXPERIMENTS: not there; cargo build -p experiments makes it" >&2; exit 2; }
# What has ended well, for these arguments alone.
marks=$out/slurm/$(printf '%s\n' "$shards" "$@" | cksum | cut -d ' ' -f 1)
mkdir -p "$marks"
missing=""
for ((i = 1; i <= shards; i++)); do
    [[ -e $marks/done-$i ]] || missing+=${missing:+,}$i
done
after=()
if [[ -n $missing ]]; then
    job=$(sbatch --parsable --array="$missing" --output="$marks/shard-%a.log" \
        scripts/slurm/shard.sh "$marks" "$shards" "$out" "$@")
    # Whatever became of them: the merge names what is missing.
    after=(--dependency="afterany:${job%%;*}")
    echo "shards $missing of $shards: job $job"
fi
job=$(sbatch --parsable "${after[@]}" --output="$marks/merge.log" scripts/slurm/merge.sh "$out")
echo "merge into $out: job $job, log $marks/merge.log"
