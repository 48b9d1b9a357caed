//! libaspen.so: the C ABI of include/aspen/aspen.h.
