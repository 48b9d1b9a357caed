// By how much values grow from one item of a row to the next.
#pragma once

#include "view.h"

namespace aspen::items {

class Strides {
public:
  explicit Strides(const View &V) : V(V) {}

  // In bytes, or units of a number; nothing if that is not known. A loop's variable is taken to grow as its first value does, which its other values must confirm.
  std::optional<int64_t> of(llvm::Value *X);

private:
  // What is made of nothing that differs within a row.
  bool isOfRow(llvm::Instruction &I);

  std::optional<int64_t> compute(llvm::Instruction &I);

  // Of two, of which one is the same for all items.
  std::optional<int64_t> within(llvm::Value *A, llvm::Value *B);

  std::optional<int64_t> ofPhi(llvm::PHINode &Phi);

  const View &V;
  llvm::DenseMap<llvm::Instruction *, std::optional<int64_t>> Known;
};

} // namespace aspen::items
