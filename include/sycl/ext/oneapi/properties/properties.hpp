//! Lists of properties that are part of a type. Source: sycl_ext_oneapi_properties.
#pragma once
#include <cstddef>
#include <type_traits>

#define SYCL_EXT_ONEAPI_PROPERTIES 1

namespace sycl::ext::oneapi::experimental {

/// A property whose values are known to the compiler: types, and numbers as std::integral_constant.
template <class Key, class... Values> struct property_value;

template <class... P> class properties;

template <class T> struct is_property_list : std::false_type {};
template <class... P> struct is_property_list<properties<P...>> : std::true_type {};
template <class T> inline constexpr bool is_property_list_v = is_property_list<std::remove_cv_t<std::remove_reference_t<T>>>::value;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

/// `value` and `value_t` of a property with one value.
template <class... Values> struct one_value {};
template <class T> struct one_value<T> { using value_t = T; };
template <class T, T Value> struct one_value<std::integral_constant<T, Value>> {
  using value_t = T;
  static constexpr T value = Value;
};

/// The key of a property: for one with values at run time, the property itself unless it names another.
template <class P, class = void> struct key_of { using type = P; };
template <class P> struct key_of<P, std::void_t<typename P::key_t>> { using type = typename P::key_t; };
template <class P> using key_of_t = typename key_of<P>::type;

/// What a property does to the launch of a kernel object, whose function is not known there: nothing if it is a hint that changes nothing
/// here, and its `take` if it has one. Others do not stand there.
template <class P> struct object_property { static constexpr bool is_taken = false; };
struct launch_hint {
  static constexpr bool is_taken = true;
  template <class P, class Handler> static void take(const P &, Handler &) {}
};
template <class List> inline constexpr bool is_for_objects = false;
template <class... P> inline constexpr bool is_for_objects<ext::oneapi::experimental::properties<P...>> = (object_property<P>::is_taken && ...);
template <class... P, class Handler> void take_for_object(const ext::oneapi::experimental::properties<P...> &given, Handler &command) {
  (object_property<P>::take(given.template aspen_get<P>(), command), ...);
}

template <class P> struct property_place {
  P property;
};

template <class Key, class... P> struct find_property { using type = void; };
template <class Key, class First, class... Rest>
struct find_property<Key, First, Rest...>
    : std::conditional_t<std::is_same_v<Key, key_of_t<First>>, std::common_type<property_place<First>>, find_property<Key, Rest...>> {};

/// Names the key of a property.
template <class Key> constexpr const char *name_of_key() { return __PRETTY_FUNCTION__; }
constexpr bool is_name_less(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}
/// By names of keys, so that properties that are given in another order make the same type.
template <class... P> struct property_order {
  /// Which of the properties comes at the place where `One` was given.
  template <class One> static constexpr size_t instead_of() {
    constexpr const char *names[] = {name_of_key<key_of_t<P>>()...};
    constexpr bool is_one[] = {std::is_same_v<One, P>...};
    size_t place = 0;
    while (!is_one[place])
      ++place;
    for (size_t i = 0; i < sizeof...(P); ++i) {
      size_t before = 0;
      for (size_t j = 0; j < sizeof...(P); ++j)
        before += is_name_less(names[j], names[i]) || (j < i && !is_name_less(names[i], names[j]));
      if (before == place)
        return i;
    }
    return place;
  }
};
template <class One, class... P> struct property_in_order {
  using type = __type_pack_element<property_order<P...>::template instead_of<One>(), P...>;
};

template <class T, class... Among> inline constexpr bool is_one_of = (std::is_same_v<T, Among> || ...);
template <class... Keys> inline constexpr bool all_different = true;
template <class First, class... Rest>
inline constexpr bool all_different<First, Rest...> = !(std::is_same_v<First, Rest> || ...) && all_different<Rest...>;

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Key, class... Values> struct property_value : sycl::detail::one_value<Values...> {
  using key_t = Key;
};
template <class Key, class... A, class... B>
constexpr bool operator==(const property_value<Key, A...> &, const property_value<Key, B...> &) {
  return std::is_same_v<property_value<Key, A...>, property_value<Key, B...>>;
}
template <class Key, class... A, class... B>
constexpr bool operator!=(const property_value<Key, A...> &a, const property_value<Key, B...> &b) {
  return !(a == b);
}

/// Whether a class names a property, and whether it is one of the objects of class `Of`; extensions say so of theirs.
template <class Key> struct is_property_key : std::false_type {};
template <class Key, class Of> struct is_property_key_of : std::false_type {};
/// Whether a class is a property: one that the compiler knows, or one with values at run time, which is its own key.
template <class T> struct is_property_value : std::conjunction<is_property_key<T>, std::negation<std::is_empty<T>>> {};
template <class Key, class... Values> struct is_property_value<property_value<Key, Values...>> : std::true_type {};
template <class T> struct is_property_value<const T> : is_property_value<T> {};
template <class T> inline constexpr bool is_property_value_v = is_property_value<T>::value;

} // namespace sycl::ext::oneapi::experimental
namespace sycl::detail {
/// Whether all of a property is known to the compiler.
template <class T> inline constexpr bool is_known_property = false;
template <class Key, class... Values> inline constexpr bool is_known_property<ext::oneapi::experimental::property_value<Key, Values...>> = true;
template <class T> inline constexpr bool is_known_property<const T> = is_known_property<T>;
} // namespace sycl::detail
namespace sycl::ext::oneapi::experimental {

/// A set of properties. What is deduced from a list of them does not depend on their order there.
template <class... P> class properties : sycl::detail::property_place<P>... {
  static_assert((is_property_value_v<P> && ...), "a property list is made of properties; one of these is something else");
  static_assert(sycl::detail::all_different<sycl::detail::key_of_t<P>...>, "a property list has each property once");
  template <class Key> using found = typename sycl::detail::find_property<Key, P...>::type;
  template <class Key> static constexpr bool has_value_at_run_time() {
    if constexpr (has_property<Key>())
      return !sycl::detail::is_known_property<decltype(found<Key>::property)>;
    else
      return false;
  }
  template <class One> static constexpr One pick() { return One(); }
  template <class One, class First, class... Rest> static constexpr One pick(const First &first, const Rest &...rest) {
    if constexpr (std::is_same_v<One, First>)
      return first;
    else
      return pick<One>(rest...);
  }

public:
  /// In any order, and without those that can be made of nothing, as all that the compiler knows can.
  template <class... Given, std::enable_if_t<(sycl::detail::is_one_of<Given, P...> && ...) && sycl::detail::all_different<Given...> &&
                                                 ((sycl::detail::is_one_of<P, Given...> || std::is_default_constructible_v<P>) && ...),
                                             int> = 0>
  constexpr properties(Given... given) : sycl::detail::property_place<P>{pick<P>(given...)}... {}
  template <class Key> static constexpr bool has_property() { return (std::is_same_v<Key, sycl::detail::key_of_t<P>> || ...); }
  /// Without an object, if all of the property is known to the compiler.
  template <class Key, std::enable_if_t<!has_value_at_run_time<Key>(), int> = 0> static constexpr auto get_property() {
    static_assert(has_property<Key>(), "the property list does not have this property");
    return decltype(found<Key>::property)();
  }
  template <class Key, std::enable_if_t<has_value_at_run_time<Key>(), long> = 0> constexpr auto get_property() const {
    return static_cast<const found<Key> &>(*this).property;
  }
  /// For the library: whether none of these has the key of one here and another value; and a property.
  template <class... Others> static constexpr bool aspen_agrees() {
    return ((!has_property<sycl::detail::key_of_t<Others>>() || sycl::detail::is_one_of<Others, P...>) && ...);
  }
  template <class One> constexpr const One &aspen_get() const {
    return static_cast<const sycl::detail::property_place<One> &>(*this).property;
  }
};
template <class... P> properties(P...) -> properties<typename sycl::detail::property_in_order<P, P...>::type...>;
using empty_properties_t = properties<>;

template <class T, class Of> struct is_property_value_of : std::false_type {};
template <class Key, class... Values, class Of>
struct is_property_value_of<property_value<Key, Values...>, Of> : is_property_key_of<Key, Of> {};
template <class T, class Of> struct is_property_value_of<const T, Of> : is_property_value_of<T, Of> {};
/// Whether a property list has the property of that key.
template <class List, class Key> inline constexpr bool has_property_v = false;
template <class... P, class Key> inline constexpr bool has_property_v<properties<P...>, Key> = properties<P...>::template has_property<Key>();
template <class... P, class Key> inline constexpr bool has_property_v<const properties<P...>, Key> = properties<P...>::template has_property<Key>();

} // namespace sycl::ext::oneapi::experimental
