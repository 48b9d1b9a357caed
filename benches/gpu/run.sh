#!/bin/sh
# On the machine with the GPU, in the folder that `cargo xtask bench gpu` left: one line a row, `LABEL ratio=… ours=… peer=…`, medians in µs.
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ASPEN_DEVICE_SELECTOR='cuda:*'
{ ./cuda kernels.cubin && ./ours; } >figures.txt
status=$?
grep -v '|' figures.txt
awk -F'|' 'NF == 4 { best[$1, $2] = $3; middle[$1, $2] = $4; if ($1 == "ours") rows[++count] = $2 }
  END { for (i = 1; i <= count; ++i) { row = rows[i]; if (middle["peer", row] > 0)
    printf "%s ratio=%.2f ours=%.1f..%.1f peer=%.1f..%.1f\n", row, middle["ours", row] / middle["peer", row], best["ours", row], middle["ours", row], best["peer", row], middle["peer", row] } }' figures.txt
exit $status
