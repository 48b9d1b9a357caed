// Step 4: instructions on legal types that the back end writes wrongly, refuses, or crashes on.

#include "legalise.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace aspen::spirv;

namespace {

// The integer type that holds an element's bits.
Type *bitsOf(Type *Element) { return IntegerType::get(Element->getContext(), Element->getPrimitiveSizeInBits()); }

// `zext (trunc x)`, through what passes values on: the legaliser's own form of it has a wrong type. Bits are cut by a mask instead, which
// is also what InstCombine makes of it.
Value *masked(ZExtInst &I) {
  Value *From = I.getOperand(0);
  if (auto *Freeze = dyn_cast<FreezeInst>(From))
    From = Freeze->getOperand(0);
  auto *Cut = dyn_cast<TruncInst>(From);
  if (!Cut)
    return nullptr;
  IRBuilder<> B(&I);
  Value *V = Cut->getOperand(0);
  if (From != I.getOperand(0))
    V = B.CreateFreeze(V);
  V = B.CreateZExtOrTrunc(V, I.getType());
  return B.CreateAnd(V, ConstantInt::get(I.getType(), APInt::getLowBitsSet(widthOf(I.getType()), widthOf(From->getType()))));
}

// Arithmetic of single bits: divisors are 1 and shifts are by 0, or nothing is defined.
Value *ofBits(BinaryOperator &I) {
  IRBuilder<> B(&I);
  switch (I.getOpcode()) {
  case Instruction::Mul:
    return B.CreateAnd(I.getOperand(0), I.getOperand(1));
  case Instruction::Add:
  case Instruction::Sub:
    return B.CreateXor(I.getOperand(0), I.getOperand(1));
  case Instruction::URem:
  case Instruction::SRem:
    return Constant::getNullValue(I.getType());
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return I.getOperand(0);
  default:
    return nullptr;
  }
}

// Vectors of single bits have no layout in SPIR-V.
Value *ofBitVectors(BitCastInst &I) {
  Type *From = I.getSrcTy(), *To = I.getDestTy();
  IRBuilder<> B(&I);
  if (From->isVectorTy() && widthOf(From) == 1 && From != To) {
    Type *Whole = B.getIntNTy(To->getPrimitiveSizeInBits());
    return isLegal(widthOf(Whole)) ? B.CreateBitCast(pack(B, I.getOperand(0), Whole), To) : nullptr;
  }
  if (auto *Vector = dyn_cast<FixedVectorType>(To); Vector && widthOf(To) == 1 && From != To) {
    Type *Whole = B.getIntNTy(From->getPrimitiveSizeInBits());
    return isLegal(widthOf(Whole)) ? unpack(B, B.CreateBitCast(I.getOperand(0), Whole), Vector) : nullptr;
  }
  return nullptr;
}

// Structures and arrays that are chosen, member by member: the back end breaks phis and selections of them.
class Members {
  Type *T;

  static unsigned countOf(Type *T) { return T->isStructTy() ? T->getStructNumElements() : T->getArrayNumElements(); }

public:
  explicit Members(Type *T) : T(T) {}

  Value *select(SelectInst &I) {
    IRBuilder<> B(&I);
    return joined(B, [&](unsigned Index) {
      Value *L = B.CreateExtractValue(I.getTrueValue(), Index), *R = B.CreateExtractValue(I.getFalseValue(), Index);
      return B.CreateSelect(I.getCondition(), L, R);
    });
  }

  Value *freeze(FreezeInst &I) {
    IRBuilder<> B(&I);
    return joined(B, [&](unsigned Index) { return B.CreateFreeze(B.CreateExtractValue(I.getOperand(0), Index)); });
  }

  Value *phi(PHINode &I) {
    IRBuilder<> B(I.getParent(), I.getParent()->getFirstInsertionPt());
    return joined(B, [&](unsigned Index) {
      IRBuilder<> Before(&I);
      PHINode *Out = nullptr;
      for (unsigned In = 0; In < I.getNumIncomingValues(); ++In) {
        // Switches come several times from one block; all entries of it are the same value then.
        BasicBlock *Block = I.getIncomingBlock(In);
        const int Known = Out ? Out->getBasicBlockIndex(Block) : -1;
        IRBuilder<> There(Block->getTerminator());
        Value *Member = Known >= 0 ? Out->getIncomingValue(Known) : There.CreateExtractValue(I.getIncomingValue(In), Index);
        if (!Out)
          Out = Before.CreatePHI(Member->getType(), I.getNumIncomingValues());
        Out->addIncoming(Member, Block);
      }
      return Out;
    });
  }

private:
  Value *joined(IRBuilder<> &B, function_ref<Value *(unsigned)> Member) {
    Value *Out = PoisonValue::get(T);
    for (unsigned Index = 0; Index < countOf(T); ++Index)
      Out = B.CreateInsertValue(Out, Member(Index), Index);
    return Out;
  }
};

// Operations that SPIR-V has no instruction for, as loops that exchange what they compared.
bool exchanged(AtomicRMWInst &I) {
  switch (I.getOperation()) {
  case AtomicRMWInst::Nand:
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
  case AtomicRMWInst::USubCond:
  case AtomicRMWInst::USubSat:
    return expandAtomicRMWToCmpXchg(&I, [](IRBuilderBase &B, Value *Address, Value *Loaded, Value *New, Align Alignment,
                                           AtomicOrdering Ordering, SyncScope::ID Scope, Value *&Success, Value *&Out,
                                           Instruction *Metadata) {
      AtomicCmpXchgInst *Pair = B.CreateAtomicCmpXchg(Address, Loaded, New, Alignment, Ordering,
                                                      AtomicCmpXchgInst::getStrongestFailureOrdering(Ordering), Scope);
      Success = B.CreateExtractValue(Pair, 1);
      Out = B.CreateExtractValue(Pair, 0);
    });
  default:
    return false;
  }
}

// Atomic exchanges are of numbers.
Value *ofAddresses(Instruction &I) {
  IRBuilder<> B(&I);
  Type *Word = B.getInt64Ty();
  if (auto *Exchange = dyn_cast<AtomicRMWInst>(&I); Exchange && I.getType()->isPointerTy()) {
    Value *New = B.CreatePtrToInt(Exchange->getValOperand(), Word);
    auto *Out = B.CreateAtomicRMW(Exchange->getOperation(), Exchange->getPointerOperand(), New, Exchange->getAlign(), Exchange->getOrdering(),
                                  Exchange->getSyncScopeID());
    return B.CreateIntToPtr(Out, I.getType());
  }
  auto *Compare = dyn_cast<AtomicCmpXchgInst>(&I);
  if (!Compare || !Compare->getNewValOperand()->getType()->isPointerTy())
    return nullptr;
  Value *Expected = B.CreatePtrToInt(Compare->getCompareOperand(), Word), *New = B.CreatePtrToInt(Compare->getNewValOperand(), Word);
  auto *Pair = B.CreateAtomicCmpXchg(Compare->getPointerOperand(), Expected, New, Compare->getAlign(), Compare->getSuccessOrdering(),
                                     Compare->getFailureOrdering(), Compare->getSyncScopeID());
  Value *Old = B.CreateIntToPtr(B.CreateExtractValue(Pair, 0), Compare->getNewValOperand()->getType());
  Value *Out = B.CreateInsertValue(PoisonValue::get(I.getType()), Old, 0);
  return B.CreateInsertValue(Out, B.CreateExtractValue(Pair, 1), 1);
}

// Gives the users of a structure's members these themselves: the back end would give pointers in a structure that nobody needs other types.
void replaceMembers(Instruction &I, Value *By) {
  for (User *U : I.users())
    if (auto *Member = dyn_cast<ExtractValueInst>(U); Member && Member->getNumIndices() == 1)
      if (Value *Found = FindInsertedValue(By, Member->getIndices()))
        Member->replaceAllUsesWith(Found);
}

// OpSwitch is of numbers.
void branch(SwitchInst &I) {
  IRBuilder<> B(&I);
  BasicBlock *Targets[2] = {I.getDefaultDest(), I.getDefaultDest()};
  for (auto Case : I.cases())
    Targets[Case.getCaseValue()->isOne()] = Case.getCaseSuccessor();
  SmallVector<BasicBlock *, 3> Before(successors(&I));
  B.CreateCondBr(I.getCondition(), Targets[1], Targets[0]);
  // A phi has an entry for every edge.
  for (BasicBlock *Block : SmallPtrSet<BasicBlock *, 3>(Before.begin(), Before.end())) {
    const auto Had = count(Before, Block), Has = count(Targets, Block);
    for (auto Extra = Had; Extra > Has; --Extra)
      Block->removePredecessor(I.getParent(), /*KeepOneInputPHIs=*/true);
  }
  I.eraseFromParent();
}

// Where several cases lead to one block, SPIR-V's phi has one entry for all of them, and LLVM's one for each. LLVM 15's reader and that of Intel's
// drivers before 2026 do not multiply it, so these edges meet in a block of their own.
void joinEdges(Instruction &Branch) {
  BasicBlock *From = Branch.getParent();
  SmallVector<BasicBlock *, 8> Targets(successors(From));
  for (BasicBlock *Target : SmallSetVector<BasicBlock *, 8>(Targets.begin(), Targets.end())) {
    if (count(Targets, Target) == 1 || Target->phis().empty())
      continue;
    auto *Between = BasicBlock::Create(From->getContext(), "", From->getParent(), Target);
    IRBuilder<>(Between).CreateBr(Target)->setDebugLoc(Branch.getDebugLoc());
    Branch.replaceSuccessorWith(Target, Between);
    for (PHINode &Phi : Target->phis()) {
      Value *Joined = Phi.getIncomingValueForBlock(From);
      for (int Index = Phi.getBasicBlockIndex(From); Index >= 0; Index = Phi.getBasicBlockIndex(From))
        Phi.removeIncomingValue(Index, /*DeletePHIIfEmpty=*/false);
      Phi.addIncoming(Joined, Between);
    }
  }
}

Value *rewritten(Instruction &I) {
  Type *T = I.getType();
  if (auto *Extension = dyn_cast<ZExtInst>(&I))
    return masked(*Extension);
  if (auto *Operator = dyn_cast<BinaryOperator>(&I); Operator && widthOf(T) == 1)
    return ofBits(*Operator);
  if (auto *Cast = dyn_cast<BitCastInst>(&I))
    return ofBitVectors(*Cast);
  if (auto *Choice = dyn_cast<SelectInst>(&I)) {
    if (T->isAggregateType())
      return Members(T).select(*Choice);
    // Before SPIR-V 1.4 a condition has as many components as what it chooses.
    if (auto *Vector = dyn_cast<FixedVectorType>(T); Vector && !Choice->getCondition()->getType()->isVectorTy()) {
      IRBuilder<> B(&I);
      Choice->setCondition(B.CreateVectorSplat(Vector->getNumElements(), Choice->getCondition()));
    }
    return nullptr;
  }
  if (auto *Freeze = dyn_cast<FreezeInst>(&I); Freeze && T->isAggregateType())
    return Members(T).freeze(*Freeze);
  if (auto *Phi = dyn_cast<PHINode>(&I); Phi && T->isAggregateType())
    return Members(T).phi(*Phi);
  return ofAddresses(I);
}

// Types that no instruction of these steps can be rid of.
void check(Instruction &I, Complaints &C) {
  auto check = [&](Type *T) {
    if (isOddVector(T))
      C.add(I, "a vector of " + Twine(cast<FixedVectorType>(T)->getNumElements()) + " elements; SPIR-V has vectors of 2, 3, 4, 8 and 16");
    Type *Element = T->getScalarType();
    if (Element != T && Element->isPointerTy())
      C.add(I, "a vector of pointers, which SPIR-V lacks");
    if (Element->isBFloatTy())
      C.add(I, "a number of the type bfloat, which SPIR-V lacks without an extension");
    if (Element->isX86_FP80Ty() || Element->isFP128Ty() || Element->isPPC_FP128Ty())
      C.add(I, "a floating-point number of " + Twine(Element->getPrimitiveSizeInBits().getFixedValue()) +
                   " bits; SPIR-V has those of 16, 32 and 64");
  };
  check(I.getType());
  for (Value *V : I.operands())
    check(V->getType());
}

} // namespace

Value *aspen::spirv::pack(IRBuilder<> &B, Value *Vector, Type *To) {
  auto *From = cast<FixedVectorType>(Vector->getType());
  Type *Bits = bitsOf(From->getElementType());
  Value *Out = nullptr;
  for (unsigned Index = 0; Index < From->getNumElements(); ++Index) {
    Value *Element = B.CreateZExt(B.CreateBitCast(B.CreateExtractElement(Vector, Index), Bits), To);
    Out = Out ? B.CreateOr(Out, B.CreateShl(Element, Index * widthOf(Bits))) : Element;
  }
  return Out;
}

Value *aspen::spirv::unpack(IRBuilder<> &B, Value *Integer, FixedVectorType *To) {
  Type *Bits = bitsOf(To->getElementType());
  Value *Out = PoisonValue::get(To);
  for (unsigned Index = 0; Index < To->getNumElements(); ++Index) {
    Value *Element = B.CreateTrunc(B.CreateLShr(Integer, Index * widthOf(Bits)), Bits);
    Out = B.CreateInsertElement(Out, B.CreateBitCast(Element, To->getElementType()), Index);
  }
  return Out;
}

void aspen::spirv::rewriteForms(Function &F, Complaints &C) {
  if (C.any())
    return;
  SmallVector<AtomicRMWInst *, 4> Atomics;
  SmallVector<SwitchInst *, 4> Switches;
  // Nested structures come apart level by level; a mask may hide another cut.
  for (bool Again = true; Again;) {
    Again = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      if (isInstructionTriviallyDead(&I)) {
        I.eraseFromParent();
      } else if (Value *By = rewritten(I)) {
        if (I.getType()->isStructTy())
          replaceMembers(I, By);
        I.replaceAllUsesWith(By);
        I.eraseFromParent();
        Again = true;
      }
    }
    for (BasicBlock &Block : reverse(F))
      for (Instruction &I : make_early_inc_range(reverse(Block)))
        if (isInstructionTriviallyDead(&I))
          I.eraseFromParent();
  }
  for (Instruction &I : instructions(F)) {
    check(I, C);
    // Calls have no kinds in SPIR-V, and the back end puts instructions between this one and the return.
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isMustTailCall())
      Call->setTailCallKind(CallInst::TCK_None);
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I))
      Atomics.push_back(Atomic);
    if (auto *Switch = dyn_cast<SwitchInst>(&I); Switch && widthOf(Switch->getCondition()->getType()) == 1)
      Switches.push_back(Switch);
  }
  for (AtomicRMWInst *Atomic : Atomics)
    exchanged(*Atomic);
  for (SwitchInst *Switch : Switches)
    branch(*Switch);
  for (BasicBlock &Block : make_early_inc_range(F))
    joinEdges(*Block.getTerminator());
}
