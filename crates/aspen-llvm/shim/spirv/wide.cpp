// Step 2: integers of 65 to 128 bits as pairs of 64-bit ones.
//
// They come from LLVM itself (the sum of a loop of `long` is a product of 65 bits) and from _BitInt. The bits of the upper half above the
// type's width mean nothing; what reads them clears or fills them first.

#include "legalise.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace aspen::spirv;

namespace {

constexpr unsigned Half = 64;

struct Pair {
  Value *Low, *High;
};

class Splitter {
  Function &F;
  Complaints &C;
  IRBuilder<> B;
  Type *Word;
  DenseMap<Value *, Pair> Pairs;
  SmallVector<PHINode *, 8> Phis;
  SmallVector<Instruction *, 32> Replaced;

  Constant *number(uint64_t Value) const { return ConstantInt::get(Word, Value); }

  Pair pair(Value *V, const Instruction &At) {
    if (auto Found = Pairs.find(V); Found != Pairs.end())
      return Found->second;
    if (auto *Number = dyn_cast<ConstantInt>(V)) {
      APInt All = Number->getValue().sext(2 * Half);
      return {ConstantInt::get(Word, All.trunc(Half)), ConstantInt::get(Word, All.extractBits(Half, Half))};
    }
    Constant *None = isa<PoisonValue>(V) ? PoisonValue::get(Word) : UndefValue::get(Word);
    if (!isa<UndefValue>(V))
      C.add(At, "integers of " + Twine(widthOf(V->getType())) + " bits, which SPIR-V lacks, are used in a way that Aspen cannot rewrite");
    return {None, None};
  }

  // The upper half with zeroes, or copies of the sign, above the type's width.
  Value *cleared(Pair P, const Type *T) {
    const unsigned Width = widthOf(T) - Half;
    return Width == Half ? P.High : B.CreateAnd(P.High, number((1ULL << Width) - 1));
  }
  Value *filled(Pair P, const Type *T) {
    const unsigned Above = 2 * Half - widthOf(T);
    return Above ? B.CreateAShr(B.CreateShl(P.High, Above), Above) : P.High;
  }

  // The upper half of the product of two words, by 32-bit pieces.
  Value *upperProduct(Value *L, Value *R) {
    auto low = [&](Value *V) { return B.CreateAnd(V, number(0xFFFFFFFF)); };
    auto high = [&](Value *V) { return B.CreateLShr(V, 32); };
    Value *Middle = B.CreateAdd(B.CreateMul(high(L), low(R)), high(B.CreateMul(low(L), low(R))));
    Value *Other = B.CreateAdd(B.CreateMul(low(L), high(R)), low(Middle));
    return B.CreateAdd(B.CreateAdd(B.CreateMul(high(L), high(R)), high(Middle)), high(Other));
  }

  // Shifts by less than a word and by more; by nothing, the bits that come from the other word would be shifted by 64, which is undefined.
  Pair shifted(unsigned Opcode, Pair V, Value *By, const Type *T) {
    const bool Left = Opcode == Instruction::Shl;
    Value *Upper = Left ? V.High : Opcode == Instruction::AShr ? filled(V, T) : cleared(V, T);
    Value *Fill = Opcode == Instruction::AShr ? B.CreateAShr(Upper, Half - 1) : number(0);
    auto shift = [&](Value *W, Value *Count) {
      return Left ? B.CreateShl(W, Count) : Opcode == Instruction::AShr ? B.CreateAShr(W, Count) : B.CreateLShr(W, Count);
    };
    Value *Within = B.CreateAnd(By, number(Half - 1));
    Value *Opposite = B.CreateXor(Within, number(Half - 1));
    Value *Crossing = Left ? B.CreateLShr(B.CreateLShr(V.Low, 1), Opposite) : B.CreateShl(B.CreateShl(Upper, 1), Opposite);
    Value *Near = Left ? V.Low : Upper, *Far = Left ? Upper : V.Low;
    Value *Moved = shift(Near, Within), *Joined = B.CreateOr(Left ? B.CreateShl(Far, Within) : B.CreateLShr(Far, Within), Crossing);
    Value *More = B.CreateICmpUGE(By, number(Half));
    Value *One = B.CreateSelect(More, Fill, Moved), *Two = B.CreateSelect(More, Moved, Joined);
    return Left ? Pair{One, Two} : Pair{Two, One};
  }

  Pair binary(BinaryOperator &I) {
    Pair L = pair(I.getOperand(0), I), R = pair(I.getOperand(1), I);
    switch (I.getOpcode()) {
    case Instruction::Add: {
      Value *Low = B.CreateAdd(L.Low, R.Low);
      Value *Carry = B.CreateZExt(B.CreateICmpULT(Low, L.Low), Word);
      return {Low, B.CreateAdd(B.CreateAdd(L.High, R.High), Carry)};
    }
    case Instruction::Sub: {
      Value *Borrow = B.CreateZExt(B.CreateICmpULT(L.Low, R.Low), Word);
      return {B.CreateSub(L.Low, R.Low), B.CreateSub(B.CreateSub(L.High, R.High), Borrow)};
    }
    case Instruction::Mul: {
      Value *Crossed = B.CreateAdd(B.CreateMul(L.Low, R.High), B.CreateMul(L.High, R.Low));
      return {B.CreateMul(L.Low, R.Low), B.CreateAdd(upperProduct(L.Low, R.Low), Crossed)};
    }
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return {B.CreateBinOp(I.getOpcode(), L.Low, R.Low), B.CreateBinOp(I.getOpcode(), L.High, R.High)};
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return shifted(I.getOpcode(), L, R.Low, I.getType());
    default:
      return unknown(I);
    }
  }

  Pair unknown(Instruction &I) {
    unsigned Width = widthOf(I.getType());
    for (Value *V : I.operands())
      Width = std::max(Width, widthOf(V->getType()));
    C.add(I, "integers of " + Twine(Width) + " bits, which SPIR-V lacks, are used in a way that Aspen cannot rewrite ('" +
                 Twine(I.getOpcodeName()) + "')");
    return {PoisonValue::get(Word), PoisonValue::get(Word)};
  }

  Value *compared(ICmpInst &I) {
    Type *T = I.getOperand(0)->getType();
    Pair L = pair(I.getOperand(0), I), R = pair(I.getOperand(1), I);
    auto upper = [&](Pair P) { return I.isSigned() ? filled(P, T) : cleared(P, T); };
    Value *HighL = upper(L), *HighR = upper(R);
    if (I.isEquality()) {
      Value *Differs = B.CreateOr(B.CreateXor(L.Low, R.Low), B.CreateXor(HighL, HighR));
      return B.CreateICmp(I.getPredicate(), Differs, number(0));
    }
    Value *Low = B.CreateICmp(I.getUnsignedPredicate(), L.Low, R.Low);
    return B.CreateSelect(B.CreateICmpEQ(HighL, HighR), Low, B.CreateICmp(I.getPredicate(), HighL, HighR));
  }

  Pair extended(CastInst &I) {
    Value *From = I.getOperand(0);
    const bool Signed = isa<SExtInst>(I);
    if (isWide(From->getType())) {
      Pair P = pair(From, I);
      return {P.Low, Signed ? filled(P, From->getType()) : cleared(P, From->getType())};
    }
    Value *Low = Signed ? B.CreateSExt(From, Word) : B.CreateZExt(From, Word);
    return {Low, Signed ? B.CreateAShr(Low, Half - 1) : number(0)};
  }

  // The bytes that an integer of this width has in memory beyond the first word.
  Type *upperMemory(const Type *T) const { return Type::getIntNTy(F.getContext(), alignTo(widthOf(T) - Half, 8)); }
  Value *upperAddress(Value *Address) { return B.CreatePtrAdd(Address, number(Half / 8)); }

  Pair loaded(LoadInst &I) {
    if (I.isAtomic())
      return unknown(I);
    Value *Low = B.CreateAlignedLoad(Word, I.getPointerOperand(), I.getAlign(), I.isVolatile());
    Value *High = B.CreateAlignedLoad(upperMemory(I.getType()), upperAddress(I.getPointerOperand()), commonAlignment(I.getAlign(), Half / 8),
                                      I.isVolatile());
    return {Low, B.CreateZExt(High, Word)};
  }

  void stored(StoreInst &I) {
    if (I.isAtomic())
      return (void)unknown(I);
    Type *T = I.getValueOperand()->getType();
    Pair P = pair(I.getValueOperand(), I);
    B.CreateAlignedStore(P.Low, I.getPointerOperand(), I.getAlign(), I.isVolatile());
    B.CreateAlignedStore(B.CreateTrunc(cleared(P, T), upperMemory(T)), upperAddress(I.getPointerOperand()),
                         commonAlignment(I.getAlign(), Half / 8), I.isVolatile());
  }

  // Puts pairs in the place of an instruction that makes or takes a wide integer.
  void replace(Instruction &I) {
    B.SetInsertPoint(&I);
    Type *T = I.getType();
    auto *Words = FixedVectorType::get(Word, 2);
    if (auto *Phi = dyn_cast<PHINode>(&I)) {
      Pairs[Phi] = {B.CreatePHI(Word, Phi->getNumIncomingValues()), B.CreatePHI(Word, Phi->getNumIncomingValues())};
      Phis.push_back(Phi);
    } else if (auto *Operator = dyn_cast<BinaryOperator>(&I)) {
      Pairs[&I] = binary(*Operator);
    } else if (isa<ZExtInst, SExtInst>(I)) {
      Pairs[&I] = extended(cast<CastInst>(I));
    } else if (isa<TruncInst>(I)) {
      Pair P = pair(I.getOperand(0), I);
      isWide(T) ? (void)(Pairs[&I] = P) : I.replaceAllUsesWith(B.CreateTrunc(P.Low, T));
    } else if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
      I.replaceAllUsesWith(compared(*Compare));
    } else if (isa<SelectInst>(I) && !I.getOperand(0)->getType()->isVectorTy()) {
      Pair L = pair(I.getOperand(1), I), R = pair(I.getOperand(2), I);
      Pairs[&I] = {B.CreateSelect(I.getOperand(0), L.Low, R.Low), B.CreateSelect(I.getOperand(0), L.High, R.High)};
    } else if (isa<FreezeInst>(I)) {
      Pair P = pair(I.getOperand(0), I);
      Pairs[&I] = {B.CreateFreeze(P.Low), B.CreateFreeze(P.High)};
    } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Pairs[&I] = loaded(*Load);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      stored(*Store);
    } else if (isa<PtrToIntInst>(I)) {
      Pairs[&I] = {B.CreatePtrToInt(I.getOperand(0), Word), number(0)};
    } else if (isa<IntToPtrInst>(I)) {
      I.replaceAllUsesWith(B.CreateIntToPtr(pair(I.getOperand(0), I).Low, T));
    } else if (isa<BitCastInst>(I) && isWide(T) && !T->isVectorTy() && widthOf(T) == 2 * Half) {
      Value *V = B.CreateBitCast(I.getOperand(0), Words);
      Pairs[&I] = {B.CreateExtractElement(V, uint64_t(0)), B.CreateExtractElement(V, 1)};
    } else if (isa<BitCastInst>(I) && widthOf(I.getOperand(0)->getType()) == 2 * Half && !I.getOperand(0)->getType()->isVectorTy()) {
      Pair P = pair(I.getOperand(0), I);
      Value *V = B.CreateInsertElement(B.CreateInsertElement(PoisonValue::get(Words), P.Low, uint64_t(0)), P.High, 1);
      I.replaceAllUsesWith(B.CreateBitCast(V, T));
    } else {
      unknown(I);
    }
    Replaced.push_back(&I);
  }

public:
  Splitter(Function &F, Complaints &C) : F(F), C(C), B(F.getContext()), Word(Type::getInt64Ty(F.getContext())) {}

  void run() {
    auto concerns = [&](Instruction &I) {
      auto wide = [&](Value *V) { return isWide(V->getType()); };
      return wide(&I) || any_of(I.operands(), wide);
    };
    if (none_of(instructions(F), concerns))
      return;
    removeUnreachableBlocks(F);
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
      for (Instruction &I : make_early_inc_range(*Block))
        if (concerns(I)) {
          auto tooWide = [&](Value *V) { return widthOf(V->getType()) > 2 * Half || (isWide(V->getType()) && V->getType()->isVectorTy()); };
          if (tooWide(&I) || any_of(I.operands(), tooWide)) {
            unknown(I);
            return;
          }
          replace(I);
        }
    for (PHINode *Phi : Phis)
      for (unsigned Index = 0; Index < Phi->getNumIncomingValues(); ++Index) {
        Pair In = pair(Phi->getIncomingValue(Index), *Phi);
        cast<PHINode>(Pairs[Phi].Low)->addIncoming(In.Low, Phi->getIncomingBlock(Index));
        cast<PHINode>(Pairs[Phi].High)->addIncoming(In.High, Phi->getIncomingBlock(Index));
      }
    // After a complaint they may have users still, and nobody wants the function any more.
    if (!C.any())
      for (Instruction *I : Replaced)
        I->replaceAllUsesWith(PoisonValue::get(I->getType())), I->eraseFromParent();
  }
};

} // namespace

void aspen::spirv::splitWide(Function &F, Complaints &C) {
  if (!C.any())
    Splitter(F, C).run();
}
