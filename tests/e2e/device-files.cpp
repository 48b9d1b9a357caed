// Device files: every rule of S2 and DESIGN §2 through `aspen targets`, and every kind of bad file with place, line and nearest name.
//# run: aspen targets intel_gpu_9_0_9 --device-config-file up.yaml
//# stdout: intel_gpu_skl
//# stdout~: (?m)^  also +intel_gpu_9_0_9$
//# stdout~: (?m)^  aspects +fp16, accelerator$|(?m)^  aspects +accelerator, fp16$
//# stdout~: (?m)^  sub-group sizes +1, 2, 4, 8$
//# stdout~: (?m)^  compiled by +mycc -device skl9$
//# stdout~: (?m)^  described in +up\.yaml:1:1$
//# run: aspen targets intel_gpu_skl --format json --device-config-file only.yaml
//# stdout~: "fp64"
//# stdout~: "aot_toolchain_options": "-device skl"
//# stdout~: "sub_group_sizes": \[\s+64\s+\]
//# run: aspen targets new_one --device-config-file only.yaml
//# stdout~: (?m)^  aspects *$
//# stdout~: (?m)^  others +none$
//# stdout~: (?m)^  sub-group sizes +not known$
//# run: aspen targets intel_gpu_zz_9 --device-config-file only.yaml
//# stdout~: (?m)^  aspects +gpu, fp64, #103, #4242$
//# stdout~: (?m)^  compiled by +ocloc -device zz-9$
// Further options of the compiler are told as they are handed over.
//# sh: printf 'mine: {aspects: [gpu], aot-toolchain: ocloc, aot-toolchain-options: -q, aot-toolchain-device: skl}\n' > options.yaml; aspen targets mine --device-config-file options.yaml; aspen targets mine --format json --device-config-file options.yaml
//# stdout~: (?m)^  compiled by +ocloc -q -device skl$
//# stdout~: "aot_toolchain_options": "-q -device skl"
// S0's older form, numbers only.
//# run: aspen targets check old.yaml
//# stdout: old.yaml: valid
//# run: aspen targets spir64_gen --device-config-file old.yaml
//# stdout~: (?m)^  aspects +cpu, gpu, accelerator$
// Anchors are YAML; a file that says nothing is a file.
//# run: aspen targets check anchors.yaml
//# stdout: anchors.yaml: valid
//# sh: : > empty.yaml; echo '# later' > comment.yaml; aspen targets check empty.yaml && aspen targets check comment.yaml
//# stdout: empty.yaml: valid
// The same target twice, also under two names, warns; an update of a built-in target does not, and several files follow each other.
//# run: aspen targets check twice.yaml
//# stdout~: (?m)^twice\.yaml:3:1: warning: target 'intel_gpu_9_0_9' stands in this file twice, first in line 1 as 'intel_gpu_skl'; this entry wins$
//# count: 1 stdout warning:
//# run: aspen targets intel_gpu_skl --device-config-file up.yaml --device-config-file only.yaml
//# stdout~: (?m)^  aspects +fp16, accelerator$|(?m)^  aspects +accelerator, fp16$
//# stdout~: (?m)^  sub-group sizes +64$
//# run: aspen++ -fsycl-targets=native_cpu -fsycl-device-config-file=up.yaml -fsycl-device-config-file=twice.yaml -c {self} -o a.o
//# count: 1 stderr warning:
// Lists of what an object depends on have them.
//# run: aspen++ -MM -fsycl-device-config-file=up.yaml -fsycl-device-config-file=only.yaml {self}
//# stdout~: ^device-files\.o: \\\n  device-files\.cpp \\\n  up\.yaml \\\n  only\.yaml$
//# run: aspen++ -M -MF list.d -MT it -fsycl-device-config-file=up.yaml {self}
//# sh: grep -x '  up.yaml .' list.d && head -n 1 list.d
//# stdout: it: \
// A link that knows other aspects of a target than the compile says so: `if_device_has` has chosen already.
//# run: aspen++ -fsycl-targets=own -fsycl-device-config-file=own.yaml -c kernel.cpp -o kernel.o
//# run: aspen++ -fsycl-targets=own -fsycl-device-config-file=own.yaml kernel.o -o kernel
//# count: 0 stderr .
//# sh: sed 's/fp64/fp16/' own.yaml > other.yaml
//# run: aspen++ -fsycl-targets=own -fsycl-device-config-file=other.yaml kernel.o -o kernel
//# stderr~: ^aspen\+\+: warning: 'kernel.o' was compiled with other aspects of target 'own' than this link knows of, and code that asks for aspects may be the wrong one; give the same '-fsycl-device-config-file' to both$
//# count: 1 stderr warning:
// Mistakes: all of a file at once, each where it is.
//# run: aspen targets check wrong.yaml
//# exit: 1
//# stderr~: (?m)^wrong\.yaml:2:19: error: unknown aspect 'fp46'; did you mean 'fp64'\?\n    2 \|   aspects: \[fp16, fp46\]\n      \|                   \^$
//# stderr~: (?m)^wrong\.yaml:3:3: error: unknown field 'sub-group-size'; did you mean 'sub-group-sizes'\?\n    3 \|   sub-group-size: \[8\]\n      \|   \^$
//# stderr~: (?m)^wrong\.yaml:4:3: error: the field 'aot-toolchain' has no value$
//# run: aspen++ -fsycl-targets=native_cpu -fsycl-device-config-file=wrong.yaml -c {self} -o b.o
//# exit: 1
//# stderr~: (?m)^wrong\.yaml:2:19: error: unknown aspect 'fp46'
//# absent: b.o
//# sh: i=0; for t in 'aspects: fp64' 'may_support_other_aspects: perhaps' 'sub-group-sizes: [8, x]' 'sub-group-sizes: [-8]' 'sub-group-sizes: [0]' 'sub-group-sizes: 8' 'aot-toolchain: [a]' 'aspects: {fp64: 1}' 'aspects: [[fp64]]' 'aspects: [fp64' ; do printf 't:\n  %s\n' "$t" > t.yaml; aspen targets check t.yaml > said 2>&1; test $? = 1 || exit 9; grep -m1 error: said | grep -v '^aspen:' || sed -n 2p said; done
//# stdout: t.yaml:2:12: error: expected a list, '[a, b]'
//# stdout: t.yaml:2:30: error: expected 'true' or 'false'
//# stdout: t.yaml:2:24: error: expected a number from 1 to 4294967295
//# stdout: t.yaml:2:21: error: expected a number from 1 to 4294967295
//# stdout: t.yaml:2:21: error: a sub-group has at least one work-item
//# stdout: t.yaml:2:18: error: expected a text
// Values of a wrong form are told beside all others.
//# sh: aspen targets check forms.yaml 2>&1 | grep '^forms.yaml:'
//# stdout: forms.yaml:2:12: error: expected a list, '[a, b]'
//# stdout: forms.yaml:3:24: error: expected a number from 1 to 4294967295
//# stdout: forms.yaml:3:27: error: a sub-group has at least one work-item
//# stdout: forms.yaml:3:30: error: expected a number from 1 to 4294967295
//# stdout: forms.yaml:4:4: error: expected fields, 'name: value'
//# stdout: forms.yaml:6:30: error: expected 'true' or 'false'
//# stdout: forms.yaml:7:13: error: unknown aspect 'fp46'; did you mean 'fp64'?
//# count: 7 stdout error:
// Files that are none.
//# sh: printf 'intel_gpu_skl:\n\taspects: [fp64]\n' > tab.yaml; aspen targets check tab.yaml
//# exit: 1
//# stderr~: (?m)^tab\.yaml:2:2: error: tabs disallowed
//# sh: printf '# a\nt:\n  aot-toolchain: "caf\351"\n' > latin.yaml; aspen targets check latin.yaml
//# exit: 1
//# stderr~: (?m)^latin\.yaml:3:22: error: the file is no UTF-8 text: byte 0xe9\n    3 \|   aot-toolchain: "caf.*\n      \|                      \^$
//# sh: cp $(command -v sh) binary.yaml; aspen targets check binary.yaml
//# exit: 1
//# stderr~: (?m)^binary\.yaml:1:\d+: error:
//# sh: printf 't: {aspects: [fp64]}\n\000\001\033[31m\n' > nul.yaml; aspen targets check nul.yaml
//# exit: 1
//# stderr~: (?m)^nul\.yaml:2:\d+: error:
//# stderr!~: \x1b\[31m
//# sh: printf 't: !include /etc/passwd\n' > include.yaml; aspen targets check include.yaml
//# exit: 1
//# stderr!~: root:
//# run: aspen targets check missing.yaml
//# exit: 1
//# stderr~: cannot read 'missing\.yaml': No such file
//# run: aspen targets check .
//# exit: 1
//# stderr~: cannot read '\.'
// Bombs go off at their first wrong value, or where they have unfolded too much; long lines are shown in part.
//# sh: (echo 'a: &a [fp64,fp64,fp64,fp64,fp64,fp64,fp64,fp64]'; p=a; for n in b c d e f g h i j k; do echo "$n: &$n [*$p,*$p,*$p,*$p,*$p,*$p,*$p,*$p]"; p=$n; done) > bomb.yaml; aspen targets check bomb.yaml
//# exit: 1
//# stderr~: (?m)^bomb\.yaml:1:7: error: expected fields, 'name: value'$
//# sh: (echo 'x: &x {aspects: [fp64]}'; i=0; while test $i -lt 3000; do echo "t$i: *x"; i=$((i+1)); done) > many.yaml; aspen targets check many.yaml
//# exit: 1
//# stderr~: (?m)^many\.yaml:\d+:\d+: error: the file unfolds to more than any list of devices holds
//# sh: printf 'a: &a {aspects: *a}\n' > self.yaml; aspen targets check self.yaml
//# exit: 1
//# stderr~: (?m)^self\.yaml:1:17: error: an '\*alias' stands inside of what it names$
//# sh: (printf 't: {aspects: ['; head -c 100000 /dev/zero | tr '\0' '['; echo) > deep.yaml; aspen targets check deep.yaml
//# exit: 1
//# stderr~: (?m)^deep\.yaml:1:\d+: error:
//# stderr!~: \[{1000}
class k;
//# file: up.yaml
intel_gpu_skl:
    aspects: [accelerator, fp16]
    may_support_other_aspects: true
    sub-group-sizes: [8, 4, 2, 1, 4]
    aot-toolchain: mycc
    aot-toolchain-options: -device skl9
//# file: only.yaml
intel_gpu_skl: {sub-group-sizes: [64]}
new_one:
intel_gpu_zz_9: {aspects: [6, 2, 103, 4242]}
//# file: old.yaml
spir64_gen:
  aspects: [1, 2, 3]
  may_support_other_aspects: true
//# file: anchors.yaml
one: &one
  aspects: &most [gpu, fp64]
two: *one
three: {aspects: *most, sub-group-sizes: [8]}
//# file: twice.yaml
intel_gpu_skl:
  aspects: [fp64]
intel_gpu_9_0_9:
  aspects: [fp16]
//# file: wrong.yaml
t:
  aspects: [fp16, fp46]
  sub-group-size: [8]
  aot-toolchain:
//# file: forms.yaml
a:
  aspects: fp64
  sub-group-sizes: [8, x, 0, -1]
b: [1]
c:
  may_support_other_aspects: perhaps
  aspects: [fp46]
//# file: own.yaml
own: {aspects: [gpu, fp64]}
//# file: kernel.cpp
#include <sycl/sycl.hpp>
int main() { sycl::queue().single_task([] {}); }
