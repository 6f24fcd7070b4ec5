#!/usr/bin/env bash
# Arcwise on the files of three systems that already run: is the cluster fine, what do failures cost, what does one node
# more move, and how does the ring look before and after? Pictures and plans go to ./out/.
#
#   examples/demo.sh [--once]     --once does not wait for Enter between the parts
#
# $ARCWISE is the program; build/bin/arcwise is taken otherwise.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${ARCWISE:-$here/../build/bin/arcwise}
out=out
once=false

case "${1:-}" in
  '') ;;
  --once) once=true ;;
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "demo.sh: unknown argument '$1'; --once is the only one" >&2; exit 2 ;;
esac
[[ -t 0 && -t 1 ]] || once=true
[[ -x $program ]] || { echo "demo.sh: no $program; build it with ./dev build, or set ARCWISE" >&2; exit 2; }

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

part() { printf '\n%s== %s ==%s\n' "$bold" "$*" "$plain"; }

# Shows the command as one would type it, then runs it. Files of this folder are shown by the name they have here.
show() {
  local word line='arcwise'
  for word in "$@"; do
    word=${word#"$here/"}
    if [[ $word == *[!A-Za-z0-9_./:=,%@+-]* ]]; then line+=" '$word'"; else line+=" $word"; fi
  done
  printf '\n%s$ %s%s\n' "$bold" "$line" "$plain"
  "$program" "$@"
}

pause() {
  $once && return
  read -rsp $'\n[Enter] ' || true
  echo
}

mkdir -p "$out"

part "twemproxy: five memcached servers, one of double weight (nutcracker.yml)"
show status "$here/nutcracker.yml" --pool sessions
show risk "$here/nutcracker.yml" --pool sessions
pause
show plan "$here/nutcracker.yml" --pool sessions --add cache-f,address=10.0.4.16:11211 \
  --data 320GB --node-bandwidth 100MB/s -f $out/nutcracker-plan.json --write-map $out/nutcracker-after.yaml
show draw "$here/nutcracker.yml" --pool sessions -o $out/nutcracker-before.svg
show draw $out/nutcracker-after.yaml -o $out/nutcracker-after.svg
pause

part "Cassandra: six nodes in three racks, 16 tokens each (nodetool ring)"
show status "$here/nodetool-ring.txt"
show risk "$here/nodetool-ring.txt"
pause
show plan "$here/nodetool-ring.txt" --add 10.1.1.13,rack=rack1,zone=dc1 \
  --data 440GB --node-bandwidth 250MB/s --joiner-bandwidth 1GB/s --utilisation 60% \
  -f $out/nodetool-ring-plan.json --write-map $out/nodetool-ring-after.yaml
show draw "$here/nodetool-ring.txt" -o $out/nodetool-ring-before.svg
show draw $out/nodetool-ring-after.yaml --title "nodetool-ring.txt with 10.1.1.13" -o $out/nodetool-ring-after.svg
pause

part "Redis Cluster: three masters with a replica each, then a fourth pair (CLUSTER NODES)"
show status "$here/cluster-nodes.txt"
show risk "$here/cluster-nodes.txt"
pause
show plan "$here/cluster-nodes.txt" --to "$here/cluster-nodes-after.txt" --data 200GB --node-bandwidth 100MB/s \
  -f $out/cluster-nodes-plan.json
show draw "$here/cluster-nodes.txt" -o $out/cluster-nodes-before.svg
show draw "$here/cluster-nodes-after.txt" -o $out/cluster-nodes-after.svg

part "Done"
echo "In ./$out/: the rings before and after (.svg), the plans (.json) and the maps after them (.yaml)."
