//! Accessors of images. A kernel with one needs aspect image, so the accessors of devices derive from, and are, decorated classes.
//! Source: SYCL 2020 §4.7.6.13 (unsampled), §4.7.6.14 (sampled).
#pragma once
#include <sycl/access.hpp>
#include <sycl/aspects.hpp>
#include <sycl/detail/image_state.hpp>
#include <sycl/accessor.hpp>

namespace sycl {

enum class image_target : unsigned { device, host_task };

template <int D, class Allocator> class sampled_image;
template <int D, class Allocator> class unsampled_image;

namespace detail {

/// What accessors of both kinds have; for commands and for the host.
template <class T, int D> class image_access {
  static_assert(pixel_type<std::remove_const_t<T>>::valid, "images are read and written as sycl::int4, uint4, float4 or half4");
  static_assert(valid_dimensions<D>, "images have one to three dimensions");

public:
  size_t size() const noexcept { return view_.size(); }

  friend bool operator==(const image_access &a, const image_access &b) { return a.view_.data == b.view_.data && a.image_ == b.image_; }
#if __cplusplus < 202002L
  friend bool operator!=(const image_access &a, const image_access &b) { return !(a == b); }
#endif
  /// For the library.
  const buffer_state *aspen_image() const { return image_; }
  const image_view &aspen_view() const { return view_; }

protected:
  image_access(const image_view &view, const buffer_state *image) : view_(view), image_(image) { check_pixel<T>(view.form); }
  image_view view_;
  const buffer_state *image_; // for the host
};

template <class U, class T>
inline constexpr bool differ_by_const = !std::is_same_v<U, T> && std::is_same_v<std::remove_const_t<U>, std::remove_const_t<T>>;

/// Where a command finds an image, which it waits for from now on.
template <class Image> image_view used_by(handler &command, const Image &image, access_mode mode, image_target place) {
  if (place == image_target::device)
    check_image_support(command);
  return image.aspen_view(command.aspen_use(*image.aspen_state(), access_of(mode), place == image_target::host_task));
}

/// Reads through the image's sampler.
template <class T, int D> class sampled_access : public image_access<T, D> {
public:
  using value_type = const T;
  using reference = const T &;
  using const_reference = const T &;
  static constexpr int dimensions = D;

  /// At a float, float2, or float4 for three dimensions.
  template <class Coordinate> std::remove_const_t<T> read(const Coordinate &at) const noexcept {
    static_assert(std::is_convertible_v<const Coordinate &, coordinate_t<float, D>>,
                  "a sampled image is read at a float, float2, or float4, for one, two and three dimensions");
    return pixels<T, D, false>::read(this->view_, how_, static_cast<coordinate_t<float, D>>(at));
  }
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { fail(errc::invalid, "get_property: accessors of sampled images have no properties"); }

protected:
  sampled_access(const image_view &view, const buffer_state *image, const image_sampler &how) : image_access<T, D>(view, image), how_(how) {}
  image_sampler how_;
};

/// Reads and writes single texels, as the mode allows.
template <class T, int D, access_mode Mode> class unsampled_access : public image_access<T, D> {
  static constexpr bool reads = Mode == access_mode::read || Mode == access_mode::read_write;
  static constexpr bool writes = Mode == access_mode::write || Mode == access_mode::read_write;
  static_assert(reads || writes, "accessors of images read, write or both");

public:
  using value_type = std::conditional_t<Mode == access_mode::read, const T, T>;
  using reference = value_type &;
  using const_reference = const T &;
  static constexpr int dimensions = D;

  /// At an int, int2, or int4 for three dimensions. The border's colour outside, which nobody should ask for.
  template <class Coordinate, access_mode M = Mode, std::enable_if_t<M == Mode && reads, int> = 0>
  std::remove_const_t<T> read(const Coordinate &at) const noexcept {
    return pixels<T, D, false>::read(this->view_, place(at));
  }
  template <class Coordinate, access_mode M = Mode, std::enable_if_t<M == Mode && writes && !std::is_const_v<T>, int> = 0>
  void write(const Coordinate &at, const T &colour) const {
    pixels<T, D, false>::write(this->view_, place(at), colour);
  }
  template <class P> bool has_property() const noexcept { return std::is_same_v<P, property::no_init> && no_init_; }
  template <class P> P get_property() const {
    if (!has_property<P>())
      fail(errc::invalid, "get_property: the accessor was not given this property");
    return P{};
  }

protected:
  unsampled_access(const image_view &view, const buffer_state *image, const property_list &properties)
      : image_access<T, D>(view, image), no_init_(takes_no_init(Mode, properties)) {}

private:
  template <class Coordinate> static coordinate_t<int, D> place(const Coordinate &at) {
    static_assert(std::is_convertible_v<const Coordinate &, coordinate_t<int, D>> && !std::is_floating_point_v<Coordinate>,
                  "an unsampled image is accessed at an int, int2, or int4, for one, two and three dimensions");
    return static_cast<coordinate_t<int, D>>(at);
  }
  bool no_init_;
};

/// The base of device accessors: what a kernel that holds one needs.
class [[__sycl_detail__::__uses_aspects__(aspect::image)]] needs_images {};
class needs_nothing {};
template <image_target Target> using needs_of = std::conditional_t<Target == image_target::device, needs_images, needs_nothing>;

} // namespace detail

template <class T, int D, image_target Target = image_target::device>
class sampled_image_accessor : public detail::sampled_access<T, D>, detail::needs_of<Target> {
public:
  template <class Allocator>
  sampled_image_accessor(sampled_image<D, Allocator> &image, handler &command, const property_list & = {})
      : detail::sampled_access<T, D>(detail::used_by(command, image, access_mode::read, Target), image.aspen_state(), image.aspen_sampler()) {}
  /// Between const and not, which is the same for an image that is only read.
  template <class U, std::enable_if_t<detail::differ_by_const<U, T>, int> = 0>
  sampled_image_accessor(const sampled_image_accessor<U, D, Target> &other)
      : detail::sampled_access<T, D>(other.aspen_view(), other.aspen_image(), other.how_) {}

private:
  template <class, int, image_target> friend class sampled_image_accessor;
};

template <class T, int D, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor : public detail::unsampled_access<T, D, Mode>, detail::needs_of<Target> {
public:
  template <class Allocator>
  unsampled_image_accessor(unsampled_image<D, Allocator> &image, handler &command, const property_list &properties = {})
      : detail::unsampled_access<T, D, Mode>(detail::used_by(command, image, Mode, Target), image.aspen_state(), properties) {}
  template <class U, access_mode M = Mode,
            std::enable_if_t<M == access_mode::read && detail::differ_by_const<U, T>, int> = 0>
  unsampled_image_accessor(const unsampled_image_accessor<U, D, Mode, Target> &other)
      : detail::unsampled_access<T, D, Mode>(other.aspen_view(), other.aspen_image(), {}) {}
};

template <class T, int D> class host_sampled_image_accessor : public detail::sampled_access<T, D> {
public:
  template <class Allocator>
  host_sampled_image_accessor(sampled_image<D, Allocator> &image, const property_list & = {})
      : host_sampled_image_accessor(image, new detail::host_access(image.aspen_state()->handle, ASPEN_ACCESS_READ)) {}
  template <class U, std::enable_if_t<detail::differ_by_const<U, T>, int> = 0>
  host_sampled_image_accessor(const host_sampled_image_accessor<U, D> &other)
      : detail::sampled_access<T, D>(other.aspen_view(), other.aspen_image(), other.how_), held_(other.held_) {}

private:
  template <class, int> friend class host_sampled_image_accessor;
  using access = detail::shared<detail::host_access>;
  template <class Image> host_sampled_image_accessor(Image &image, detail::host_access *made) : host_sampled_image_accessor(image, access(made)) {}
  template <class Image>
  host_sampled_image_accessor(Image &image, const access &held)
      : detail::sampled_access<T, D>(image.aspen_view(held->address), image.aspen_state(), image.aspen_sampler()), held_(held) {}
  access held_; // what the image waits for
};

template <class T, int D = 1, access_mode Mode = detail::default_mode<T>>
class host_unsampled_image_accessor : public detail::unsampled_access<T, D, Mode> {
public:
  template <class Allocator>
  host_unsampled_image_accessor(unsampled_image<D, Allocator> &image, const property_list &properties = {})
      : host_unsampled_image_accessor(
            image, access(new detail::host_access(image.aspen_state()->handle, detail::access_of(Mode))), properties) {}
  template <class U, access_mode M = Mode,
            std::enable_if_t<M == access_mode::read && detail::differ_by_const<U, T>, int> = 0>
  host_unsampled_image_accessor(const host_unsampled_image_accessor<U, D, Mode> &other)
      : detail::unsampled_access<T, D, Mode>(other.aspen_view(), other.aspen_image(), {}), held_(other.held_) {}

private:
  template <class, int, access_mode> friend class host_unsampled_image_accessor;
  using access = detail::shared<detail::host_access>;
  template <class Image>
  host_unsampled_image_accessor(Image &image, const access &held, const property_list &properties)
      : detail::unsampled_access<T, D, Mode>(image.aspen_view(held->address), image.aspen_state(), properties), held_(held) {}
  access held_;
};

template <class T, int D, access_mode M, image_target P>
struct is_property_of<property::no_init, unsampled_image_accessor<T, D, M, P>> : std::true_type {};
template <class T, int D, access_mode M>
struct is_property_of<property::no_init, host_unsampled_image_accessor<T, D, M>> : std::true_type {};

namespace detail {
template <class A> struct image_access_hash {
  std::size_t operator()(const A &a) const noexcept { return reinterpret_cast<std::size_t>(a.aspen_image()) + a.size(); }
};
} // namespace detail
} // namespace sycl

template <class T, int D, sycl::image_target P>
struct std::hash<sycl::sampled_image_accessor<T, D, P>> : sycl::detail::image_access_hash<sycl::sampled_image_accessor<T, D, P>> {};
template <class T, int D, sycl::access_mode M, sycl::image_target P>
struct std::hash<sycl::unsampled_image_accessor<T, D, M, P>> : sycl::detail::image_access_hash<sycl::unsampled_image_accessor<T, D, M, P>> {};
template <class T, int D>
struct std::hash<sycl::host_sampled_image_accessor<T, D>> : sycl::detail::image_access_hash<sycl::host_sampled_image_accessor<T, D>> {};
template <class T, int D, sycl::access_mode M>
struct std::hash<sycl::host_unsampled_image_accessor<T, D, M>>
    : sycl::detail::image_access_hash<sycl::host_unsampled_image_accessor<T, D, M>> {};
