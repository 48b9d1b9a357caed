// Step 3: integers of other widths than SPIR-V's in the next legal one, scalars and vectors, in functions' types too.
//
// They come from bit-fields (24 bits), from LLVM itself (sums of loops: 33 bits; switches as bit maps: any width) and from _BitInt. Bits
// above the type's width mean nothing; what reads them clears or fills them first. The back end does this too, but keeps what is there.

#include "legalise.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace aspen::spirv;

namespace {

// What is known of an integer's values is said in its own width.
template <class T> void withoutRanges(T &Called) {
  Called.removeRetAttr(Attribute::Range);
  for (unsigned Parameter = 0; Parameter < Called.arg_size(); ++Parameter)
    Called.removeParamAttr(Parameter, Attribute::Range);
}

Type *legal(Type *T) { return isOdd(T) ? withWidth(T, legalWidth(widthOf(T))) : T; }

FunctionType *legal(FunctionType *T) {
  SmallVector<Type *, 8> Parameters;
  for (Type *Parameter : T->params())
    Parameters.push_back(legal(Parameter));
  return FunctionType::get(legal(T->getReturnType()), Parameters, T->isVarArg());
}

// Whether integers that SPIR-V lacks are in a type in memory.
bool holdsOdd(Type *T) {
  return (widthOf(T) && !isLegal(widthOf(T))) || (!T->isPointerTy() && any_of(T->subtypes(), [](Type *Member) { return holdsOdd(Member); }));
}

class Widener {
  Function &F;
  Complaints &C;
  const DataLayout &Layout;
  IRBuilder<> B;
  DenseMap<Value *, Value *> &Widened;
  SmallVector<PHINode *, 8> Phis;
  SmallVector<Instruction *, 32> Replaced;

  Value *unknown(const Instruction &At, Type *T) {
    C.add(At, "integers of " + Twine(widthOf(T)) + " bits, which SPIR-V lacks, are used in a way that Aspen cannot rewrite ('" +
                  Twine(At.getOpcodeName()) + "')");
    return PoisonValue::get(legal(T));
  }

  static Constant *constant(Constant *V) {
    Type *To = legal(V->getType());
    if (isa<PoisonValue>(V))
      return PoisonValue::get(To);
    if (isa<UndefValue>(V))
      return UndefValue::get(To);
    if (auto *Number = dyn_cast<ConstantInt>(V))
      return ConstantInt::get(To, Number->getValue().zext(widthOf(To)));
    if (auto *Vector = dyn_cast<FixedVectorType>(V->getType())) {
      SmallVector<Constant *, 16> Elements;
      for (unsigned Index = 0; Index < Vector->getNumElements(); ++Index) {
        Constant *Element = V->getAggregateElement(Index);
        Element = Element ? constant(Element) : nullptr;
        if (!Element)
          return nullptr;
        Elements.push_back(Element);
      }
      return ConstantVector::get(Elements);
    }
    return nullptr;
  }

  // The value in the legal width, with any bits above; a value of a legal width itself.
  Value *wide(Value *V, const Instruction &At) {
    if (!isOdd(V->getType()))
      return V;
    if (auto Found = Widened.find(V); Found != Widened.end())
      return Found->second;
    if (auto *Known = dyn_cast<Constant>(V))
      if (Constant *Out = constant(Known))
        return Out;
    return unknown(At, V->getType());
  }
  // The same with zeroes, or copies of the sign, above.
  Value *cleared(Value *V, const Instruction &At) {
    Value *W = wide(V, At);
    if (!isOdd(V->getType()) || isa<ConstantInt>(V))
      return W;
    return B.CreateAnd(W, ConstantInt::get(W->getType(), APInt::getLowBitsSet(widthOf(W->getType()), widthOf(V->getType()))));
  }
  Value *filled(Value *V, const Instruction &At) {
    Value *W = wide(V, At);
    if (!isOdd(V->getType()))
      return W;
    const unsigned Above = widthOf(W->getType()) - widthOf(V->getType());
    return B.CreateAShr(B.CreateShl(W, Above), Above);
  }

  Value *binary(BinaryOperator &I) {
    Value *L = I.getOperand(0), *R = I.getOperand(1);
    const auto Opcode = I.getOpcode();
    switch (Opcode) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return B.CreateBinOp(Opcode, wide(L, I), wide(R, I));
    case Instruction::Shl:
      return B.CreateShl(wide(L, I), cleared(R, I));
    case Instruction::AShr:
      return B.CreateAShr(filled(L, I), cleared(R, I));
    case Instruction::SDiv:
    case Instruction::SRem:
      return B.CreateBinOp(Opcode, filled(L, I), filled(R, I));
    default: // LShr, UDiv, URem
      return B.CreateBinOp(Opcode, cleared(L, I), cleared(R, I));
    }
  }

  Value *converted(CastInst &I) {
    Value *From = I.getOperand(0);
    Type *To = legal(I.getType()), *Word = Type::getInt64Ty(F.getContext());
    switch (I.getOpcode()) {
    case Instruction::Trunc:
      return B.CreateZExtOrTrunc(wide(From, I), To);
    case Instruction::ZExt:
      return B.CreateZExt(cleared(From, I), To);
    case Instruction::SExt:
      return B.CreateSExt(filled(From, I), To);
    case Instruction::UIToFP:
      return B.CreateUIToFP(cleared(From, I), To);
    case Instruction::SIToFP:
      return B.CreateSIToFP(filled(From, I), To);
    case Instruction::FPToUI:
    case Instruction::FPToSI:
      return B.CreateCast(I.getOpcode(), From, To);
    case Instruction::PtrToInt:
      return B.CreateTrunc(B.CreatePtrToInt(From, Word), To);
    case Instruction::IntToPtr:
      return B.CreateIntToPtr(cleared(From, I), To);
    case Instruction::BitCast: {
      Type *Source = From->getType(), *Target = I.getType();
      if (auto *Vector = dyn_cast<FixedVectorType>(Target); Vector && isOdd(Source) && !Source->isVectorTy() && !isOdd(Target))
        return unpack(B, cleared(From, I), Vector);
      if (isOdd(Target) && !Target->isVectorTy() && Source->isVectorTy() && !isOdd(Source))
        return pack(B, From, To);
      return unknown(I, isOdd(Source) ? Source : Target);
    }
    default:
      return unknown(I, isOdd(I.getType()) ? I.getType() : From->getType());
    }
  }

  // Calls `Access` with the legal integers, low to high, that make up one of this width in memory: their type, address, alignment, first bit.
  void eachPiece(Type *T, Value *Address, Align Alignment, function_ref<void(Type *, Value *, Align, unsigned)> Access) {
    const unsigned Bytes = alignTo(widthOf(T), 8) / 8;
    unsigned Size;
    for (unsigned Done = 0; Done < Bytes; Done += Size) {
      Size = bit_floor(Bytes - Done);
      Value *There = Done ? B.CreatePtrAdd(Address, B.getInt64(Done)) : Address;
      Access(B.getIntNTy(Size * 8), There, commonAlignment(Alignment, Done), Done * 8);
    }
  }

  Value *loaded(LoadInst &I) {
    Type *To = legal(I.getType());
    if (I.isAtomic() || To->isVectorTy())
      return unknown(I, I.getType());
    Value *Out = nullptr;
    eachPiece(I.getType(), I.getPointerOperand(), I.getAlign(), [&](Type *T, Value *Address, Align Alignment, unsigned Bit) {
      Value *Piece = B.CreateZExt(B.CreateAlignedLoad(T, Address, Alignment, I.isVolatile()), To);
      Out = Out ? B.CreateOr(Out, B.CreateShl(Piece, Bit)) : Piece;
    });
    return Out;
  }

  void stored(StoreInst &I) {
    Type *T = I.getValueOperand()->getType();
    if (I.isAtomic() || T->isVectorTy())
      return (void)unknown(I, T);
    Value *V = cleared(I.getValueOperand(), I);
    eachPiece(T, I.getPointerOperand(), I.getAlign(), [&](Type *Piece, Value *Address, Align Alignment, unsigned Bit) {
      B.CreateAlignedStore(B.CreateTrunc(Bit ? B.CreateLShr(V, Bit) : V, Piece), Address, Alignment, I.isVolatile());
    });
  }

  Value *called(CallInst &I) {
    if (isa<IntrinsicInst>(I) || I.isInlineAsm()) {
      for (Value *Argument : I.args())
        if (isOdd(Argument->getType()))
          return unknown(I, Argument->getType());
      return unknown(I, I.getType());
    }
    SmallVector<Value *, 8> Arguments;
    for (Value *Argument : I.args())
      Arguments.push_back(wide(Argument, I));
    CallInst *Out = B.CreateCall(legal(I.getFunctionType()), wide(I.getCalledOperand(), I), Arguments);
    Out->setCallingConv(I.getCallingConv());
    Out->setAttributes(I.getAttributes());
    Out->copyMetadata(I);
    withoutRanges(*Out);
    Out->setMetadata(LLVMContext::MD_range, nullptr);
    return Out;
  }

  void branched(SwitchInst &I) {
    SwitchInst *Out = B.CreateSwitch(cleared(I.getCondition(), I), I.getDefaultDest(), I.getNumCases());
    for (auto Case : I.cases())
      Out->addCase(cast<ConstantInt>(constant(Case.getCaseValue())), Case.getCaseSuccessor());
    I.eraseFromParent();
  }

  Value *addressed(GetElementPtrInst &I) {
    if (I.getType()->isVectorTy())
      return unknown(I, I.getType());
    if (!holdsOdd(I.getSourceElementType())) {
      SmallVector<Value *, 4> Indices;
      for (Value *Index : I.indices())
        Indices.push_back(filled(Index, I));
      return B.CreateGEP(I.getSourceElementType(), I.getPointerOperand(), Indices);
    }
    // In bytes: memory of such types is read and written by its bytes.
    APInt Constant(Layout.getIndexTypeSizeInBits(I.getType()), 0);
    SmallMapVector<Value *, APInt, 4> Variable;
    if (!I.collectOffset(Layout, Constant.getBitWidth(), Variable, Constant))
      return unknown(I, I.getSourceElementType());
    Type *Word = B.getIntNTy(Constant.getBitWidth());
    Value *Offset = ConstantInt::get(Word, Constant);
    for (auto &[Index, Scale] : Variable)
      Offset = B.CreateAdd(Offset, B.CreateMul(B.CreateSExtOrTrunc(filled(Index, I), Word), ConstantInt::get(Word, Scale)));
    return B.CreatePtrAdd(I.getPointerOperand(), Offset);
  }

  // What an instruction that makes or takes such an integer makes instead; null if it makes nothing.
  Value *replaced(Instruction &I) {
    if (auto *Operator = dyn_cast<BinaryOperator>(&I))
      return binary(*Operator);
    if (auto *Cast = dyn_cast<CastInst>(&I))
      return converted(*Cast);
    if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
      auto extend = [&](Value *V) { return Compare->isSigned() ? filled(V, I) : cleared(V, I); };
      return B.CreateICmp(Compare->getPredicate(), extend(I.getOperand(0)), extend(I.getOperand(1)));
    }
    if (isa<SelectInst>(I))
      return B.CreateSelect(I.getOperand(0), wide(I.getOperand(1), I), wide(I.getOperand(2), I));
    if (isa<FreezeInst>(I))
      return B.CreateFreeze(wide(I.getOperand(0), I));
    if (isa<ExtractElementInst>(I))
      return B.CreateExtractElement(wide(I.getOperand(0), I), cleared(I.getOperand(1), I));
    if (isa<InsertElementInst>(I))
      return B.CreateInsertElement(wide(I.getOperand(0), I), wide(I.getOperand(1), I), cleared(I.getOperand(2), I));
    if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I))
      return B.CreateShuffleVector(wide(I.getOperand(0), I), wide(I.getOperand(1), I), Shuffle->getShuffleMask());
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return loaded(*Load);
    if (auto *Call = dyn_cast<CallInst>(&I))
      return called(*Call);
    if (auto *Address = dyn_cast<GetElementPtrInst>(&I))
      return addressed(*Address);
    if (auto *Memory = dyn_cast<AllocaInst>(&I); Memory && !Memory->isArrayAllocation()) {
      Type *Bytes = ArrayType::get(B.getInt8Ty(), Layout.getTypeAllocSize(Memory->getAllocatedType()));
      AllocaInst *Out = B.CreateAlloca(Bytes, Memory->getAddressSpace());
      Out->setAlignment(Memory->getAlign());
      return Out;
    }
    for (Value *V : I.operands())
      if (isOdd(V->getType()))
        return unknown(I, V->getType());
    return unknown(I, I.getType());
  }

  bool concerns(Instruction &I) const {
    auto *Memory = dyn_cast<AllocaInst>(&I);
    auto *Address = dyn_cast<GetElementPtrInst>(&I);
    auto odd = [&](Value *V) { return isOdd(V->getType()); };
    return odd(&I) || any_of(I.operands(), odd) || (Memory && holdsOdd(Memory->getAllocatedType())) ||
           (Address && holdsOdd(Address->getSourceElementType()));
  }

  void replace(Instruction &I) {
    B.SetInsertPoint(&I);
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      Widened[Phi] = B.CreatePHI(legal(Phi->getType()), Phi->getNumIncomingValues());
      Phis.push_back(Phi);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      stored(*Store);
    } else if (auto *Switch = dyn_cast<SwitchInst>(&I)) {
      return branched(*Switch);
    } else if (isa<ReturnInst>(I)) {
      B.CreateRet(wide(I.getOperand(0), I));
    } else if (Value *By = replaced(I); By && isOdd(I.getType())) {
      Widened[&I] = By;
    } else if (By && By->getType() == I.getType()) {
      I.replaceAllUsesWith(By);
    }
    Replaced.push_back(&I);
  }

public:
  Widener(Function &F, Complaints &C, DenseMap<Value *, Value *> &Widened)
      : F(F), C(C), Layout(F.getDataLayout()), B(F.getContext()), Widened(Widened) {}

  void run() {
    if (none_of(instructions(F), [&](Instruction &I) { return concerns(I); }))
      return;
    removeUnreachableBlocks(F);
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
      for (Instruction &I : make_early_inc_range(*Block))
        if (concerns(I))
          replace(I);
    for (PHINode *Phi : Phis)
      for (unsigned Index = 0; Index < Phi->getNumIncomingValues(); ++Index)
        cast<PHINode>(Widened[Phi])->addIncoming(wide(Phi->getIncomingValue(Index), *Phi), Phi->getIncomingBlock(Index));
    for (Instruction *I : Replaced) {
      if (!I->getType()->isVoidTy())
        I->replaceAllUsesWith(PoisonValue::get(I->getType()));
      I->eraseFromParent();
    }
  }
};

// The function with legal parameters and result, in the place of one without.
Function *withLegalType(Function &F, DenseMap<Value *, Value *> &Widened) {
  Function *Out = Function::Create(legal(F.getFunctionType()), F.getLinkage(), F.getAddressSpace(), "", nullptr);
  F.getParent()->getFunctionList().insert(F.getIterator(), Out);
  Out->copyAttributesFrom(&F);
  withoutRanges(*Out);
  Out->setComdat(F.getComdat());
  Out->copyMetadata(&F, 0);
  Out->takeName(&F);
  Out->splice(Out->begin(), &F);
  for (auto [Old, New] : zip(F.args(), Out->args())) {
    New.takeName(&Old);
    if (isOdd(Old.getType()))
      Widened[&Old] = &New;
    else
      Old.replaceAllUsesWith(&New);
  }
  F.replaceAllUsesWith(Out);
  return Out;
}

} // namespace

void aspen::spirv::widenOdd(Module &M, Complaints &C) {
  if (C.any())
    return;
  DenseMap<Value *, Value *> Widened;
  SmallVector<Function *, 4> Gone;
  for (Function &F : make_early_inc_range(M))
    if (!F.isIntrinsic() && legal(F.getFunctionType()) != F.getFunctionType()) {
      withLegalType(F, Widened);
      Gone.push_back(&F);
    }
  for (Function &F : M)
    if (!F.isDeclaration())
      Widener(F, C, Widened).run();
  for (Function *F : Gone)
    F->eraseFromParent();
}
