// Mathematical functions of our own (own_math.cpp), for numbers and for vectors of them.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace aspen::items {

// Logarithm of floats, by fused products and sums.
llvm::Value *emitLog(llvm::IRBuilder<> &B, llvm::Value *X);

// e or 2 to the power of floats or doubles.
llvm::Value *emitExp(llvm::IRBuilder<> &B, llvm::Value *X, bool OfTwo, bool Fuses);

// x to the power of y, of floats, by fused products and sums.
llvm::Value *emitPow(llvm::IRBuilder<> &B, llvm::Value *X, llvm::Value *Y);

} // namespace aspen::items
