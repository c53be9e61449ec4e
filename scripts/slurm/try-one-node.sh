#!/usr/bin/env bash
# Brings up a SLURM of this one machine in a temporary folder and holds submit.sh to what it says: of four shards one
# fails, the merge names it, the same command again measures it alone, and all rows are those of one run, byte for byte.
# Needs root and the packages slurmctld slurmd slurm-client munge; a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in slurmctld slurmd sbatch squeue munged; do
    command -v $tool > /dev/null || { echo "not tried: there is no $tool (packages slurmctld slurmd slurm-client munge)"; exit 77; }
done
program=$(realpath "${EXPERIMENTS:-${CARGO_TARGET_DIR:-target}/debug/experiments}")
home=$(mktemp -d)
chmod 755 "$home"
started=()
trap 'kill "${started[@]}" 2> /dev/null || true; wait; rm -rf "$home"' EXIT
if ! munge -n > /dev/null 2>&1; then
    install -d -o munge -g munge -m 755 /run/munge
    setpriv --reuid munge --regid munge --init-groups munged --foreground > "$home/munged.log" 2>&1 & started+=($!)
fi
node=$(hostname -s)
export SLURM_CONF=$home/slurm.conf
cat > "$SLURM_CONF" << END
ClusterName=one
SlurmctldHost=$node
SlurmUser=root
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
NodeName=$node CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
mkdir "$home/state" "$home/spool"
slurmctld -D > "$home/slurmctld.log" 2>&1 & started+=($!)
slurmd -D > "$home/slurmd.log" 2>&1 & started+=($!)

# Waits for a condition, a minute at most.
until_true() {
    for _ in $(seq 240); do
        if eval "$1"; then return; fi
        sleep 0.25
    done
    echo "waited in vain for: $1" >&2
    tail -n 5 "$home"/*.log >&2
    exit 1
}
until_true 'sinfo -h -o %T 2> /dev/null | grep -q idle'

# The third shard fails the first time.
cat > "$home/experiments" << END
#!/bin/sh
case "\$*" in *"--shard 3/4"*) [ -e $home/failed ] || { touch $home/failed; exit 1; };; esac
exec $program "\$@"
END
chmod +x "$home/experiments"
export EXPERIMENTS=$home/experiments
what=(fpr-vs-k partitioned-vs-standard --scale smoke)
scripts/slurm/submit.sh 4 "$home/out" "${what[@]}"
until_true '[ -z "$(squeue -h)" ]'
grep -q "shard 3/4 is not there" "$home"/out/slurm/*/merge.log || { cat "$home"/out/slurm/*/*.log >&2; exit 1; }
second=$(scripts/slurm/submit.sh 4 "$home/out" "${what[@]}")
echo "$second"
grep -q "^shards 3 of 4" <<< "$second"
until_true '[ -z "$(squeue -h)" ]'
"$program" run "${what[@]}" --out "$home/whole" > /dev/null 2>&1
for rows in "$home"/whole/raw/*/*/rows.csv; do
    cmp "$rows" "$home/out/${rows#"$home/whole/"}"
done
"$program" check --out "$home/out"
echo "four shards on one node, one of them submitted twice: every row as in one run"
