#!/bin/sh
# On the machine with the GPU, in the folder that `cargo xtask bench gpu` left: one line a row, `LABEL ratio=… ours=… peer=…` in µs, a side as
# minimum..median. Both sides run in turns, three times each, since launches depend on which processors a process gets: the minimum is that of
# all runs, the median the middle one of the runs' medians.
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ASPEN_DEVICE_SELECTOR='cuda:*'
status=0
for turn in 1 2 3; do
  ./cuda kernels.cubin || status=1
  ./ours || status=1
done >figures.txt
grep -v '|' figures.txt
awk -F'|' '
  function middle(list,   n, v, i, j, t) {
    n = split(list, v, " ")
    for (i = 2; i <= n; ++i)
      for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; --j) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    return v[int((n + 1) / 2)]
  }
  NF == 4 {
    if (!(($1, $2) in best) || $3 + 0 < best[$1, $2]) best[$1, $2] = $3 + 0
    medians[$1, $2] = medians[$1, $2] " " $4
    if ($1 == "ours" && !($2 in known)) { known[$2] = 1; rows[++count] = $2 }
  }
  END {
    for (i = 1; i <= count; ++i) {
      row = rows[i]; ours = middle(medians["ours", row]); peer = middle(medians["peer", row])
      if (peer > 0)
        printf "%s ratio=%.2f ours=%.1f..%.1f peer=%.1f..%.1f\n", row, ours / peer, best["ours", row], ours, best["peer", row], peer
    }
  }' figures.txt
exit $status
