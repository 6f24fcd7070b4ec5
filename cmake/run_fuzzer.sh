#!/usr/bin/env bash
# run_fuzzer.sh BUILD/bin/NAME_fuzz SECONDS: starts from the inputs in testdata/fuzz/NAME and puts new ones in a
# directory that is then removed, so that no run depends on the last one. A failing input is kept in BUILD/crashes/.
set -euo pipefail
fuzzer=$1 seconds=$2
name=$(basename "$fuzzer" _fuzz)
known=$(dirname "${BASH_SOURCE[0]}")/../testdata/fuzz/$name
crashes=$(dirname "$fuzzer")/../crashes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$crashes" "$work/new"

inputs=("$work/new")
[[ ! -d $known ]] || inputs+=("$known")
if ! "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="$crashes/$name-" "${inputs[@]}" >"$work/log" 2>&1 </dev/null; then
  tail -n 60 "$work/log"
  echo "$name: FAILED; the input is in $(realpath "$crashes")"
  exit 1
fi
echo "$name: $(awk '/number_of_executed_units/ { print $2 }' "$work/log") executions in $seconds s, no failure"
