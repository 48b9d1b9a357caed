// Everything that lanes do together, in every sub-group size and in work-groups of any shape, against what the host computes: in loops over
// lanes and item by item, at every level. Control flow is the same in a sub-group only, and barriers of the group are in between.
//# run: aspen++ -O2 {self} -fsycl-targets=native_cpu -o b.out
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./b.out
//# stdout: ok
//# deep: further levels of optimisation
//# run: aspen++ -O1 {self} -fsycl-targets=native_cpu -o a.out
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./a.out
//# stdout: ok
//# run: ASPEN_DEVICE_CONFIG_FILE=small.yaml ASPEN_DEVICE_PROFILE=small ./b.out
//# stdout: ok
//# run: aspen++ -O3 {self} -fsycl-targets=native_cpu -o c.out
//# run: ASPEN_CPU_SUB_GROUP_SIZE=64 ./c.out
//# stdout: ok
//# run: ASPEN_CPU_LEVEL=1 ./c.out
//# stdout: ok
//# run: ASPEN_CPU_GROUPS=items ./c.out
//# stdout: ok
#include <sycl/sycl.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

struct pair {
  short first;
  char second[10]; // no slot's own size
  bool operator==(const pair &other) const { return first == other.first && second[9] == other.second[9]; }
};

struct result {
  unsigned size, sum, before, upto, left, right, crossed, turned, one, all, bits, twice, joint, rounds, group;
  double real;
  pair mixed;
};

/// What each item passes in.
constexpr unsigned value_of(unsigned item) { return item * 2654435761u >> 9; }

template <class Item> void compute(const Item &it, unsigned *shared, result *to, const unsigned *table) {
  const auto lanes = it.get_sub_group();
  const unsigned l = unsigned(it.get_local_linear_id()), g = unsigned(it.get_global_linear_id()), lane = lanes.get_local_linear_id();
  const unsigned size = lanes.get_local_linear_range(), number = lanes.get_group_linear_id(), x = value_of(g);
  result r{};
  r.size = lanes.get_max_local_range()[0];
  r.sum = sycl::reduce_over_group(lanes, x, sycl::plus<unsigned>());
  r.before = sycl::exclusive_scan_over_group(lanes, x, sycl::maximum<unsigned>());
  r.upto = sycl::inclusive_scan_over_group(lanes, x, sycl::plus<unsigned>());
  const unsigned left = sycl::shift_group_left(lanes, x, 1), right = sycl::shift_group_right(lanes, x, 3);
  r.left = lane + 1 < size ? left : 0, r.right = lane >= 3 ? right : 0;
  for (unsigned mask = 1; mask < r.size; mask *= 2) {
    const unsigned other = sycl::permute_group_by_xor(lanes, x + mask, mask);
    r.crossed = r.crossed * 3 + ((lane ^ mask) < size ? other : 0);
  }
  const unsigned four = sycl::permute_group_by_xor(lanes, x, 4), three = sycl::permute_group_by_xor(lanes, x, 3);
  r.crossed += ((lane ^ 4) < size ? four : 0) ^ ((lane ^ 3) < size ? three : 0);
  r.turned = sycl::select_from_group(lanes, x, (lane * 5 + 3) % size);
  r.one = sycl::group_broadcast(lanes, x, (number * 7 + 1) % size);
  r.all = sycl::any_of_group(lanes, x % 16 == 3) + 2 * sycl::all_of_group(lanes, x % 16 != 3) + 4 * sycl::none_of_group(lanes, x % 4 == 1);
  r.real = sycl::reduce_over_group(lanes, double(x % 1024), sycl::plus<double>());
  r.mixed = sycl::group_broadcast(lanes, pair{short(x), {char(x), 0, 0, 0, 0, 0, 0, 0, 0, char(x + 1)}}, size - 1);
  std::uint32_t bits = 0;
  sycl::ext::oneapi::group_ballot(lanes, x % 3 == 1).extract_bits(bits);
  r.bits = bits;
  r.joint = sycl::joint_reduce(lanes, table, table + 40 + number, 1u, sycl::plus<unsigned>());
  // Some sub-groups only, and not all of them as often.
  if (number % 3 != 1) {
    shared[l] = x;
    sycl::group_barrier(lanes);
    r.twice = shared[l - lane + size - 1 - lane];
    for (unsigned i = 0; i < number % 4; ++i)
      r.rounds += sycl::reduce_over_group(lanes, lane * i, sycl::plus<unsigned>());
  } else {
    r.twice = sycl::reduce_over_group(lanes, x, sycl::bit_xor<unsigned>());
  }
  for (unsigned i = 0; i < 3; ++i) {
    sycl::group_barrier(it.get_group());
    shared[l] = x + i;
    sycl::group_barrier(it.get_group());
    r.group = r.group * 5 + shared[it.get_local_range().size() - 1 - l] + sycl::reduce_over_group(lanes, i + lane, sycl::plus<unsigned>());
    r.group ^= sycl::reduce_over_group(it.get_group(), x + i, sycl::plus<unsigned>());
  }
  to[g] = r;
}

/// What item `l` of the work-group must come to; `of` says what each passes in.
template <class F> result expected(unsigned l, unsigned items, unsigned most, F of, const std::vector<unsigned> &table) {
  const unsigned first = l / most * most, size = std::min(most, items - first), lane = l - first, number = l / most;
  const auto at = [&](unsigned i) { return of(first + i); };
  result r{};
  r.size = most, r.all = 2 + 4;
  unsigned exclusive = 0, together = 0, in_group = 0;
  for (unsigned i = 0; i < size; ++i) {
    r.before = i < lane ? std::max(r.before, at(i)) : r.before, r.upto += i <= lane ? at(i) : 0;
    r.sum += at(i), exclusive ^= at(i), r.real += at(i) % 1024, together += i;
    r.bits |= i < 32 && at(i) % 3 == 1 ? 1u << i : 0;
    r.all = at(i) % 16 == 3 ? (r.all | 1) & ~2u : r.all, r.all &= at(i) % 4 == 1 ? ~4u : ~0u;
  }
  r.left = lane + 1 < size ? at(lane + 1) : 0, r.right = lane >= 3 ? at(lane - 3) : 0;
  for (unsigned mask = 1; mask < most; mask *= 2)
    r.crossed = r.crossed * 3 + ((lane ^ mask) < size ? at(lane ^ mask) + mask : 0);
  r.crossed += ((lane ^ 4) < size ? at(lane ^ 4) : 0) ^ ((lane ^ 3) < size ? at(lane ^ 3) : 0);
  r.turned = at((lane * 5 + 3) % size), r.one = at((number * 7 + 1) % size);
  r.mixed = {short(at(size - 1)), {0, 0, 0, 0, 0, 0, 0, 0, 0, char(at(size - 1) + 1)}};
  r.joint = 1;
  for (unsigned i = 0; i < 40 + number; ++i)
    r.joint += table[i];
  r.twice = number % 3 != 1 ? at(size - 1 - lane) : exclusive;
  for (unsigned i = 0; i < number % 4 && number % 3 != 1; ++i)
    r.rounds += together * i;
  for (unsigned i = 0; i < items; ++i)
    in_group += of(i);
  for (unsigned i = 0; i < 3; ++i) {
    r.group = r.group * 5 + of(items - 1 - l) + i + together + i * size;
    r.group ^= in_group + i * items;
  }
  return r;
}

bool same(const result &a, const result &b) {
  return std::equal(&a.size, &a.group + 1, &b.size) && a.real == b.real && a.mixed == b.mixed;
}

template <int Size, int D> struct kernel {
  sycl::local_accessor<unsigned, 1> shared;
  result *to;
  const unsigned *table;
  [[sycl::reqd_sub_group_size(Size)]] void operator()(sycl::nd_item<D> it) const { compute(it, &shared[0], to, table); }
};

template <int Size, int D> bool right(sycl::queue &q, sycl::range<D> groups, sycl::range<D> local) {
  const size_t items = local.size(), count = items * groups.size();
  result *to = sycl::malloc_shared<result>(count, q);
  unsigned *table = sycl::malloc_shared<unsigned>(1200, q);
  std::vector<unsigned> numbers(1200);
  for (unsigned i = 0; i < 1200; ++i)
    numbers[i] = table[i] = i * i;
  q.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<D>(groups * local, local), kernel<Size, D>{sycl::local_accessor<unsigned, 1>(items, h), to, table});
  }).wait();
  bool good = true;
  const size_t columns = local[D - 1], rows = items / columns, across = D == 1 ? 1 : groups[D - 1];
  for (size_t group = 0; group < groups.size(); ++group)
    for (unsigned l = 0; l < items; ++l) {
      const auto global = [&](unsigned item) {
        const size_t row = group / across * rows + item / columns, column = group % across * columns + item % columns;
        return unsigned(D == 1 ? group * items + item : row * across * columns + column);
      };
      const result want = expected(l, unsigned(items), Size, [&](unsigned item) { return value_of(global(item)); }, numbers);
      good = good && same(to[global(l)], want);
    }
  if (!good)
    std::printf("sub-groups of %d in a work-group of %zu in %d dimensions: wrong\n", Size, items, D);
  sycl::free(to, q);
  sycl::free(table, q);
  return good;
}

template <int Size> bool right(sycl::queue &q) {
  const auto listed = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (std::find(listed.begin(), listed.end(), size_t(Size)) == listed.end())
    return true;
  bool good = true;
  for (size_t items : {1, 3, 5, 7, 32, 33, 63, 64, 96, 100, 256})
    good = right<Size, 1>(q, 3, items) && good;
  if constexpr (Size == 8 || Size == 32)
    for (sycl::range<2> shape : {sycl::range<2>(3, 5), sycl::range<2>(8, 8), sycl::range<2>(4, 32), sycl::range<2>(2, 64)})
      good = right<Size, 2>(q, {2, 3}, shape) && good;
  return good;
}

int main() {
  sycl::queue q;
  bool good = right<1>(q);
  good = right<2>(q) && good;
  good = right<4>(q) && good;
  good = right<8>(q) && good;
  good = right<16>(q) && good;
  good = right<32>(q) && good;
  good = right<64>(q) && good;
  std::puts(good ? "ok" : "wrong");
}
//# file: small.yaml
small:
  aspects: [fp64]
  sub-group-sizes: [1, 2, 16]
