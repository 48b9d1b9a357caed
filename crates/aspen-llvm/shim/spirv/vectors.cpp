// Step 0: vectors of lengths that SPIR-V lacks. LLVM makes them where memory of one vector type is read as another, and `ext_vector_type`
// has them of any length. Functions that hold such a vector are taken apart into elements, by LLVM's own pass. Where the other type is
// shorter, the way goes through an integer of all the bits; that becomes a choice of elements first.

#include "legalise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/Local.h"

#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace aspen::spirv;

// The bits of a type with as many elements of `Width` bits.
static FixedVectorType *inElements(Type *T, unsigned Width) {
  const unsigned Bits = T->getPrimitiveSizeInBits().getFixedValue();
  return FixedVectorType::get(IntegerType::get(T->getContext(), Width), Bits / Width);
}

// Part of a vector's bits, read through an integer: `cast (trunc (shift (cast Vector))) to T`. Null if it is none.
static Value *partOfVector(CastInst &Read) {
  Value *Vector, *Integer = Read.getOperand(0);
  uint64_t Shift = 0;
  auto Source = m_BitCast(m_Value(Vector));
  const bool ReadsPart = Read.getOpcode() == Instruction::Trunc
                             ? match(Integer, m_CombineOr(m_LShr(Source, m_ConstantInt(Shift)), Source))
                             : match(Integer, m_Trunc(m_CombineOr(m_LShr(Source, m_ConstantInt(Shift)), Source)));
  Type *To = Read.getType();
  if (!ReadsPart || !isa<FixedVectorType>(Vector->getType()) || Vector->getType()->getScalarType()->isPointerTy() ||
      (Read.getOpcode() == Instruction::Trunc && widthOf(To) > 64))
    return nullptr;
  const unsigned From = Vector->getType()->getScalarSizeInBits(), Of = To->getScalarSizeInBits();
  const unsigned Width = std::gcd(std::gcd(From, Of), static_cast<unsigned>(Shift));
  const unsigned Bits = To->getPrimitiveSizeInBits().getFixedValue();
  if (Width < 8 || !isLegal(Width) || Shift + Bits > Vector->getType()->getPrimitiveSizeInBits().getFixedValue())
    return nullptr;
  IRBuilder<> B(&Read);
  Value *Elements = B.CreateBitCast(Vector, inElements(Vector->getType(), Width));
  SmallVector<int, 16> Chosen;
  for (unsigned Bit = 0; Bit < Bits; Bit += Width)
    Chosen.push_back(static_cast<int>((Shift + Bit) / Width));
  if (Chosen.size() == 1)
    return B.CreateBitCast(B.CreateExtractElement(Elements, Chosen[0]), To);
  return B.CreateBitCast(B.CreateShuffleVector(Elements, Chosen), To);
}

// Integers of more than 128 bits that are nothing but a vector's bits.
static void readElements(Function &F) {
  SmallVector<WeakTrackingVH, 8> Dead;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Read = dyn_cast<CastInst>(&I);
    if (!Read || (Read->getOpcode() != Instruction::BitCast && Read->getOpcode() != Instruction::Trunc))
      continue;
    auto *Cut = dyn_cast<TruncInst>(Read->getOpcode() == Instruction::Trunc ? Read : Read->getOperand(0));
    if (!Cut || widthOf(Cut->getSrcTy()) <= 128 || Cut->getSrcTy()->isVectorTy())
      continue;
    if (Value *Part = partOfVector(*Read)) {
      Read->replaceAllUsesWith(Part);
      Dead.push_back(Read);
    }
  }
  RecursivelyDeleteTriviallyDeadInstructions(Dead);
}

static bool holdsOddVector(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Variable = dyn_cast<AllocaInst>(&I);
    return isOddVector(I.getType()) || (Variable && isOddVector(Variable->getAllocatedType())) ||
           any_of(I.operands(), [](const Value *V) { return isOddVector(V->getType()); });
  });
}

// Memory for as many elements as the vector takes up with its padding.
static void asArray(AllocaInst &Variable) {
  const auto *Vector = cast<FixedVectorType>(Variable.getAllocatedType());
  const DataLayout &Layout = Variable.getDataLayout();
  const uint64_t Count = Layout.getTypeAllocSize(Variable.getAllocatedType()) / Layout.getTypeAllocSize(Vector->getElementType());
  IRBuilder<> B(&Variable);
  AllocaInst *Array = B.CreateAlloca(ArrayType::get(Vector->getElementType(), Count), Variable.getAddressSpace(), Variable.getArraySize());
  Array->setAlignment(Variable.getAlign());
  Array->takeName(&Variable);
  Variable.replaceAllUsesWith(Array);
  Variable.eraseFromParent();
}

void aspen::spirv::takeApartOddVectors(Function &F, FunctionAnalysisManager &FAM) {
  readElements(F);
  if (!holdsOddVector(F))
    return;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && isOddVector(Variable->getAllocatedType()))
      asArray(*Variable);
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
  FAM.invalidate(F, DCEPass().run(F, FAM));
}
