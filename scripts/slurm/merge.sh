#!/usr/bin/env bash
#SBATCH --job-name=bloomery-merge
# After the array of submit.sh: derived data, figures and report of all shards, or the names of those that are missing.
set -euo pipefail
exec "$EXPERIMENTS" merge "$1" "$1"
