//! Types of arguments. Source: SYCLcompat's README, "Atomic Operations", "Compatibility Utilities".
#pragma once
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace syclcompat {

/// The type itself, where nothing is to be deduced.
template <class T> struct type_identity {
  using type = T;
};
template <class T> using type_identity_t = typename type_identity<T>::type;

/// What is added to a value of the type: for pointers a number of elements.
template <class T> struct arith {
  using type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
};
template <class T> using arith_t = typename arith<T>::type;

/// Arguments of a kernel out of what CUDA's driver interface takes: an array of pointers to them, or a buffer in which they lie one behind
/// another. The function has `Required` parameters, then such as the caller does not give (its nd_item), then `Default` ones that it does.
/// Source: SYCLcompat's README, `args_selector`; CUDA Driver API, cuLaunchKernel.
template <int Required, int Default, class F> class args_selector;

template <int Required, int Default, class R, class... P> class args_selector<Required, Default, R(P...)> {
  template <int I> static constexpr int place() { return I < Required ? I : int(sizeof...(P)) - Default + I - Required; }
  static constexpr size_t up(size_t at, size_t to) { return (at + to - 1) / to * to; }
  /// Behind the mark 1 in a list of marks that 0 ends.
  static char *buffer_of(void **extra) {
    for (; extra && *extra; extra += 2)
      if (reinterpret_cast<std::uintptr_t>(*extra) == 1)
        return static_cast<char *>(extra[1]);
    return nullptr;
  }

public:
  /// The type of the argument of that number.
  template <int I> using arg_type = std::tuple_element_t<static_cast<size_t>(place<I>()), std::tuple<P...>>;

  /// `extra` is read where `parameters` is null.
  args_selector(void **parameters, void **extra) : parameters_(parameters), buffer_(buffer_of(extra)) {}

  template <int I> arg_type<I> &get() const {
    if (parameters_)
      return *static_cast<arg_type<I> *>(parameters_[I]);
    return *reinterpret_cast<arg_type<I> *>(buffer_ + offset<I>());
  }

private:
  template <int I> static constexpr size_t offset() {
    if constexpr (I == 0)
      return 0;
    else
      return up(offset<I - 1>() + sizeof(arg_type<I - 1>), alignof(arg_type<I>));
  }

  void **parameters_;
  char *buffer_;
};

} // namespace syclcompat
