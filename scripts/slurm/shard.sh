#!/usr/bin/env bash
#SBATCH --job-name=bloomery-shard
# One task of the array of submit.sh. Killed at its time limit it loses no whole row; submitted again it goes on.
set -euo pipefail
marks=$1 shards=$2 out=$3
shift 3
"$EXPERIMENTS" run --shard "$SLURM_ARRAY_TASK_ID/$shards" --out "$out" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
touch "$marks/done-$SLURM_ARRAY_TASK_ID"
