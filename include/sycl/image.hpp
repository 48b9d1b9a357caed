//! `sycl::sampled_image` and `sycl::unsampled_image`. Source: SYCL 2020 §4.7.3.
#pragma once
#include <sycl/detail/image_state.hpp>
#include <sycl/image_accessor.hpp>
#include <sycl/image_sampler.hpp>

namespace sycl {

/// The letters of `b` and `g` stand as in the specification. Source: SYCL 2020 §4.7.3.1.
enum class image_format : unsigned {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm
};

namespace detail {
inline texel texel_of(image_format format) {
  constexpr channel types[] = {channel::unorm8, channel::unorm16, channel::sint8,  channel::sint16,  channel::sint32, channel::uint8,
                               channel::uint16, channel::uint32,  channel::float16, channel::float32, channel::unorm8};
  if (format > image_format::b8g8r8a8_unorm)
    fail(errc::invalid, "the image format is none of sycl::image_format");
  texel form;
  form.type = types[static_cast<unsigned>(format)];
  form.size = static_cast<std::uint8_t>(4 * channel_size(form.type));
  if (format == image_format::b8g8r8a8_unorm) {
    form.source[0] = 2;
    form.source[2] = 0;
  }
  return form;
}
} // namespace detail

/// The constructors that each kind of content gives: behind the range stand perhaps a pitch, perhaps an allocator, and properties.
/// `parameters` and `content` are lists in parentheses; what follows them are template parameters, each with a comma behind it.
#define __ASPEN_LIST(...) __VA_ARGS__
#define __ASPEN_IMAGE_CONSTRUCTORS(name, parameters, content, ...)                                                                        \
  template <__VA_ARGS__ int E = D>                                                                                                        \
  name(__ASPEN_LIST parameters, const range<D> &extent, const property_list &properties = {})                                             \
      : name(made(), __ASPEN_LIST content, extent, detail::pitches(), properties) {}                                                      \
  template <__VA_ARGS__ int E = D>                                                                                                        \
  name(__ASPEN_LIST parameters, const range<D> &extent, Allocator, const property_list &properties = {})                                  \
      : name(made(), __ASPEN_LIST content, extent, detail::pitches(), properties) {}                                                      \
  template <__VA_ARGS__ int E = D, std::enable_if_t<(E > 1), int> = 0>                                                                    \
  name(__ASPEN_LIST parameters, const range<D> &extent, const detail::pitch_range<E> &pitch, const property_list &properties = {})        \
      : name(made(), __ASPEN_LIST content, extent, detail::pitches_of(pitch), properties) {}                                              \
  template <__VA_ARGS__ int E = D, std::enable_if_t<(E > 1), int> = 0>                                                                    \
  name(__ASPEN_LIST parameters, const range<D> &extent, const detail::pitch_range<E> &pitch, Allocator, const property_list &properties = {}) \
      : name(made(), __ASPEN_LIST content, extent, detail::pitches_of(pitch), properties) {}

/// Copied from memory that the program gives, and read through a sampler.
template <int D = 1, class Allocator = image_allocator> class sampled_image : public detail::image_base<D> {
  struct made {};

public:
  using allocator_type = Allocator;

  __ASPEN_IMAGE_CONSTRUCTORS(sampled_image, (const void *host, image_format format, image_sampler sampler), (host, format, sampler))
  /// Copied whatever the properties say: the pointer is not kept.
  __ASPEN_IMAGE_CONSTRUCTORS(sampled_image, (const std::shared_ptr<Host> &host, image_format format, image_sampler sampler),
                             (host, format, sampler), class Host, )

  Allocator get_allocator() const { return Allocator(); }

  template <class T, image_target Target = image_target::device>
  sampled_image_accessor<T, D, Target> get_access(handler &command, const property_list &properties = {}) {
    return {*this, command, properties};
  }
  template <class T> host_sampled_image_accessor<T, D> get_host_access(const property_list &properties = {}) { return {*this, properties}; }

  friend bool operator==(const sampled_image &a, const sampled_image &b) { return a.is_same(b); }
#if __cplusplus < 202002L
  friend bool operator!=(const sampled_image &a, const sampled_image &b) { return !(a == b); }
#endif
  /// For the library.
  const image_sampler &aspen_sampler() const { return sampler_; }

private:
  /// The host's memory is only worked on where the program says so: it may be constant.
  sampled_image(made, const void *host, image_format format, const image_sampler &sampler, const range<D> &extent, const detail::pitches &pitch,
                const property_list &properties)
      : sampled_image(host, properties.has_property<property::image::use_host_ptr>(), format, sampler, extent, pitch, properties) {
    this->attach(host);
  }
  template <class Host>
  sampled_image(made, const std::shared_ptr<Host> &host, image_format format, const image_sampler &sampler, const range<D> &extent,
                const detail::pitches &pitch, const property_list &properties)
      : sampled_image(host.get(), false, format, sampler, extent, pitch, properties) {}
  sampled_image(const void *host, bool in_place, image_format format, const image_sampler &sampler, const range<D> &extent,
                const detail::pitches &pitch, const property_list &properties)
      : detail::image_base<D>(detail::texel_of(format), extent, pitch, host, in_place, properties), sampler_(sampler) {
    detail::check_sampler(sampler);
  }
  image_sampler sampler_;
};

/// Read and written texel by texel.
template <int D = 1, class Allocator = image_allocator> class unsampled_image : public detail::image_base<D> {
  struct made {};

public:
  using allocator_type = Allocator;

  __ASPEN_IMAGE_CONSTRUCTORS(unsampled_image, (image_format format), (nullptr, format))
  /// Works on `host` until the image is destroyed.
  __ASPEN_IMAGE_CONSTRUCTORS(unsampled_image, (void *host, image_format format), (host, format))
  __ASPEN_IMAGE_CONSTRUCTORS(unsampled_image, (const std::shared_ptr<Host> &host, image_format format), (host, format), class Host, )

  Allocator get_allocator() const { return Allocator(); }

  template <class T, access_mode Mode = detail::default_mode<T>, image_target Target = image_target::device>
  unsampled_image_accessor<T, D, Mode, Target> get_access(handler &command, const property_list &properties = {}) {
    return {*this, command, properties};
  }
  template <class T, access_mode Mode = detail::default_mode<T>>
  host_unsampled_image_accessor<T, D, Mode> get_host_access(const property_list &properties = {}) {
    return {*this, properties};
  }
  /// An output iterator, a pointer, a weak_ptr, or null for nowhere.
  template <class Destination = std::nullptr_t> void set_final_data(Destination to = nullptr) { this->final_data_to(std::move(to)); }
  void set_write_back(bool wanted = true) { this->write_back_wanted(wanted); }

  friend bool operator==(const unsampled_image &a, const unsampled_image &b) { return a.is_same(b); }
#if __cplusplus < 202002L
  friend bool operator!=(const unsampled_image &a, const unsampled_image &b) { return !(a == b); }
#endif

private:
  unsampled_image(made, void *host, image_format format, const range<D> &extent, const detail::pitches &pitch, const property_list &properties)
      : detail::image_base<D>(detail::texel_of(format), extent, pitch, host, true, properties) {
    this->write_back_to(host);
  }
  /// What is written back keeps the memory.
  template <class Host>
  unsampled_image(made, const std::shared_ptr<Host> &host, image_format format, const range<D> &extent, const detail::pitches &pitch,
                  const property_list &properties)
      : detail::image_base<D>(detail::texel_of(format), extent, pitch, host.get(), false, properties) {
    if (host)
      this->final_data_to(host);
  }
};

} // namespace sycl

template <int D, class A> struct std::hash<sycl::sampled_image<D, A>> {
  std::size_t operator()(const sycl::sampled_image<D, A> &i) const noexcept { return reinterpret_cast<std::size_t>(i.aspen_state()); }
};
template <int D, class A> struct std::hash<sycl::unsampled_image<D, A>> {
  std::size_t operator()(const sycl::unsampled_image<D, A> &i) const noexcept { return reinterpret_cast<std::size_t>(i.aspen_state()); }
};

namespace sycl {
#define __ASPEN_IMAGE_PROPERTY(name)                                                                                                      \
  template <int D, class A> struct is_property_of<property::image::name, sampled_image<D, A>> : std::true_type {};                        \
  template <int D, class A> struct is_property_of<property::image::name, unsampled_image<D, A>> : std::true_type {};
__ASPEN_IMAGE_PROPERTY(use_host_ptr)
__ASPEN_IMAGE_PROPERTY(use_mutex)
__ASPEN_IMAGE_PROPERTY(context_bound)
#undef __ASPEN_IMAGE_PROPERTY
} // namespace sycl
