#!/usr/bin/env bash
# The cost of each derivation scheme: the measurement behind the default of `standard`.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo bench -p amq-hashing --bench hashing -- "${@:-positions}"
