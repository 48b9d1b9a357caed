// Images are software, so a driver's compiler must make the same of it as our own: tests/e2e/image-sampling.cpp on every driver that says it
// has images. The others refuse the accessor, and name the aspect.
//# also: ../e2e/image-sampling.cpp
//# run: aspen++ -O2 image-sampling.cpp -o program
//# sh: ./program > out 2>&1; grep -E 'wrong|does not have|done' out | grep -v ' 0 of'
//# stdout~: ^(no numbers, and far away: done|.*an image accessor needs aspect image, which .* does not have: .*)$
//# sh: grep -q 'needs aspect image' out || test $(grep -c ' 0 of' out) = 17
