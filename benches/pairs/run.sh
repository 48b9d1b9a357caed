#!/bin/sh
# On the machine with the GPU, in the folder that `cargo xtask bench pairs` left: each program's SYCL version and its CUDA version run in turns, three
# times each (TURNS), with the arguments of their makefiles; prints a line a program, `NAME ratio=… ours=… peer=…` in µs, then the median and how many are at most
# 1.10. What counts is what a program says of its kernels' time, under labels that both versions have; the best of all turns.
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ASPEN_DEVICE_SELECTOR='cuda:*'
limit=${LIMIT:-20}  # seconds of a run: some compute their reference on one thread of the host for minutes
turns=${TURNS:-1 2 3}
rm -rf out
mkdir out
: >out/all
for program in ${*:-*/}; do
  name=${program%/}
  [ -f "$name/ours/line" ] && [ -f "$name/peer/line" ] || continue
  for turn in $turns; do
    for side in peer ours; do
      (cd "$name/$side" && timeout -k 5 "$limit" sh -c "$(cat line)") >"out/$name.$side.$turn" 2>&1 </dev/null
      status=$?
      [ $status -eq 0 ] || { echo "# $name: $side ends with $status"; continue 3; }
      ! grep -qwiE 'fail|failed|mismatch|incorrect' "out/$name.$side.$turn" || { echo "# $name: $side is wrong"; continue 3; }
    done
  done
  echo "$name" >>out/all
done
while read -r name; do
  awk -v name="$name" '
    FNR == 1 { side = FILENAME ~ /\.ours\.[0-9]+$/ ? "ours" : "peer"; file = FILENAME; files[file] = side }
    {
      lower = tolower($0)
      if (lower !~ /kernel/ || lower !~ /time/) next
      label = ""
      for (i = 1; i < NF; ++i) {
        unit = $(i + 1); gsub(/[^a-zA-Z]/, "", unit)
        number = $i; gsub(/^[():,=]+|[():,=]+$/, "", number)
        scale = unit == "ns" ? 1e-3 : unit ~ /^(us|microseconds)$/ ? 1 : unit ~ /^(ms|milliseconds)$/ ? 1e3 : unit ~ /^(s|sec|secs|seconds)$/ ? 1e6 : 0
        if (scale && number ~ /^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/) { sum[file, label] += number * scale; labels[label] = 1 }
        word = $i; gsub(/[0-9]/, "", word); label = label " " word
      }
    }
    END {
      for (label in labels) {
        split("", best)
        for (file in files)
          if ((file, label) in sum && (!(files[file] in best) || sum[file, label] < best[files[file]])) best[files[file]] = sum[file, label]
        if (("ours" in best) && ("peer" in best)) { ours += best["ours"]; peer += best["peer"] }
      }
      if (peer > 0) printf "%s ratio=%.3f ours=%.2f peer=%.2f\n", name, ours / peer, ours, peer
      else printf "# %s: no times to compare\n", name
    }' out/"$name".ours.* out/"$name".peer.*
done <out/all >out/ratios
cat out/ratios
sed -n 's/.* ratio=\([0-9.]*\).*/\1/p' out/ratios | sort -n | awk '
  { v[NR] = $1; if ($1 <= 1.10) ++few }
  END { if (NR) printf "median ratio=%.3f programs=%d at-most-1.10=%.0f%% p90=%.3f\n", v[int((NR + 1) / 2)], NR, 100 * few / NR, v[int((9 * NR + 9) / 10)] }'
