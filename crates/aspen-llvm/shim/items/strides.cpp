#include "strides.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace aspen::items {

std::optional<int64_t> Strides::of(Value *X) {
  if (auto Which = idOf(X))
    return *Which == Id::Local2 || *Which == Id::Linear || *Which == Id::Lane;
  auto *I = dyn_cast<Instruction>(X);
  if (!I || V.Uniform->isUniform(I))
    return 0;
  // A loop's variable is taken to grow as its first value does, which its other values must confirm.
  if (auto [Place, New] = Known.try_emplace(I); !New)
    return Place->second;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return ofPhi(*Phi);
  auto Result = isOfRow(*I) ? 0 : compute(*I);
  Known[I] = Result;
  return Result;
}

bool Strides::isOfRow(Instruction &I) {
  return isa<BinaryOperator, CastInst, CmpInst, SelectInst, MinMaxIntrinsic>(I) && all_of(I.operands(), [&](Value *V) { return isa<Function>(V) || of(V) == 0; });
}

std::optional<int64_t> Strides::compute(Instruction &I) {
  const auto *C = I.getNumOperands() > 1 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    if (auto A = of(I.getOperand(0)), B = of(I.getOperand(1)); A && B)
      return I.getOpcode() == Instruction::Add ? *A + *B : *A - *B;
    return std::nullopt;
  case Instruction::Or:
    if (auto A = of(I.getOperand(0)), B = of(I.getOperand(1)); A && B && cast<PossiblyDisjointInst>(I).isDisjoint())
      return *A + *B;
    return std::nullopt;
  case Instruction::Mul:
    if (auto A = of(I.getOperand(0)); A && C && C->getBitWidth() <= 64)
      return *A * C->getSExtValue();
    return std::nullopt;
  case Instruction::Shl:
    if (auto A = of(I.getOperand(0)); A && C && C->getValue().ult(63) && isIntN(63 - C->getZExtValue(), std::abs(*A)))
      return *A << C->getZExtValue();
    return std::nullopt;
  case Instruction::AShr: // `int i = it.get_global_id(0)` is shifted up and down again
  case Instruction::LShr:
    if (auto A = of(I.getOperand(0)); A && C && C->getValue().ult(63) && *A % (int64_t(1) << C->getZExtValue()) == 0)
      return *A >> C->getZExtValue();
    return std::nullopt;
  case Instruction::And: // as a whole number of 32 bits
    if (auto A = of(I.getOperand(0)); A && C && C->getValue().isMask() && C->getValue().countr_one() >= 32)
      return *A;
    return std::nullopt;
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
    return of(I.getOperand(0));
  // Away from edges, where most items are (interior.cpp).
  case Instruction::Call:
    return isa<MinMaxIntrinsic>(I) ? within(I.getOperand(0), I.getOperand(1)) : std::nullopt;
  case Instruction::Select: {
    const auto *Compare = dyn_cast<ICmpInst>(I.getOperand(0));
    if (!Compare || !within(Compare->getOperand(0), Compare->getOperand(1)))
      return std::nullopt;
    const auto True = of(I.getOperand(1)), False = of(I.getOperand(2));
    return True && False ? within(I.getOperand(1), I.getOperand(2)) : True ? True : False;
  }
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    // By what only the launch knows, too, many items are taken to have one quotient.
    const auto Number = of(I.getOperand(0));
    if (!Number || of(I.getOperand(1)) != 0 || (C && C->getValue().ult(ItemsTogether)))
      return std::nullopt;
    return I.getOpcode() == Instruction::UDiv || I.getOpcode() == Instruction::SDiv ? 0 : *Number;
  }
  case Instruction::GetElementPtr: {
    auto Sum = of(I.getOperand(0));
    for (auto T = gep_type_begin(I), End = gep_type_end(I); T != End && Sum; ++T)
      if (auto Step = of(T.getOperand()); !Step)
        return std::nullopt;
      else if (*Step != 0)
        Sum = *Sum + *Step * int64_t(T.getSequentialElementStride(I.getDataLayout()).getKnownMinValue());
    return Sum;
  }
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> Strides::within(Value *A, Value *B) {
  const auto Of = of(A), Other = of(B);
  if (!Of || !Other || (*Of != 0 && *Other != 0 && *Of != *Other))
    return std::nullopt;
  return *Of != 0 ? *Of : *Other;
}

std::optional<int64_t> Strides::ofPhi(PHINode &Phi) {
  std::optional<int64_t> First;
  const Loop *L = V.Loops.getLoopFor(Phi.getParent());
  if (!L || L->getHeader() != Phi.getParent() || !L->getLoopPreheader())
    return std::nullopt;
  First = of(Phi.getIncomingValueForBlock(L->getLoopPreheader()));
  Known[&Phi] = First;
  // An `int` that grows by a `size_t` has two numbers in LLVM's form, of which the wider one goes on.
  for (PHINode &Other : Phi.getParent()->phis())
    if (Other.getType()->isIntegerTy() && Phi.getType()->isIntegerTy() && Other.getType()->getIntegerBitWidth() > Phi.getType()->getIntegerBitWidth())
      of(&Other);
  for (Value *In : Phi.incoming_values())
    if (of(In) != First)
      First.reset();
  return Known[&Phi] = First;
}

} // namespace aspen::items
