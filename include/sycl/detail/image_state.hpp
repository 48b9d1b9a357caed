//! What images of every class are: a buffer of bytes with a form of texels, an extent and pitches, over the same machinery as `sycl::buffer`.
//! Source: SYCL 2020 §4.7.3.
#pragma once
#include <sycl/buffer.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/sampling.hpp>
#include <sycl/handler.hpp>

namespace sycl {

/// Kept for signatures that name it: the runtime owns the memory of images.
using image_allocator = std::allocator<std::byte>;

namespace detail {

/// Copies an image's bytes to what a std::weak_ptr, a std::shared_ptr or a pointer refers to.
template <class Owner> struct final_bytes final : final_data {
  final_bytes(Owner to, size_t size) : to_(std::move(to)), size_(size) {}
  void write(const void *from) override {
    if constexpr (is_weak_pointer<Owner>) {
      if (const auto alive = to_.lock())
        std::memcpy(static_cast<void *>(alive.get()), from, size_);
    } else if constexpr (is_shared_pointer<Owner>) {
      std::memcpy(static_cast<void *>(to_.get()), from, size_);
    } else {
      std::memcpy(static_cast<void *>(to_), from, size_);
    }
  }

private:
  Owner to_;
  size_t size_;
};

/// The type of what an output iterator takes.
template <class I, class = void> struct iterator_takes { using type = typename std::iterator_traits<I>::value_type; };
template <class I> struct iterator_takes<I, std::void_t<typename I::container_type>> { using type = typename I::container_type::value_type; };

/// Rows and slices, in bytes; or not given.
struct pitches {
  bool given = false;
  size_t row = 0;
  size_t slice = 0;
};

template <int D> class image_base {
  static_assert(valid_dimensions<D>, "images have one to three dimensions");

public:
  static constexpr int dimensions = D;

  range<D> get_range() const { return extent_; }
  template <int E = D, std::enable_if_t<(E > 1), int> = 0> range<E - 1> get_pitch() const {
    if constexpr (E == 2)
      return range<1>(pitch_.row);
    else
      return range<2>(pitch_.row, pitch_.slice);
  }
  size_t size() const noexcept { return extent_.size(); }
  /// With the padding of the last row and slice, which no memory needs to have.
  size_t byte_size() const noexcept { return D == 3 ? pitch_.slice * extent_[D - 1] : D == 2 ? pitch_.row * extent_[D - 1] : pitch_.row; }
  template <class P> bool has_property() const noexcept { return properties_.template has_property<P>(); }
  template <class P> P get_property() const { return properties_.template get_property<P>(); }

  /// For the library.
  buffer_state *aspen_state() const { return state_.get(); }
  const texel &aspen_form() const { return form_; }
  image_view aspen_view(void *data) const {
    image_view view;
    view.data = static_cast<unsigned char *>(data);
    view.row = pitch_.row;
    view.slice = pitch_.slice;
    for (int d = 0; d < 3; ++d)
      view.extent[d] = d < D ? static_cast<int>(extent_[d]) : 1;
    view.form = form_;
    return view;
  }

protected:
  /// `host`: where the content comes from, or null. With `in_place` the image works there; the mutex of use_mutex forbids that.
  image_base(const texel &form, const range<D> &extent, const pitches &pitch, const void *host, bool in_place, const property_list &properties)
      : form_(form), extent_(extent), pitch_(checked(form, extent, pitch)), properties_(properties) {
    std::mutex *const mutex = mutex_of();
    std::unique_lock<std::mutex> locked;
    if (host && mutex)
      locked = std::unique_lock<std::mutex>(*mutex);
    state_ = shared<buffer_state>(new buffer_state(memory_size(), 16, const_cast<void *>(host), host && in_place && !mutex));
  }

  /// What is touched of the memory that a program gives: the last row needs no padding.
  size_t memory_size() const {
    const size_t rows = D > 1 ? extent_[D > 1 ? 1 : 0] : 1, slices = D > 2 ? extent_[D > 2 ? 2 : 0] : 1;
    return (slices - 1) * pitch_.slice + (rows - 1) * pitch_.row + extent_[0] * form_.size;
  }

  template <class Destination = std::nullptr_t> void final_data_to(Destination to) {
    final_data *made = nullptr;
    if constexpr (std::is_pointer_v<Destination>)
      if (to && to == state_->used)
        return state_->set_destination(nullptr, true);
    if constexpr (is_weak_pointer<Destination> || is_shared_pointer<Destination>) {
      made = new final_bytes<Destination>(std::move(to), memory_size());
    } else if constexpr (std::is_pointer_v<Destination>) {
      made = to ? new final_bytes<Destination>(to, memory_size()) : nullptr;
    } else if constexpr (!std::is_same_v<Destination, std::nullptr_t>) {
      using T = typename iterator_takes<Destination>::type;
      made = new final_data_at<T, Destination>(std::move(to), memory_size() / sizeof(T));
    }
    if (std::mutex *const mutex = mutex_of(); made && mutex)
      made = new final_data_locked(made, mutex);
    state_->set_destination(made, false);
  }
  /// The image is made from memory of the program, for which its end waits. Source: SYCL 2020 §4.7.3.4.
  void attach(const void *host) { state_->attached = host && !state_->in_place; }
  /// Where an image worked on a copy of the memory that it was made from.
  void write_back_to(void *host) {
    if (host && !state_->in_place)
      final_data_to(host);
    attach(host);
  }
  void write_back_wanted(bool wanted) { state_->set_write_back(wanted); }

  bool is_same(const image_base &other) const { return state_ == other.state_; }

private:
  std::mutex *mutex_of() const {
    using property::image::use_mutex;
    return properties_.template has_property<use_mutex>() ? properties_.template get_property<use_mutex>().get_mutex_ptr() : nullptr;
  }

  static pitches checked(const texel &form, const range<D> &extent, pitches pitch) {
    for (int d = 0; d < D; ++d) {
      if (extent[d] == 0)
        fail(errc::invalid, "an image has at least one texel in each dimension");
      if (extent[d] > 0x7FFFFFFF)
        fail(errc::invalid, "an image has less than 2^31 texels in each dimension, as coordinates are ints");
    }
    const size_t row = extent[0] * form.size, rows = D > 1 ? extent[D > 1 ? 1 : 0] : 1;
    if (!pitch.given)
      pitch.row = row;
    if (!pitch.given || D == 2)
      pitch.slice = saturated_product(pitch.row, rows);
    pitch.given = true;
    if (saturated_product(pitch.slice, D > 2 ? extent[D > 2 ? 2 : 0] : 1) == ~size_t(0))
      fail(errc::memory_allocation, "an image of more bytes than there are addresses");
    if (pitch.row < row)
      fail(errc::invalid, "an image's row pitch must hold a row: the width times the size of a texel, in bytes");
    if (pitch.slice / rows < pitch.row)
      fail(errc::invalid, "an image's slice pitch must hold a slice: the row pitch times the height, in bytes");
    if (pitch.row % form.size != 0 || pitch.slice % pitch.row != 0)
      fail(errc::invalid, "an image's row pitch is a multiple of the size of a texel, and its slice pitch of the row pitch");
    return pitch;
  }

  texel form_;
  range<D> extent_;
  pitches pitch_;
  property_list properties_;
  shared<buffer_state> state_;
};

inline pitches pitches_of(const range<1> &row) { return {true, row[0], 0}; }
inline pitches pitches_of(const range<2> &both) { return {true, both[0], both[1]}; }
/// Stands for the pitch of an image without one.
template <int D> using pitch_range = range<(D > 1 ? D - 1 : 1)>;

/// Source: SYCL 2020 §4.7.8: what has a meaning with normalized coordinates only.
inline void check_sampler(const image_sampler &how) {
  if (how.coordinate == coordinate_normalization_mode::unnormalized &&
      (how.addressing == addressing_mode::repeat || how.addressing == addressing_mode::mirrored_repeat))
    fail(errc::invalid, "a sampler that repeats an image takes normalized coordinates: use coordinate_normalization_mode::normalized, or another "
                        "addressing mode");
  if (how.addressing > addressing_mode::none || how.filtering > filtering_mode::linear ||
      how.coordinate > coordinate_normalization_mode::unnormalized)
    fail(errc::invalid, "a sampler has a mode that the specification does not list");
}

/// Accessors read the numbers that the image has: its integers are no floats.
template <class T> inline void check_pixel(const texel &form) {
  using number = typename pixel_type<std::remove_const_t<T>>::number;
  if (is_signed_integer(form.type) ? !std::is_same_v<number, int>
                                   : is_unsigned_integer(form.type) ? !std::is_same_v<number, unsigned> : !std::is_same_v<number, float>)
    fail(errc::invalid, "the accessor's type does not fit the image's format: signed integers are int4, unsigned ones uint4, all others float4 "
                        "or half4");
}

/// Source: SYCL 2020 §4.7.6.13, §4.7.6.14 "constructors".
inline void check_image_support(const handler &command) {
  const device &on = command.aspen_device();
  if (!on.has(aspect::image)) {
    const std::string text = std::string("an image accessor needs aspect image, which ") +
                             aspen_device_string(on.aspen_handle(), ASPEN_DEVICE_NAME) +
                             " does not have: use a buffer, or image_target::host_task and a host task";
    fail(errc::feature_not_supported, text.c_str());
  }
}

} // namespace detail
} // namespace sycl
