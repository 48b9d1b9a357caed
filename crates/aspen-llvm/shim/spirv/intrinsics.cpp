// Step 1: intrinsics as plain instructions, where the back end has no (valid) SPIR-V for them.
//
// Overflow checks: it crashes on the signed ones, and OpIAddCarry of the unsigned ones is unknown to drivers of 2022 and 2023. Reversal of
// bits needs shaders. Mathematical functions become calls of OpenCL's by their mangled names, which the back end knows.

#include "legalise.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace aspen::spirv;

namespace {

class Expander {
  IntrinsicInst &I;
  Complaints &C;
  IRBuilder<> B;
  Type *T; // of the first argument, or of the result where that has none

  Value *arg(unsigned Index) const { return I.getArgOperand(Index); }
  Constant *number(uint64_t Value) const { return ConstantInt::get(T, Value); }
  unsigned width() const { return widthOf(T); }
  Constant *least() const { return ConstantInt::get(T, APInt::getSignedMinValue(width())); }
  Constant *greatest() const { return ConstantInt::get(T, APInt::getSignedMaxValue(width())); }
  Value *negative(Value *V) { return B.CreateICmpSLT(V, Constant::getNullValue(V->getType())); }

  // The result of an operation that tells whether it overflowed.
  struct Checked {
    Value *Result, *Overflow;
  };
  Checked checked(Intrinsic::ID Id, Value *L, Value *R) {
    Value *S = nullptr;
    switch (Id) {
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::uadd_sat:
      S = B.CreateAdd(L, R);
      return {S, B.CreateICmpULT(S, L)};
    case Intrinsic::usub_with_overflow:
    case Intrinsic::usub_sat:
      return {B.CreateSub(L, R), B.CreateICmpULT(L, R)};
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::sadd_sat:
      S = B.CreateAdd(L, R);
      return {S, negative(B.CreateAnd(B.CreateXor(S, L), B.CreateXor(S, R)))};
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::ssub_sat:
      S = B.CreateSub(L, R);
      return {S, negative(B.CreateAnd(B.CreateXor(L, R), B.CreateXor(S, L)))};
    default:
      break;
    }
    // Products in twice the width.
    const bool Signed = Id == Intrinsic::smul_with_overflow;
    Type *From = L->getType(), *Twice = withWidth(From, 2 * widthOf(From));
    auto extend = [&](Value *V) { return Signed ? B.CreateSExt(V, Twice) : B.CreateZExt(V, Twice); };
    Value *Product = B.CreateMul(extend(L), extend(R));
    S = B.CreateTrunc(Product, From);
    return {S, B.CreateICmpNE(Product, extend(S))};
  }

  Checked overflow() {
    auto *Vector = dyn_cast<FixedVectorType>(T);
    const auto Id = I.getIntrinsicID();
    const bool Multiplies = Id == Intrinsic::umul_with_overflow || Id == Intrinsic::smul_with_overflow;
    if (Multiplies && width() > 64)
      C.add(I, "the product of integers of " + Twine(width()) + " bits is checked for overflow, which SPIR-V has no integers for");
    if (!Vector || !Multiplies)
      return checked(Id, arg(0), arg(1));
    Checked All{PoisonValue::get(Vector), PoisonValue::get(withWidth(Vector, 1))};
    for (unsigned Index = 0; Index < Vector->getNumElements(); ++Index) {
      Checked One = checked(Id, B.CreateExtractElement(arg(0), Index), B.CreateExtractElement(arg(1), Index));
      All.Result = B.CreateInsertElement(All.Result, One.Result, Index);
      All.Overflow = B.CreateInsertElement(All.Overflow, One.Overflow, Index);
    }
    return All;
  }

  // A function of OpenCL's library; of scalars and vectors of floating-point numbers and `int`, private pointers to either.
  Value *library(StringRef Name, ArrayRef<Value *> Arguments, ArrayRef<Type *> PointedTo, Type *Result) {
    std::string Symbol = ("_Z" + Twine(Name.size()) + Name).str();
    SmallVector<Type *, 3> Types;
    for (auto [Index, Argument] : enumerate(Arguments)) {
      Type *Own = Argument->getType();
      Types.push_back(Own);
      if (Own->isPointerTy()) {
        Own = PointedTo[Index];
        Symbol += 'P';
      }
      if (auto *Vector = dyn_cast<FixedVectorType>(Own))
        Symbol += ("Dv" + Twine(Vector->getNumElements()) + "_").str();
      Type *Element = Own->getScalarType();
      Symbol += Element->isHalfTy() ? "Dh" : Element->isFloatTy() ? "f" : Element->isDoubleTy() ? "d" : "i";
    }
    auto Callee = I.getModule()->getOrInsertFunction(Symbol, FunctionType::get(Result, Types, false));
    if (auto *F = dyn_cast<Function>(Callee.getCallee()))
      F->setCallingConv(CallingConv::SPIR_FUNC);
    CallInst *Call = B.CreateCall(Callee, Arguments);
    Call->setCallingConv(CallingConv::SPIR_FUNC);
    return Call;
  }

  // Of a scalar of 64 bits at most, in a legal width.
  Value *reversed(Value *V) {
    Type *Legal = withWidth(V->getType(), legalWidth(widthOf(V->getType())));
    const unsigned Width = widthOf(Legal);
    V = B.CreateZExt(V, Legal);
    for (unsigned Step = 1; Step < Width; Step *= 2) {
      APInt Low(Width, 0);
      for (unsigned Bit = 0; Bit < Width; Bit += 2 * Step)
        Low.setBits(Bit, Bit + Step);
      Constant *Mask = ConstantInt::get(Legal, Low);
      V = B.CreateOr(B.CreateShl(B.CreateAnd(V, Mask), Step), B.CreateAnd(B.CreateLShr(V, Step), Mask));
    }
    return V;
  }

  // Of an integer that is made of two: what a function of each half gives, as a number of 128 bits.
  Value *crossed(function_ref<Value *(Value *)> Of) {
    Type *Half = withWidth(T, 64), *Whole = withWidth(T, 128);
    Value *V = B.CreateZExt(arg(0), Whole);
    Value *Low = Of(B.CreateTrunc(V, Half)), *High = Of(B.CreateTrunc(B.CreateLShr(V, 64), Half));
    return B.CreateOr(B.CreateShl(B.CreateZExt(Low, Whole), 64), B.CreateZExt(High, Whole));
  }

  // The upper bits of a number of `From` bits, as many as the argument has.
  Value *upper(Value *V) { return B.CreateTrunc(B.CreateLShr(V, widthOf(V->getType()) - width()), T); }

  Value *count() {
    const auto Id = I.getIntrinsicID();
    auto call = [&](Value *V, bool PoisonOfZero) -> Value * {
      if (Id == Intrinsic::ctpop)
        return B.CreateUnaryIntrinsic(Id, V);
      return B.CreateBinaryIntrinsic(Id, V, B.getInt1(PoisonOfZero));
    };
    const bool Ends = Id == Intrinsic::cttz;
    if (width() < 64) {
      Type *Legal = withWidth(T, legalWidth(width()));
      Value *V = B.CreateZExt(arg(0), Legal);
      if (Ends) // a zero has as many as there are bits
        V = B.CreateOr(V, ConstantInt::get(Legal, 1ULL << width()));
      Value *Count = call(V, false);
      if (Id == Intrinsic::ctlz)
        Count = B.CreateSub(Count, ConstantInt::get(Legal, widthOf(Legal) - width()));
      return B.CreateTrunc(Count, T);
    }
    Type *Half = withWidth(T, 64), *Whole = withWidth(T, 128);
    Value *V = B.CreateZExt(arg(0), Whole);
    Value *Low = B.CreateTrunc(V, Half), *High = B.CreateTrunc(B.CreateLShr(V, 64), Half);
    if (Id == Intrinsic::ctpop)
      return B.CreateZExt(B.CreateAdd(call(Low, false), call(High, false)), T);
    Constant *Bits = ConstantInt::get(Half, 64);
    if (Ends) {
      if (width() < 128)
        High = B.CreateOr(High, ConstantInt::get(Half, 1ULL << (width() - 64)));
      Value *Zero = B.CreateICmpEQ(Low, Constant::getNullValue(Half));
      return B.CreateZExt(B.CreateSelect(Zero, B.CreateAdd(call(High, false), Bits), call(Low, false)), T);
    }
    Value *Zero = B.CreateICmpEQ(High, Constant::getNullValue(Half));
    Value *Count = B.CreateSelect(Zero, B.CreateAdd(call(Low, false), Bits), call(High, false));
    return B.CreateZExt(B.CreateSub(Count, ConstantInt::get(Half, 128 - width())), T);
  }

  Value *funnel(bool Left) {
    Value *Shift = B.CreateURem(arg(2), number(width()));
    Value *Rest = B.CreateSub(number(width() - 1), Shift);
    return Left ? B.CreateOr(B.CreateShl(arg(0), Shift), B.CreateLShr(B.CreateLShr(arg(1), 1), Rest))
                : B.CreateOr(B.CreateShl(B.CreateShl(arg(0), 1), Rest), B.CreateLShr(arg(1), Shift));
  }

  // Of a vector of integers: one element after the other.
  Value *reduced() {
    Value *V = arg(0);
    const unsigned Count = cast<FixedVectorType>(V->getType())->getNumElements();
    Value *Out = B.CreateExtractElement(V, uint64_t(0));
    for (unsigned Index = 1; Index < Count; ++Index) {
      Value *Next = B.CreateExtractElement(V, Index);
      auto chosen = [&](CmpInst::Predicate P) { return B.CreateSelect(B.CreateICmp(P, Out, Next), Out, Next); };
      switch (I.getIntrinsicID()) {
      case Intrinsic::vector_reduce_add:
        Out = B.CreateAdd(Out, Next);
        break;
      case Intrinsic::vector_reduce_mul:
        Out = B.CreateMul(Out, Next);
        break;
      case Intrinsic::vector_reduce_and:
        Out = B.CreateAnd(Out, Next);
        break;
      case Intrinsic::vector_reduce_or:
        Out = B.CreateOr(Out, Next);
        break;
      case Intrinsic::vector_reduce_xor:
        Out = B.CreateXor(Out, Next);
        break;
      case Intrinsic::vector_reduce_smax:
        Out = chosen(CmpInst::ICMP_SGT);
        break;
      case Intrinsic::vector_reduce_smin:
        Out = chosen(CmpInst::ICMP_SLT);
        break;
      case Intrinsic::vector_reduce_umax:
        Out = chosen(CmpInst::ICMP_UGT);
        break;
      default:
        Out = chosen(CmpInst::ICMP_ULT);
      }
    }
    return Out;
  }

  // Two results in the structure that the intrinsic returns.
  Value *both(Value *First, Value *Second) {
    Value *Out = B.CreateInsertValue(PoisonValue::get(I.getType()), First, 0);
    return B.CreateInsertValue(Out, Second, 1);
  }

  // Intrinsics of integers whose width SPIR-V lacks; null if this is none of them.
  Value *ofUnusualWidth() {
    auto chosen = [&](CmpInst::Predicate P) { return B.CreateSelect(B.CreateICmp(P, arg(0), arg(1)), arg(0), arg(1)); };
    switch (const auto Id = I.getIntrinsicID()) {
    case Intrinsic::umax:
      return chosen(CmpInst::ICMP_UGT);
    case Intrinsic::umin:
      return chosen(CmpInst::ICMP_ULT);
    case Intrinsic::smax:
      return chosen(CmpInst::ICMP_SGT);
    case Intrinsic::smin:
      return chosen(CmpInst::ICMP_SLT);
    case Intrinsic::abs:
      return B.CreateSelect(negative(arg(0)), B.CreateNeg(arg(0)), arg(0));
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
      return count();
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return funnel(Id == Intrinsic::fshl);
    case Intrinsic::bswap:
      if (width() < 64)
        return upper(B.CreateUnaryIntrinsic(Id, B.CreateZExt(arg(0), withWidth(T, legalWidth(width())))));
      return upper(crossed([&](Value *Half) { return B.CreateUnaryIntrinsic(Id, Half); }));
    case Intrinsic::uadd_sat:
    case Intrinsic::sadd_sat:
    case Intrinsic::usub_sat:
    case Intrinsic::ssub_sat: {
      Checked Sum = checked(Id, arg(0), arg(1));
      Value *Bound = Id == Intrinsic::uadd_sat   ? Constant::getAllOnesValue(T)
                     : Id == Intrinsic::usub_sat ? Constant::getNullValue(T)
                                                 : B.CreateSelect(negative(arg(0)), least(), greatest());
      return B.CreateSelect(Sum.Overflow, Bound, Sum.Result);
    }
    default:
      return nullptr;
    }
  }

public:
  Expander(IntrinsicInst &I, Complaints &C)
      : I(I), C(C), B(&I), T(I.arg_size() ? I.getArgOperand(0)->getType() : I.getType()) {}

  // What takes the intrinsic's place, or null: it stays.
  Value *expanded() {
    const bool Unusual = width() && !isLegal(width());
    const unsigned Result = widthOf(I.getType());
    switch (const auto Id = I.getIntrinsicID()) {
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::usub_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::umul_with_overflow:
    case Intrinsic::smul_with_overflow: {
      Checked Both = overflow();
      return both(Both.Result, Both.Overflow);
    }
    case Intrinsic::ushl_sat:
    case Intrinsic::sshl_sat: {
      const bool Signed = Id == Intrinsic::sshl_sat;
      Value *Shifted = B.CreateShl(arg(0), arg(1));
      Value *Back = Signed ? B.CreateAShr(Shifted, arg(1)) : B.CreateLShr(Shifted, arg(1));
      Value *Bound = Signed ? B.CreateSelect(negative(arg(0)), least(), greatest()) : Constant::getAllOnesValue(T);
      return B.CreateSelect(B.CreateICmpNE(Back, arg(0)), Bound, Shifted);
    }
    case Intrinsic::bitreverse:
      return upper(width() > 64 ? crossed([&](Value *Half) { return reversed(Half); }) : reversed(arg(0)));
    case Intrinsic::ucmp:
    case Intrinsic::scmp: {
      if (!Unusual && isLegal(Result))
        return nullptr;
      const bool Signed = Id == Intrinsic::scmp;
      Value *Greater = Signed ? B.CreateICmpSGT(arg(0), arg(1)) : B.CreateICmpUGT(arg(0), arg(1));
      Value *Less = Signed ? B.CreateICmpSLT(arg(0), arg(1)) : B.CreateICmpULT(arg(0), arg(1));
      return B.CreateSub(B.CreateZExt(Greater, I.getType()), B.CreateZExt(Less, I.getType()));
    }
    case Intrinsic::vector_reduce_add:
    case Intrinsic::vector_reduce_mul:
    case Intrinsic::vector_reduce_and:
    case Intrinsic::vector_reduce_or:
    case Intrinsic::vector_reduce_xor:
    case Intrinsic::vector_reduce_smax:
    case Intrinsic::vector_reduce_smin:
    case Intrinsic::vector_reduce_umax:
    case Intrinsic::vector_reduce_umin:
      return reduced();
    case Intrinsic::ldexp:
      if (widthOf(arg(1)->getType()) != 32)
        return nullptr;
      return library("ldexp", {arg(0), arg(1)}, {nullptr, nullptr}, T);
    case Intrinsic::frexp: {
      Type *Exponent = I.getType()->getStructElementType(1);
      if (widthOf(Exponent) != 32)
        return nullptr;
      BasicBlock &Entry = I.getFunction()->getEntryBlock();
      auto *Memory = new AllocaInst(Exponent, 0, "", Entry.begin());
      Value *Fraction = library("frexp", {arg(0), Memory}, {nullptr, Exponent}, T);
      return both(Fraction, B.CreateLoad(Exponent, Memory));
    }
    case Intrinsic::powi: {
      auto *Vector = dyn_cast<FixedVectorType>(T);
      if (!Vector || widthOf(arg(1)->getType()) != 32)
        return nullptr;
      return library("pown", {arg(0), B.CreateVectorSplat(Vector->getNumElements(), arg(1))}, {nullptr, nullptr}, T);
    }
    case Intrinsic::lround:
    case Intrinsic::llround:
    case Intrinsic::lrint:
    case Intrinsic::llrint: {
      const bool AwayFromZero = Id == Intrinsic::lround || Id == Intrinsic::llround;
      return B.CreateFPToSI(B.CreateUnaryIntrinsic(AwayFromZero ? Intrinsic::round : Intrinsic::rint, arg(0)), I.getType());
    }
    case Intrinsic::exp10:
      return library("exp10", {arg(0)}, {nullptr}, T);
    case Intrinsic::sincos:
      return both(B.CreateUnaryIntrinsic(Intrinsic::sin, arg(0)), B.CreateUnaryIntrinsic(Intrinsic::cos, arg(0)));
    case Intrinsic::minimumnum:
      return B.CreateMinNum(arg(0), arg(1));
    case Intrinsic::maximumnum:
      return B.CreateMaxNum(arg(0), arg(1));
    case Intrinsic::canonicalize:
      return B.CreateFMul(arg(0), ConstantFP::get(T, 1.0));
    case Intrinsic::ptrmask: {
      Value *Address = B.CreatePtrToInt(arg(0), arg(1)->getType());
      return B.CreateIntToPtr(B.CreateAnd(Address, arg(1)), T);
    }
    default:
      return Unusual ? ofUnusualWidth() : nullptr;
    }
  }
};

// What the intrinsic returned, where only its members are wanted.
void replace(IntrinsicInst &I, Value *By) {
  if (I.getType()->isStructTy())
    for (User *U : make_early_inc_range(I.users()))
      if (auto *Member = dyn_cast<ExtractValueInst>(U); Member && Member->getNumIndices() == 1)
        if (Value *Found = FindInsertedValue(By, Member->getIndices())) {
          Member->replaceAllUsesWith(Found);
          Member->eraseFromParent();
        }
  I.replaceAllUsesWith(By);
  I.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(By);
}

// Of a move of a known size LLVM's back end makes a copy, whose places must not overlap. By way of other memory they do not.
void moveByCopies(MemMoveInst &Move, uint64_t Size) {
  Function &F = *Move.getFunction();
  const DataLayout &Layout = F.getDataLayout();
  IRBuilder<> Begin(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt()), B(&Move);
  AllocaInst *Between = Begin.CreateAlloca(ArrayType::get(Begin.getInt8Ty(), Size), Layout.getAllocaAddrSpace());
  Between->setAlignment(Align(16));
  B.CreateMemCpy(Between, Align(16), Move.getRawSource(), Move.getSourceAlign(), Size, Move.isVolatile());
  B.CreateMemCpy(Move.getRawDest(), Move.getDestAlign(), Between, Align(16), Size, Move.isVolatile());
  Move.eraseFromParent();
}

} // namespace

void aspen::spirv::expandIntrinsics(Function &F, Complaints &C) {
  SmallVector<MemMoveInst *, 4> Moves;
  for (Instruction &I : instructions(F))
    if (auto *Move = dyn_cast<MemMoveInst>(&I); Move && isa<ConstantInt>(Move->getLength()))
      Moves.push_back(Move);
  for (MemMoveInst *Move : Moves)
    moveByCopies(*Move, cast<ConstantInt>(Move->getLength())->getZExtValue());
  auto expand = [&] {
    SmallVector<IntrinsicInst *, 16> Found;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<IntrinsicInst>(&I))
        Found.push_back(Call);
    for (IntrinsicInst *I : Found)
      if (I->getIntrinsicID() == Intrinsic::prefetch)
        I->eraseFromParent(); // a hint, which the back end does not take
      else if (Value *By = Expander(*I, C).expanded())
        replace(*I, By);
  };
  expand();
  // Wide divisions become loops of instructions and intrinsics of the same width.
  SmallVector<BinaryOperator *, 4> Divisions;
  for (Instruction &I : instructions(F))
    if (I.isIntDivRem() && isWide(I.getType()) && !I.getType()->isVectorTy())
      Divisions.push_back(cast<BinaryOperator>(&I));
  for (BinaryOperator *I : Divisions)
    I->getOpcode() == Instruction::UDiv || I->getOpcode() == Instruction::SDiv ? expandDivision(I) : expandRemainder(I);
  if (!Divisions.empty())
    expand();
}
