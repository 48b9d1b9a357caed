//! What the plugin tells its Rust half, as bytes in postcard's format: numbers in base 128, lowest digit first; texts and lists with their
//! length in front; `Option` and `bool` as one byte; structures as their members in order. Source: postcard.jamesmunns.com/wire-format.

#ifndef ASPEN_CLANG_PACKED_H
#define ASPEN_CLANG_PACKED_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace aspen {

class Packed {
  std::string Bytes;

public:
  Packed &number(uint64_t N) {
    for (; N > 0x7f; N >>= 7)
      Bytes += char(N | 0x80);
    Bytes += char(N);
    return *this;
  }
  Packed &flag(bool B) {
    Bytes += char(B);
    return *this;
  }
  /// UTF-8.
  Packed &text(llvm::StringRef Text) {
    number(Text.size());
    Bytes.append(Text.data(), Text.size());
    return *this;
  }
  template <class List> Packed &numbers(const List &Numbers) {
    number(Numbers.size());
    for (uint64_t N : Numbers)
      number(N);
    return *this;
  }
  Packed &append(const Packed &Other) {
    Bytes += Other.Bytes;
    return *this;
  }

  llvm::StringRef bytes() const { return Bytes; }
};

/// A list whose length is known in the end.
class PackedList {
  Packed Items;
  uint64_t Count = 0;

public:
  Packed &next() {
    ++Count;
    return Items;
  }
  void into(Packed &Out) const { Out.number(Count).append(Items); }
};

} // namespace aspen

#endif
