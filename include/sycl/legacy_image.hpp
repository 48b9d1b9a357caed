//! SYCL 1.2.1's images, which SYCL 2020 took away and programs still use: `sycl::image`, `sycl::sampler` and the accessors of images.
//! Source: SYCL 1.2.1 §4.7.3, §4.7.6.10 to §4.7.6.12, §4.7.8.
#pragma once
#include <sycl/image.hpp>

namespace sycl {

enum class image_channel_order : unsigned { a, r, rx, rg, rgx, ra, rgb, rgbx, rgba, argb, bgra, intensity, luminance, abgr };
enum class image_channel_type : unsigned {
  snorm_int8,
  snorm_int16,
  unorm_int8,
  unorm_int16,
  unorm_short_565,
  unorm_short_555,
  unorm_int_101010,
  signed_int8,
  signed_int16,
  signed_int32,
  unsigned_int8,
  unsigned_int16,
  unsigned_int32,
  fp16,
  fp32
};

/// Given to each read. Source: SYCL 1.2.1 §4.7.8.
class sampler {
public:
  sampler(coordinate_normalization_mode coordinate, addressing_mode addressing, filtering_mode filtering, const property_list &properties = {})
      : how_{addressing, coordinate, filtering} {
    (void)properties;
    detail::check_sampler(how_);
  }
  addressing_mode get_addressing_mode() const { return how_.addressing; }
  filtering_mode get_filtering_mode() const { return how_.filtering; }
  coordinate_normalization_mode get_coordinate_normalization_mode() const { return how_.coordinate; }
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { detail::fail(errc::invalid, "get_property: samplers have no properties"); }

  friend bool operator==(const sampler &a, const sampler &b) { return a.how_ == b.how_; }
  friend bool operator!=(const sampler &a, const sampler &b) { return !(a == b); }

  /// For the library.
  const image_sampler &aspen_sampler() const { return how_; }

private:
  image_sampler how_;
};

template <int D = 1, class Allocator = image_allocator> class image;

namespace detail {

/// Which stored channel each component of a colour is, and the alpha of the border. Source: OpenCL 3.0 §6.15.15.7 (mapping of channels).
inline texel texel_of(image_channel_order order, image_channel_type type) {
  constexpr std::uint8_t none = always_zero, full = always_one;
  struct mapping {
    std::uint8_t channels, border_alpha, source[4];
  };
  constexpr mapping mappings[] = {
      {1, 0, {none, none, none, 0}}, // a
      {1, 1, {0, none, none, full}}, // r
      {1, 0, {0, none, none, full}}, // rx
      {2, 1, {0, 1, none, full}},    // rg
      {2, 0, {0, 1, none, full}},    // rgx
      {2, 0, {0, none, none, 1}},    // ra
      {3, 1, {0, 1, 2, full}},       // rgb
      {3, 0, {0, 1, 2, full}},       // rgbx
      {4, 0, {0, 1, 2, 3}},          // rgba
      {4, 0, {1, 2, 3, 0}},          // argb
      {4, 0, {2, 1, 0, 3}},          // bgra
      {1, 0, {0, 0, 0, 0}},          // intensity
      {1, 1, {0, 0, 0, full}},       // luminance
      {4, 0, {3, 2, 1, 0}},          // abgr
  };
  if (order > image_channel_order::abgr || type > image_channel_type::fp32)
    fail(errc::invalid, "the image's channel order or type is none of those that SYCL 1.2.1 lists");
  texel form;
  form.type = static_cast<channel>(type);
  const bool rgb = order == image_channel_order::rgb || order == image_channel_order::rgbx;
  // Source: OpenCL 3.0 §5.3.1.1, table of image channel orders.
  if (is_packed(form.type) != rgb)
    fail(errc::feature_not_supported, "image channel orders rgb and rgbx are of types unorm_short_565, unorm_short_555 and unorm_int_101010, and "
                                      "only they: use rgba for other types");
  const mapping &of = mappings[static_cast<unsigned>(order)];
  form.channels = of.channels;
  form.border_alpha = of.border_alpha;
  for (int c = 0; c < 4; ++c)
    form.source[c] = of.source[c];
  form.size = static_cast<std::uint8_t>(channel_size(form.type) * (rgb ? 1 : form.channels));
  return form;
}

/// What the accessors of all targets do.
template <class T, int D, access_mode Mode> class legacy_access : public image_access<T, D> {
public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  static constexpr int dimensions = D;
  static constexpr access_mode mode = Mode;

  size_t get_count() const { return this->size(); }
  range<D> get_range() const {
    range<D> out;
    for (int d = 0; d < D; ++d)
      out[d] = static_cast<size_t>(this->view_.extent[d]);
    return out;
  }
  template <class Coordinate, access_mode M = Mode, std::enable_if_t<M == Mode && M == access_mode::read, int> = 0>
  T read(const Coordinate &at) const {
    return pixels<T, D, true>::read(this->view_, static_cast<coordinate_t<int, D>>(at));
  }
  /// At integers, or at floats.
  template <class Coordinate, access_mode M = Mode, std::enable_if_t<M == Mode && M == access_mode::read, int> = 0>
  T read(const Coordinate &at, const sampler &how) const {
    coordinate_t<float, D> where{};
    if constexpr (std::is_convertible_v<const Coordinate &, coordinate_t<float, D>>) {
      where = static_cast<coordinate_t<float, D>>(at);
    } else {
      const coordinate_t<int, D> whole = static_cast<coordinate_t<int, D>>(at);
      for (int d = 0; d < D; ++d)
        where[d] = static_cast<float>(whole[d]);
    }
    return pixels<T, D, true>::read(this->view_, how.aspen_sampler(), where);
  }
  template <class Coordinate, access_mode M = Mode, std::enable_if_t<M == Mode && M != access_mode::read, int> = 0>
  void write(const Coordinate &at, const T &colour) const {
    pixels<T, D, true>::write(this->view_, static_cast<coordinate_t<int, D>>(at), colour);
  }

protected:
  using image_access<T, D>::image_access;
};

/// One image of an array.
template <class T, int D, access_mode Mode> class image_slice : public legacy_access<T, D, Mode> {
public:
  image_slice(const image_view &view, const buffer_state *image) : legacy_access<T, D, Mode>(view, image) {}
};

} // namespace detail

/// Source: SYCL 1.2.1 §4.7.3.
template <int D, class Allocator> class image : public detail::image_base<D> {
  struct made {};

public:
  using allocator_type = Allocator;

  __ASPEN_IMAGE_CONSTRUCTORS(image, (image_channel_order order, image_channel_type type), (nullptr, order, type))
  __ASPEN_IMAGE_CONSTRUCTORS(image, (void *host, image_channel_order order, image_channel_type type), (host, order, type))
  /// Copies from `host`; nothing is written back.
  __ASPEN_IMAGE_CONSTRUCTORS(image, (const void *host, image_channel_order order, image_channel_type type), (host, order, type))
  __ASPEN_IMAGE_CONSTRUCTORS(image, (const std::shared_ptr<Host> &host, image_channel_order order, image_channel_type type), (host, order, type),
                             class Host, )

  Allocator get_allocator() const { return Allocator(); }
  size_t get_count() const { return this->size(); }
  size_t get_size() const { return this->byte_size(); }

  template <class T, access_mode Mode> accessor<T, D, Mode, target::image, access::placeholder::false_t> get_access(handler &command) {
    return {*this, command};
  }
  template <class T, access_mode Mode> accessor<T, D, Mode, target::host_image, access::placeholder::false_t> get_access() { return {*this}; }
  template <class Destination = std::nullptr_t> void set_final_data(Destination to = nullptr) { this->final_data_to(std::move(to)); }
  void set_write_back(bool wanted = true) { this->write_back_wanted(wanted); }

  friend bool operator==(const image &a, const image &b) { return a.is_same(b); }
  friend bool operator!=(const image &a, const image &b) { return !(a == b); }

private:
  using order = image_channel_order;
  using type = image_channel_type;
  image(made, void *host, order o, type t, const range<D> &extent, const detail::pitches &pitch, const property_list &properties)
      : detail::image_base<D>(detail::texel_of(o, t), extent, pitch, host, true, properties) {
    this->write_back_to(host);
  }
  image(made, const void *host, order o, type t, const range<D> &extent, const detail::pitches &pitch, const property_list &properties)
      : detail::image_base<D>(detail::texel_of(o, t), extent, pitch, host, false, properties) {
    this->attach(host);
  }
  image(made, std::nullptr_t, order o, type t, const range<D> &extent, const detail::pitches &pitch, const property_list &properties)
      : detail::image_base<D>(detail::texel_of(o, t), extent, pitch, nullptr, false, properties) {}
  template <class Host>
  image(made, const std::shared_ptr<Host> &host, order o, type t, const range<D> &extent, const detail::pitches &pitch,
        const property_list &properties)
      : detail::image_base<D>(detail::texel_of(o, t), extent, pitch, host.get(), false, properties) {
    if (host)
      this->final_data_to(host);
  }
};

template <class T, int D, access_mode Mode, access::placeholder P>
class accessor<T, D, Mode, target::image, P> : public detail::legacy_access<T, D, Mode>, detail::needs_images {
public:
  template <class A>
  accessor(image<D, A> &of, handler &command, const property_list & = {})
      : detail::legacy_access<T, D, Mode>(detail::used_by(command, of, Mode, image_target::device), of.aspen_state()) {}
};

template <class T, int D, access_mode Mode, access::placeholder P>
class accessor<T, D, Mode, target::host_image, P> : public detail::legacy_access<T, D, Mode> {
  using access = detail::shared<detail::host_access>;

public:
  template <class A>
  accessor(image<D, A> &of) : accessor(of, access(new detail::host_access(of.aspen_state()->handle, detail::access_of(Mode)))) {}

private:
  template <class A>
  accessor(image<D, A> &of, const access &held)
      : detail::legacy_access<T, D, Mode>(of.aspen_view(held->address), of.aspen_state()), held_(held) {}
  access held_;
};

/// An image of one more dimension, whose last counts images. Source: SYCL 1.2.1 §4.7.6.12.
template <class T, int D, access_mode Mode, access::placeholder P>
class accessor<T, D, Mode, target::image_array, P> : public detail::image_access<T, D + 1>, detail::needs_images {
  static_assert(D == 1 || D == 2, "arrays are of images of one or two dimensions");

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  static constexpr int dimensions = D;

  template <class A>
  accessor(image<D + 1, A> &of, handler &command, const property_list & = {})
      : detail::image_access<T, D + 1>(detail::used_by(command, of, Mode, image_target::device), of.aspen_state()) {}

  size_t get_count() const { return this->size(); }
  range<D + 1> get_range() const {
    range<D + 1> out;
    for (int d = 0; d <= D; ++d)
      out[d] = static_cast<size_t>(this->view_.extent[d]);
    return out;
  }
  /// Beyond the last: the last. Source: OpenCL 3.0 §8.4.
  detail::image_slice<T, D, Mode> operator[](size_t index) const {
    detail::image_view one = this->view_;
    const size_t last = static_cast<size_t>(one.extent[D]) - 1;
    one.data += (index < last ? index : last) * (D == 1 ? one.row : one.slice);
    one.extent[D] = 1;
    return {one, this->image_};
  }
};

template <int D, class A> struct is_property_of<property::image::use_host_ptr, image<D, A>> : std::true_type {};
template <int D, class A> struct is_property_of<property::image::use_mutex, image<D, A>> : std::true_type {};
template <int D, class A> struct is_property_of<property::image::context_bound, image<D, A>> : std::true_type {};

} // namespace sycl

template <> struct std::hash<sycl::sampler> {
  std::size_t operator()(const sycl::sampler &s) const noexcept {
    const sycl::image_sampler &how = s.aspen_sampler();
    return static_cast<std::size_t>(how.addressing) << 2 | static_cast<std::size_t>(how.coordinate) << 1 | static_cast<std::size_t>(how.filtering);
  }
};
template <int D, class A> struct std::hash<sycl::image<D, A>> {
  std::size_t operator()(const sycl::image<D, A> &i) const noexcept { return reinterpret_cast<std::size_t>(i.aspen_state()); }
};
#define __ASPEN_LEGACY_HASH(place)                                                                                                        \
  template <class T, int D, sycl::access_mode M, sycl::access::placeholder P>                                                             \
  struct std::hash<sycl::accessor<T, D, M, sycl::target::place, P>>                                                                       \
      : sycl::detail::image_access_hash<sycl::accessor<T, D, M, sycl::target::place, P>> {};
__ASPEN_LEGACY_HASH(image)
__ASPEN_LEGACY_HASH(host_image)
__ASPEN_LEGACY_HASH(image_array)
#undef __ASPEN_LEGACY_HASH
