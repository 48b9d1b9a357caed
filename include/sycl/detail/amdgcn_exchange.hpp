//! Part of exchange.hpp, which includes it: how lanes and work-groups of AMD's processors exchange values, within a wavefront by ds_bpermute,
//! between wavefronts by local memory.
#pragma once
#include <sycl/detail/config.hpp>

#if defined(__ASPEN_AMDGCN__)
#include <sycl/detail/amdgcn.hpp>

namespace sycl::detail {

/// Local memory for a value of each wavefront. Every use is followed by a barrier, so that the next one may write again.
template <class T> inline words_of<T> *wave_slots() {
  typedef unsigned words __attribute__((opencl_local));
  static words slots[amdgcn::most_waves * words_of<T>::count];
  return (words_of<T> *)(unsigned *)slots;
}

/// The value of a lane.
template <class T> inline T from_lane(const T &value, unsigned lane) {
  words_of<T> in(value), out;
  for (size_t i = 0; i < words_of<T>::count; ++i)
    out.words[i] = amdgcn::shuffle(in.words[i], lane);
  return out.value();
}

/// The value that the work-item `from` of the work-group passes in.
template <class T> inline T from_item(const T &value, size_t from) {
  words_of<T> *slot;
  if constexpr (sizeof(T) > 256) { // wavefronts' slots would take much of the local memory
    typedef unsigned words __attribute__((opencl_local));
    static words one[words_of<T>::count];
    slot = (words_of<T> *)(unsigned *)one;
  } else {
    slot = wave_slots<T>();
  }
  if (amdgcn::thread() == from)
    *slot = words_of<T>(value);
  amdgcn::group_barrier();
  const T out = slot->value();
  amdgcn::group_barrier();
  return out;
}

/// Each lane's sum of all values up to its own.
template <class T, class Op> inline T scan_wave(const T &value, Op op) {
  const unsigned lane = amdgcn::lane();
  T sum = value;
  for (unsigned step = 1; step < amdgcn::wave_size; step *= 2) {
    const T before = from_lane(sum, lane >= step ? lane - step : lane);
    if (lane >= step)
      sum = static_cast<T>(op(before, sum));
  }
  return sum;
}

/// The sum of all lanes, in every lane.
template <class T, class Op> inline T reduce_wave(const T &value, Op op) {
  const unsigned count = amdgcn::sub_group_size();
  if (count < amdgcn::wave_size)
    return from_lane(scan_wave(value, op), count - 1);
  T sum = value;
  for (unsigned step = amdgcn::wave_size / 2; step > 0; step /= 2)
    sum = static_cast<T>(op(sum, from_lane(sum, amdgcn::lane() ^ step)));
  return sum;
}

/// Wavefronts scan on their own; in a work-group each then adds up what the wavefronts before it came to.
template <scan_kind Kind, class Group, class T, class Op> inline T combine_waves(const T &value, const T *first, Op op) {
  const unsigned lane = amdgcn::lane();
  const T inclusive = Kind == scan_kind::reduce ? reduce_wave(value, op) : scan_wave(value, op);
  bool begun = first != nullptr; // whether `before` is a value
  T before = first ? *first : value;
  if constexpr (!group_traits<Group>::is_sub_group) {
    words_of<T> *slots = wave_slots<T>();
    const unsigned own = amdgcn::sub_group_id(), count = amdgcn::sub_group_count();
    if (lane == amdgcn::sub_group_size() - 1)
      slots[own] = words_of<T>(inclusive);
    amdgcn::group_barrier();
    for (unsigned i = 0; i < (Kind == scan_kind::reduce ? count : own); ++i) {
      const T next = slots[i].value();
      before = begun ? static_cast<T>(op(before, next)) : next;
      begun = true;
    }
    amdgcn::group_barrier();
    if (Kind == scan_kind::reduce)
      return before;
  }
  if (Kind != scan_kind::exclusive)
    return begun ? static_cast<T>(op(before, inclusive)) : inclusive;
  const T left = from_lane(inclusive, lane == 0 ? 0 : lane - 1);
  return lane == 0 ? before : static_cast<T>(op(before, left));
}

} // namespace sycl::detail
#endif
