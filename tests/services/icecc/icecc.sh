#!/bin/sh
# icecc.sh TARGET…: makes parts of the project through icecream: a scheduler and daemons on 127.0.0.1, with ports, sockets and folders of
# their own. The tarball of the compiler is in this folder.
set -eu
PATH=$PATH:/usr/sbin:/sbin
here=$(mktemp -d -p /tmp)
chmod 777 "$here"
daemons=
stop() {
  for daemon in $daemons; do kill "$daemon" || true; done
  sleep 1
  rm -rf "$here"
}
trap stop EXIT
# Daemons hand it to compilers, which run in another root.
unset TMPDIR
export ICECC_SCHEDULER=127.0.0.1:27501
icecc-scheduler -p 27501 -n aspen-test -l "$here/scheduler.log" -vvv &
daemons="$daemons $!"
for node in one two client; do
  mkdir "$here/$node"
  chown nobody "$here/$node"
  case $node in
  one) words='-p 27511 -m 2' ;;
  two) words='-p 27512 -m 2' ;;
  client) words='-p 27513 --no-remote -m 0' ;;
  esac
  ICECC_TEST_SOCKET="$here/$node.socket" \
    iceccd -s 127.0.0.1:27501 -n aspen-test -N "$node" -b "$here/$node" -u nobody -l "$here/$node.log" -vvv $words &
  daemons="$daemons $!"
done
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if [ "$(grep -c login "$here/scheduler.log" 2> /dev/null)" = 3 ]; then break; fi
  sleep 0.5
done
ICECC_VERSION=$(realpath aspen-*.tar.gz)
# icecream runs here only what it knows by name.
ICECC_CXX=$(command -v aspen++)
export ICECC_CXX ICECC_VERSION ICECC_TEST_SOCKET="$here/client.socket" ICECC_TEST_REMOTEBUILD=1 ICECC_CARET_WORKAROUND=0
make -s -j4 FLAGS='-O1 -Wall -fsycl-targets=native_cpu' LAUNCHER=icecc COMPILER=clang++ \
  "$@" > words 2>&1 || { tail -n 50 words "$here"/*.log; exit 1; }
cat words
first=$(grep -c 'remote compile arguments' "$here/one.log") second=$(grep -c 'remote compile arguments' "$here/two.log")
some='each had some'
if [ "$first" = 0 ] || [ "$second" = 0 ]; then some="one had $first, the other $second"; fi
echo "$((first + second)) compiled elsewhere, $some"
