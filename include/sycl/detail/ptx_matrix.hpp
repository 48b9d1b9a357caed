//! Joint matrices as NVIDIA's tensor cores want them, from compute capability 8.0 on: which work-item has which element, and the instruction. Shapes
//! are those of sycl_ext_oneapi_matrix's table, 16×16×16, 32×8×16 and 8×32×16 (M×N×K), 16×16×8 of tf32 and 8×8×4 of double; matrices of other
//! shapes lie in columns. 8×32 is the product of the matrices turned. Source: PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
#pragma once

namespace sycl::detail::matrix {

/// A matrix in the registers of a warp. Its side `x` of 8 lines and more and its other side `y` are rows and columns, turned or not. A
/// work-item's elements are numbered first by `Run` neighbours along y, which share a register, then by the same 8 lines further (`Halves` of
/// them to a tile), by the next run along y, and by the next tile along x. Of a factor, the runs of a work-item lie side by side: y is what is
/// summed over, and any order of it is right that both factors have. Of sums, they are those of the next 8 columns.
template <class T, size_t X, size_t Y, size_t Run, size_t Halves, bool IsTurned, bool IsFactor> class registers {
public:
  using value_type = T;
  template <class U> using with = registers<U, X, Y, Run, Halves, IsTurned, IsFactor>;
  static constexpr size_t count = X * Y / 32, of_tile = 8 * Halves * Y / 32;

  T &operator[](size_t i) { return values_[i]; }
  const T &operator[](size_t i) const { return values_[i]; }
  size_t size(const sub_group &) const { return count; }
  position position_of(const sub_group &of, size_t i) const {
    const size_t lane = of.get_local_linear_id(), line = i / Run;
    const size_t x = lane / 4 + 8 * (line % Halves + Halves * (line / Halves / runs));
    const size_t y = start_of(lane, line / Halves % runs) + i % Run;
    return IsTurned ? position{y, x} : position{x, y};
  }
  template <class Visit> void each(const sub_group &of, Visit visit) { each_of(*this, of, visit); }
  template <class Visit> void each(const sub_group &of, Visit visit) const { each_of(*this, of, visit); }

  T value_at(const sub_group &of, size_t row, size_t col) const {
    const size_t x = IsTurned ? col : row, y = IsTurned ? row : col;
    const size_t lane = x % 8 * 4 + (IsFactor ? y / (Run * runs) : y / Run % 4);
    const size_t run = IsFactor ? y / Run % runs : y / (4 * Run);
    const size_t number = y % Run + Run * (x / 8 % Halves + Halves * (run + runs * (x / (8 * Halves))));
    T out{};
    for (size_t i = 0; i < count; ++i) {
      const T there = select_from_group(of, values_[i], lane);
      if (i == number)
        out = there;
    }
    return out;
  }

  /// Reads or writes what lies side by side at once, if it does, and the address allows it.
  bool load_together(const sub_group &of, const T *from, size_t stride, layout how) {
    return together(of, from, stride, how, [&](const T *at, size_t first) {
      T piece[in_memory];
      __builtin_memcpy(piece, __builtin_assume_aligned(at, sizeof(piece)), sizeof(piece));
#pragma unroll
      for (size_t i = 0; i < in_memory; ++i)
        values_[first + i % Run + i / Run * (Run * Halves)] = piece[i];
    });
  }
  bool store_together(const sub_group &of, T *to, size_t stride, layout how) const {
    return together(of, to, stride, how, [&](T *at, size_t first) {
      T piece[in_memory];
#pragma unroll
      for (size_t i = 0; i < in_memory; ++i)
        piece[i] = values_[first + i % Run + i / Run * (Run * Halves)];
      __builtin_memcpy(__builtin_assume_aligned(at, sizeof(piece)), piece, sizeof(piece));
    });
  }

private:
  static constexpr size_t runs = Y / (4 * Run), in_memory = IsFactor ? Run * runs : Run;
  static constexpr size_t start_of(size_t lane, size_t run) {
    return IsFactor ? Run * runs * (lane % 4) + Run * run : Run * (lane % 4) + 4 * Run * run;
  }
  template <class Self, class Visit> static void each_of(Self &self, const sub_group &of, Visit &visit) {
#pragma unroll
    for (size_t i = 0; i < count; ++i) {
      const position at = self.position_of(of, i);
      visit(self.values_[i], at.line, at.place);
    }
  }
  /// `move(where, number of the first)` for each piece of memory.
  template <class U, class Move> static bool together(const sub_group &of, U *memory, size_t stride, layout how, Move move) {
    if (how != (IsTurned ? layout::col_major : layout::row_major) || (reinterpret_cast<size_t>(memory) | stride * sizeof(T)) % (in_memory * sizeof(T)) != 0)
      return false;
    const size_t lane = of.get_local_linear_id();
#pragma unroll
    for (size_t line = 0; line < X / 8; ++line)
#pragma unroll
      for (size_t run = 0; run < (IsFactor ? 1 : runs); ++run)
        move(memory + (lane / 4 + 8 * line) * stride + start_of(lane, run), Run * (line % Halves + Halves * (run + runs * (line / Halves))));
    return true;
  }

  T values_[count];
};

template <class T> inline constexpr bool is_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;
/// Neighbours that share a register.
template <class T> inline constexpr size_t run_of = is_short_float<T> ? 2 : is_byte<T> ? 4 : 1;

template <class T, use Use, size_t Rows, size_t Cols> constexpr auto share_of() {
  using element = kept<T>;
  constexpr auto is = [](size_t rows, size_t cols) { return Rows == rows && Cols == cols; };
  if constexpr (Use == use::accumulator) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, std::int32_t>) {
      if constexpr (is(16, 16) || is(32, 8))
        return registers<element, Rows, Cols, 2, 2, false, false>();
      else if constexpr (is(8, 32))
        return registers<element, 32, 8, 2, 2, true, false>();
    } else if constexpr (std::is_same_v<T, double> && is(8, 8)) {
      return registers<element, 8, 8, 2, 1, false, false>();
    }
  } else if constexpr (is_short_float<T> || is_byte<T>) {
    if constexpr (Use == use::a && (is(16, 16) || is(32, 16)))
      return registers<element, Rows, 16, run_of<T>, 2, false, true>();
    else if constexpr (Use == use::a && is(8, 16))
      return registers<element, 8, 16, run_of<T>, 1, false, true>();
    else if constexpr (Use == use::b && (is(16, 16) || is(16, 8)))
      return registers<element, Cols, 16, run_of<T>, 1, true, true>();
    else if constexpr (Use == use::b && is(16, 32))
      return registers<element, 32, 16, run_of<T>, 2, true, true>();
  } else if constexpr (std::is_same_v<T, ext::oneapi::experimental::matrix::precision::tf32>) {
    if constexpr (Use == use::a && is(16, 8))
      return registers<element, 16, 8, 1, 2, false, true>();
    else if constexpr (Use == use::b && is(8, 16))
      return registers<element, 16, 8, 1, 1, true, true>();
  } else if constexpr (std::is_same_v<T, double>) {
    if constexpr (Use == use::a && is(8, 4))
      return registers<element, 8, 4, 1, 1, false, true>();
    else if constexpr (Use == use::b && is(4, 8))
      return registers<element, 8, 4, 1, 1, true, true>();
  }
}
/// In registers of the unit, or in columns.
template <class T, class Registers, size_t Rows, size_t Cols>
using registers_or_columns = std::conditional_t<std::is_void_v<Registers>, columns<kept<T>, Rows, Cols>, Registers>;
template <class T, use Use, size_t Rows, size_t Cols>
using share = registers_or_columns<T, decltype(share_of<T, Use, Rows, Cols>()), Rows, Cols>;

/// Whether there is an instruction.
template <class Ta, class Tb, class Tc, class Td, size_t M, size_t N, size_t K> constexpr bool is_multiplied() {
  constexpr bool is_usual = K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
  if constexpr (is_short_float<Ta>)
    return std::is_same_v<Ta, Tb> && (std::is_same_v<Tc, float> || std::is_same_v<Tc, half>) &&
           (std::is_same_v<Td, float> || std::is_same_v<Td, half>) && is_usual;
  else if constexpr (is_byte<Ta>)
    return is_byte<Tb> && std::is_same_v<Tc, std::int32_t> && std::is_same_v<Td, std::int32_t> && is_usual;
  else if constexpr (std::is_same_v<Ta, ext::oneapi::experimental::matrix::precision::tf32>)
    return std::is_same_v<Tb, Ta> && std::is_same_v<Tc, float> && std::is_same_v<Td, float> && M == 16 && N == 16 && K == 8;
  else
    return std::is_same_v<Ta, double> && std::is_same_v<Tb, double> && std::is_same_v<Tc, double> && std::is_same_v<Td, double> && M == 8 &&
           N == 8 && K == 4;
}
template <class Ta, class Tb, class Tc, class Td, size_t M, size_t N, size_t K>
inline constexpr bool is_of_unit = is_multiplied<Ta, Tb, Tc, Td, M, N, K>();

#define __ASPEN_MMA_4_2(types, numbers)                                                                                                   \
  asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                               \
               : "+" numbers(sums[0]), "+" numbers(sums[1]), "+" numbers(sums[2]), "+" numbers(sums[3])                                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define __ASPEN_MMA_2_1(types)                                                                                                            \
  asm volatile("mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                                           \
               : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])                                                               \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
/// Adds to a tile of sums the product of 16 lines and 8; of double, of 8 and 8.
template <class Ta, class Tb, class Sum> inline void add_product(Sum *sums, const unsigned *a, const unsigned *b) {
  if constexpr (std::is_same_v<Ta, half>)
    __ASPEN_MMA_4_2("m16n8k16.row.col.f32.f16.f16.f32", "f");
  else if constexpr (std::is_same_v<Ta, ext::oneapi::bfloat16>)
    __ASPEN_MMA_4_2("m16n8k16.row.col.f32.bf16.bf16.f32", "f");
  else if constexpr (std::is_same_v<Ta, ext::oneapi::experimental::matrix::precision::tf32>)
    __ASPEN_MMA_4_2("m16n8k8.row.col.f32.tf32.tf32.f32", "f");
  else if constexpr (std::is_same_v<Ta, std::int8_t> && std::is_same_v<Tb, std::int8_t>)
    __ASPEN_MMA_2_1("m16n8k16.row.col.s32.s8.s8.s32");
  else if constexpr (std::is_same_v<Ta, std::int8_t>)
    __ASPEN_MMA_2_1("m16n8k16.row.col.s32.s8.u8.s32");
  else if constexpr (std::is_same_v<Tb, std::int8_t>)
    __ASPEN_MMA_2_1("m16n8k16.row.col.s32.u8.s8.s32");
  else
    __ASPEN_MMA_2_1("m16n8k16.row.col.s32.u8.u8.s32");
}
#undef __ASPEN_MMA_2_1
#undef __ASPEN_MMA_4_2

template <class First, class Second, class Sum, class Registers, class A, class B, class C>
void add_tiles(Registers &d, const A &a, const B &b, const C &c) {
  constexpr size_t tiles = A::count / A::of_tile, others = B::count / B::of_tile, of_sums = Registers::count / tiles / others;
  constexpr size_t words_a = A::of_tile * sizeof(a[0]) / 4, words_b = B::of_tile * sizeof(b[0]) / 4;
#pragma unroll
  for (size_t i = 0; i < tiles; ++i)
#pragma unroll
    for (size_t j = 0; j < others; ++j) {
      const size_t at = (i * others + j) * of_sums;
      Sum sums[of_sums];
#pragma unroll
      for (size_t s = 0; s < of_sums; ++s)
        sums[s] = static_cast<Sum>(c[at + s]);
      if constexpr (std::is_same_v<First, double>) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[0]), "+d"(sums[1])
                     : "d"(a[0]), "d"(b[0]));
      } else {
        unsigned left[words_a], right[words_b];
        __builtin_memcpy(left, &a[i * A::of_tile], sizeof(left));
        __builtin_memcpy(right, &b[j * B::of_tile], sizeof(right));
        add_product<First, Second>(sums, left, right);
      }
#pragma unroll
      for (size_t s = 0; s < of_sums; ++s)
        d[at + s] = static_cast<typename Registers::value_type>(sums[s]);
    }
}

template <class Ta, class Tb, class Sum, size_t M, size_t N, size_t K, class D, class A, class B, class C>
void multiply_in_unit(D &d, const A &a, const B &b, const C &c) {
  if constexpr (M == 8 && N == 32)
    add_tiles<Tb, Ta, Sum>(d, b, a, c);
  else
    add_tiles<Ta, Tb, Sum>(d, a, b, c);
}

} // namespace sycl::detail::matrix
