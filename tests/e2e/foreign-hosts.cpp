// What is not for this machine is refused before anything runs, with the reason.
//# run: aspen++ -m32 -c {self} -o a.o
//# exit: 1
//# stderr~: ^aspen\+\+: error: '-m32': aspen\+\+ makes programs for x86-64 Linux only; .*$
//# count: 1 stderr error:
//# run: aspen++ --target=aarch64-linux-gnu {self} -o a.out
//# exit: 1
//# stderr~: ^aspen\+\+: error: '--target=aarch64-linux-gnu': aspen\+\+ makes programs for x86-64 Linux only; .*$
//# run: aspen++ -target aarch64-linux-gnu {self} -o a.out
//# exit: 1
//# stderr~: ^aspen\+\+: error: '-target aarch64-linux-gnu': aspen\+\+ makes programs for x86-64 Linux only; .*$
//# run: aspen++ --target=x86_64-linux-gnu -fsycl-host-only -c {self} -o a.o
int main() {}
