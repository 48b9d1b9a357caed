// Legalisation for SPIR-V: what the steps share. legalise.cpp says what is done and why; each step has a file of its own.
#pragma once

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

#include <string>

namespace aspen::spirv {

// What cannot be put into a form that SPIR-V has: the first such thing, with its function and place.
class Complaints {
  std::string First;

public:
  void add(const llvm::Instruction &At, const llvm::Twine &What);
  void add(const llvm::Function &In, const llvm::Twine &What);
  bool any() const { return !First.empty(); }
  const std::string &text() const { return First; }
};

// The width of an integer or of a vector's integers; 0 of anything else.
inline unsigned widthOf(const llvm::Type *T) { return T->isIntOrIntVectorTy() ? T->getScalarSizeInBits() : 0; }
// Widths that OpTypeInt (and OpTypeBool) have. Source: SPIR-V specification, "OpTypeInt"; OpenCL SPIR-V environment, 2.2.
inline bool isLegal(unsigned Width) { return Width == 1 || Width == 8 || Width == 16 || Width == 32 || Width == 64; }
// Integers of a width that SPIR-V lacks and a legal one holds.
inline bool isOdd(const llvm::Type *T) { return widthOf(T) < 64 && widthOf(T) && !isLegal(widthOf(T)); }
// Integers that two legal ones hold.
inline bool isWide(const llvm::Type *T) { return widthOf(T) > 64; }
// The least legal width of an integer that holds `Width` bits, at most 64.
inline unsigned legalWidth(unsigned Width) { return Width <= 8 ? 8 : Width <= 16 ? 16 : Width <= 32 ? 32 : 64; }
// The same type with other integers.
inline llvm::Type *withWidth(llvm::Type *T, unsigned Width) { return T->getWithNewBitWidth(Width); }

// Vectors of a length that OpTypeVector lacks. Source: OpenCL SPIR-V environment, 2.9 ("Vector16").
inline bool isOddVector(const llvm::Type *T) {
  const auto *Vector = llvm::dyn_cast<llvm::FixedVectorType>(T);
  const unsigned Count = Vector ? Vector->getNumElements() : 2;
  return Count != 2 && Count != 3 && Count != 4 && Count != 8 && Count != 16;
}

// The bits of a vector as an integer, element 0 lowest, and the reverse; of any element types with a width.
llvm::Value *pack(llvm::IRBuilder<> &B, llvm::Value *Vector, llvm::Type *To);
llvm::Value *unpack(llvm::IRBuilder<> &B, llvm::Value *Integer, llvm::FixedVectorType *To);

// Step 0: vectors of other lengths, as their elements; those that functions take or return stay.
void takeApartOddVectors(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, Complaints &C);
// Step 1: intrinsics that the back end lacks, or lacks for a width, as plain instructions (which may be of other widths).
void expandIntrinsics(llvm::Function &F, Complaints &C);
// Step 2: integers of 65 to 128 bits as pairs of 64-bit ones.
void splitWide(llvm::Function &F, Complaints &C);
// Step 3: integers of other widths in the next legal one, in functions' types too.
void widenOdd(llvm::Module &M, Complaints &C);
// Step 4: instructions on legal types that the back end writes wrongly, or not at all.
void rewriteForms(llvm::Function &F, Complaints &C);

} // namespace aspen::spirv
