// What each lane of a loop that searches (lane_gains.cpp) reads at a place of its own.
//
// With AVX-512 that is LLVM's gather. With AVX2 there is an instruction, too, but LLVM takes apart what asks for it on processors that take long for it, with
// a branch a lane: as long as what it shall replace, since which lanes have ended is guessed wrong. A search waits for what it reads, and that all lanes do at
// once. docs/decisions/0050.

#include "lanes.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace aspen::items {

namespace {

// How many lanes an instruction of AVX2 reads for, whose places are whole addresses.
constexpr unsigned AtOnce = 4;

// Lanes from `First` on, so many of them; zeros where there are no more.
Value *part(IRBuilder<> &B, Value *Lanes, unsigned First, unsigned Many) {
  const unsigned Count = cast<FixedVectorType>(Lanes->getType())->getNumElements();
  SmallVector<int, 32> Which;
  for (unsigned N = First; N < First + Many; ++N)
    Which.push_back(int(std::min(N, Count)));
  return B.CreateShuffleVector(Lanes, Constant::getNullValue(Lanes->getType()), Which);
}

} // namespace

LaneReads readsOfLanes(const TargetTransformInfo &TTI, const LoadInst &Load, unsigned Bits) {
  auto *Many = FixedVectorType::get(Load.getType(), Bits / 64);
  if (TTI.isLegalMaskedGather(Many, Load.getAlign()) && !TTI.forceScalarizeMaskedGather(Many, Load.getAlign()))
    return LaneReads::Quick;
  return Bits == 256 && Load.getType()->getScalarSizeInBits() == 32 ? LaneReads::Slow : LaneReads::None;
}

Value *readByLanes(IRBuilder<> &B, const LoadInst &Load, Value *Places, Value *Mask, bool HasGathers) {
  const unsigned Count = cast<FixedVectorType>(Places->getType())->getNumElements();
  auto *Wide = FixedVectorType::get(Load.getType(), Count);
  if (HasGathers)
    return B.CreateMaskedGather(Wide, Places, Load.getAlign(), Mask, Constant::getNullValue(Wide));
  Value *At = B.CreatePtrToInt(Places, FixedVectorType::get(B.getInt64Ty(), Count));
  Value *Wanted = B.CreateSExt(Mask, FixedVectorType::get(B.getInt32Ty(), Count)), *Nothing = Constant::getNullValue(FixedVectorType::get(B.getInt32Ty(), AtOnce));
  SmallVector<Value *, 8> Read;
  for (unsigned First = 0; First < Count; First += AtOnce)
    Read.push_back(B.CreateIntrinsic(Intrinsic::x86_avx2_gather_q_d_256, {Nothing, ConstantPointerNull::get(B.getPtrTy()), part(B, At, First, AtOnce),
                                                                           part(B, Wanted, First, AtOnce), B.getInt8(1)}));
  Value *All = concatenateVectors(B, Read);
  return B.CreateBitCast(Count < AtOnce ? part(B, All, 0, Count) : All, Wide);
}

} // namespace aspen::items
