// Step 0: vectors of lengths that SPIR-V lacks. LLVM makes them where memory of one vector type is read as another, and `ext_vector_type`
// has them of any length. Functions that hold such a vector are taken apart into elements, by LLVM's own pass. Where the other type is
// shorter, the way goes through an integer of all the bits; that becomes a choice of elements first.

#include "legalise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/Utils/Local.h"
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
    return isOddVector(I.getType()) || any_of(I.operands(), [](const Value *V) { return isOddVector(V->getType()); });
  });
}

// A type that has such a vector anywhere in it.
static bool containsOddVector(const Type *T) {
  return isOddVector(T) || any_of(T->subtypes(), [](const Type *Part) { return containsOddVector(Part); });
}

// As many bytes as the type takes up with its padding: what lies in memory is only reached through elements' addresses.
static Type *bytesOf(const Type *T, const DataLayout &Layout) {
  return ArrayType::get(Type::getInt8Ty(T->getContext()), Layout.getTypeAllocSize(const_cast<Type *>(T)));
}

// The same type with vectors of the next length that there is, which has the same size and place in memory. Null where there is none.
static Type *withLongerVectors(Type *T) {
  if (isOddVector(T)) {
    const auto *Vector = cast<FixedVectorType>(T);
    const unsigned Count = std::max(2u, static_cast<unsigned>(PowerOf2Ceil(Vector->getNumElements())));
    return Count > 16 ? nullptr : FixedVectorType::get(Vector->getElementType(), Count);
  }
  if (!containsOddVector(T))
    return T;
  if (const auto *Array = dyn_cast<ArrayType>(T)) {
    Type *Element = withLongerVectors(Array->getElementType());
    return Element ? ArrayType::get(Element, Array->getNumElements()) : nullptr;
  }
  SmallVector<Type *, 8> Members;
  for (Type *Member : cast<StructType>(T)->elements())
    Members.push_back(withLongerVectors(Member));
  return is_contained(Members, nullptr) ? nullptr : StructType::get(T->getContext(), Members, cast<StructType>(T)->isPacked());
}

// Memory whose type holds such vectors, and ways into it, in bytes.
static void inBytes(Function &F, Complaints &C) {
  const DataLayout &Layout = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    IRBuilder<> B(&I);
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && containsOddVector(Variable->getAllocatedType())) {
      AllocaInst *Bytes =
          B.CreateAlloca(bytesOf(Variable->getAllocatedType(), Layout), Variable->getAddressSpace(), Variable->getArraySize());
      Bytes->setAlignment(Variable->getAlign());
      Bytes->takeName(Variable);
      Variable->replaceAllUsesWith(Bytes);
      Variable->eraseFromParent();
    } else if (auto *Way = dyn_cast<GetElementPtrInst>(&I); Way && containsOddVector(Way->getSourceElementType())) {
      Value *There = B.CreatePtrAdd(Way->getPointerOperand(), emitGEPOffset(&B, Layout, Way), "", Way->getNoWrapFlags());
      Way->replaceAllUsesWith(There);
      Way->eraseFromParent();
    }
  }
  for (Argument &Of : F.args()) {
    Type *T = Of.getParamByValType();
    if (!T || !containsOddVector(T))
      continue;
    Type *Longer = withLongerVectors(T);
    if (!Longer || Layout.getTypeAllocSize(Longer) != Layout.getTypeAllocSize(T)) {
      C.add(F, "an argument that holds a vector of more than 16, or of 1, elements; SPIR-V has vectors of 2, 3, 4, 8 and 16");
      continue;
    }
    Of.removeAttr(Attribute::ByVal);
    Of.addAttr(Attribute::getWithByValType(F.getContext(), Longer));
  }
}

void aspen::spirv::takeApartOddVectors(Function &F, FunctionAnalysisManager &FAM, Complaints &C) {
  readElements(F);
  inBytes(F, C);
  if (!holdsOddVector(F))
    return;
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
  FAM.invalidate(F, DCEPass().run(F, FAM));
}
