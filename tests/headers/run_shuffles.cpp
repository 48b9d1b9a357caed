//! Runs what the work-items of a sub-group take from each other: in every way, by amounts that are constant, the same for all, or each
//! item's own; values of every size; several at once, one after another, in loops, behind branches, with memory between; in groups of many
//! shapes. Compares with what the host says. Exit status 0: all right.
#include <cstdio>
#include <type_traits>
#include <sycl/sycl.hpp>

namespace {

enum class way { mask, after, before, number };

template <size_t N> struct bytes {
  unsigned char of[N];
};

/// What the item with this number passes in.
template <class T> T value(unsigned item) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(item * 3 + 1);
  } else {
    T out;
    for (size_t i = 0; i < sizeof(T); ++i)
      out.of[i] = static_cast<unsigned char>(item * 5 + i);
    return out;
  }
}
template <class T> bool equal(const T &a, const T &b) {
  const auto *x = reinterpret_cast<const unsigned char *>(&a), *y = reinterpret_cast<const unsigned char *>(&b);
  for (size_t i = 0; i < sizeof(T); ++i)
    if (x[i] != y[i])
      return false;
  return true;
}

unsigned there(way w, unsigned lane, unsigned amount) {
  return w == way::mask ? lane ^ amount : w == way::after ? lane + amount : w == way::before ? lane - amount : amount;
}
template <class T> T take(sycl::sub_group s, way w, T v, unsigned amount) {
  return w == way::mask     ? sycl::permute_group_by_xor(s, v, amount)
         : w == way::after  ? sycl::shift_group_left(s, v, amount)
         : w == way::before ? sycl::shift_group_right(s, v, amount)
                            : sycl::select_from_group(s, v, amount);
}

struct failures {
  unsigned *count;
  void note(bool right) const {
    if (!right)
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>(*count).fetch_add(1u);
  }
};

/// All items of the group in one sub-group's order; lanes of a sub-group are neighbours in the group.
template <int D> unsigned first_of(sycl::nd_item<D> item) {
  return static_cast<unsigned>(item.get_local_linear_id()) - item.get_sub_group().get_local_linear_id();
}

template <class T, int D> void every_way(sycl::nd_item<D> item, unsigned uniform, failures out) {
  const auto s = item.get_sub_group();
  const unsigned lane = s.get_local_linear_id(), size = s.get_local_linear_range(), first = first_of(item);
  const T v = value<T>(first + lane);
  auto check = [&](way w, const T &got, unsigned amount) {
    const unsigned from = there(w, lane, amount);
    out.note(from >= size || equal(got, value<T>(first + from)));
  };
  check(way::mask, take(s, way::mask, v, 1), 1);
  check(way::mask, take(s, way::mask, v, 6), 6);
  check(way::after, take(s, way::after, v, 1), 1);
  check(way::before, take(s, way::before, v, 3), 3);
  check(way::number, take(s, way::number, v, 0), 0);
  for (way w : {way::mask, way::after, way::before, way::number})
    check(w, take(s, w, v, uniform), uniform);
  check(way::number, take(s, way::number, v, lane / 2), lane / 2);
  check(way::number, take(s, way::number, v, size - 1 - lane), size - 1 - lane);
}

template <int D> void together(sycl::nd_item<D> item, unsigned rounds, int *memory, failures out) {
  const auto s = item.get_sub_group();
  const unsigned lane = s.get_local_linear_id(), size = s.get_local_linear_range(), first = first_of(item);
  const size_t own = item.get_global_linear_id();
  // Many values that do not need each other, kept in an array.
  float many[24];
  for (unsigned i = 0; i < 24; ++i)
    many[i] = static_cast<float>((first + lane) * 32 + i);
  for (unsigned step = 1; step <= 4; step *= 2)
    for (unsigned i = 0; i < 24; ++i)
      many[i] = 2 * many[i] - sycl::permute_group_by_xor(s, many[i], step);
  // The same by hand: a lane and its partners, as the differences 1, 2 and 4 come one after another.
  for (unsigned i = 0; i < 24; ++i) {
    const unsigned l = lane;
    auto at = [&](unsigned x) { return static_cast<float>((first + x) * 32 + i); };
    auto one = [&](unsigned x) { return 2 * at(x) - at(x ^ 1); };
    auto two = [&](unsigned x) { return 2 * one(x) - one(x ^ 2); };
    const float want = 2 * two(l) - two(l ^ 4);
    out.note((l | 7) >= size || many[i] == want);
  }
  // A sum by halves, a chain in a loop, and memory that others write between.
  unsigned sum = lane + 1;
  for (unsigned step = size / 2; step > 0; step /= 2)
    sum += sycl::permute_group_by_xor(s, sum, step);
  out.note((size & (size - 1)) != 0 || sum == size * (size + 1) / 2);
  unsigned chain = lane;
  for (unsigned i = 0; i < rounds; ++i)
    chain = sycl::select_from_group(s, chain, (lane + 1) % size);
  out.note(chain == (lane + rounds) % size);
  memory[own] = static_cast<int>(lane);
  const int before = sycl::shift_group_right(s, memory[own], 1);
  memory[own] = before + 100;
  const int after = sycl::shift_group_left(s, memory[own], 1);
  out.note(lane == 0 || before == static_cast<int>(lane - 1));
  out.note(lane + 1 >= size || after == static_cast<int>(lane + 100));
  // What only some lanes use, and what only some have: all take part.
  unsigned half = lane + 1;
  for (unsigned step = 32; step > 0; step /= 2) {
    const unsigned other = sycl::shift_group_left(s, half, step);
    if (lane + step < size)
      half += other;
  }
  if (s.leader())
    memory[own] = static_cast<int>(half);
  out.note(!s.leader() || memory[own] == static_cast<int>(size * (size + 1) / 2));
  const unsigned opposite = sycl::permute_group_by_xor(s, lane * 7, 1);
  if (lane % 2 == 1)
    memory[own] = static_cast<int>(opposite);
  out.note(lane % 2 == 0 || memory[own] == static_cast<int>((lane - 1) * 7));
  struct found {
    unsigned long where, length, key;
  } f;
  if (s.leader()) {
    out.note(lane == 0);
    f = {first, size, own};
  }
  f = sycl::select_from_group(s, f, 0);
  out.note(f.where == first && f.length == size && f.key == own - lane);
  // Behind a branch that all of a sub-group take alike, and with barriers of the group around.
  sycl::group_barrier(item.get_group());
  unsigned alike = 7;
  if (s.get_group_linear_id() % 2 == 0)
    alike = sycl::permute_group_by_xor(s, lane, 1);
  sycl::group_barrier(item.get_group());
  out.note(s.get_group_linear_id() % 2 == 0 ? (lane ^ 1) >= size || alike == (lane ^ 1) : alike == 7);
}

template <int D> unsigned run(sycl::queue &q, sycl::range<D> local, const char *what) {
  auto *count = sycl::malloc_shared<unsigned>(1, q);
  auto *memory = sycl::malloc_device<int>(2 * local.size(), q);
  *count = 0;
  auto global = local;
  global[0] *= 2;
  const failures out{count};
  const unsigned uniform = static_cast<unsigned>(local.size() % 3) + 1;
  q.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> item) {
     every_way<unsigned>(item, uniform, out);
     every_way<char>(item, uniform, out);
     every_way<unsigned long>(item, uniform, out);
     every_way<float>(item, uniform, out);
     every_way<bytes<3>>(item, uniform, out);
     every_way<bytes<12>>(item, uniform, out);
     every_way<bytes<72>>(item, uniform, out);
   }).wait();
  q.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> item) { together(item, uniform + 4, memory, out); }).wait();
  // Items that end first: the others go on.
  q.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> item) {
     const auto s = item.get_sub_group();
     const unsigned lane = s.get_local_linear_id();
     if (lane % 4 == 3)
       return;
     const unsigned got = sycl::permute_group_by_xor(s, lane, 1);
     out.note(lane % 4 == 2 || (lane ^ 1) >= s.get_local_linear_range() || got == (lane ^ 1));
   }).wait();
  const unsigned wrong = *count;
  sycl::free(memory, q);
  sycl::free(count, q);
  if (wrong != 0)
    std::printf("groups of %zu items, %s: %u values are wrong\n", local.size(), what, wrong);
  return wrong;
}

} // namespace

int main() {
  sycl::queue q;
  unsigned wrong = 0;
  for (size_t n : {1, 2, 3, 7, 16, 31, 32, 33, 63, 64, 100, 128})
    wrong += run<1>(q, sycl::range<1>(n), "one dimension");
  wrong += run<2>(q, sycl::range<2>(16, 16), "two dimensions");
  wrong += run<2>(q, sycl::range<2>(3, 5), "two dimensions");
  wrong += run<3>(q, sycl::range<3>(2, 3, 32), "three dimensions");
  return wrong != 0;
}
