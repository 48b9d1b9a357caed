// Mathematical functions that libmvec has too far off, or takes long for where a result is tiny, zero or negative: written down for numbers and
// for vectors alike. Every lane goes the same way. Errors are in units in the last place, measured (docs/MATH.md; docs/decisions/0041).

#include "own_math.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace aspen::items {

// The logarithm of floats: that of a factor of two, and that of a number within a third of 1, by a polynomial for what its first two terms
// leave (least error in relation to the result; 0.94 units in the last place).
Value *emitLog(IRBuilder<> &B, Value *X) {
  Type *T = X->getType(), *Bits = T->getWithNewType(B.getInt32Ty());
  auto Number = [&](double V) { return ConstantFP::get(T, V); };
  auto Word = [&](uint32_t V) { return ConstantInt::get(Bits, V); };
  auto Fused = [&](Value *Left, Value *Right, Value *Sum) { return B.CreateIntrinsic(Intrinsic::fma, {T}, {Left, Right, Sum}); };
  constexpr double Terms[] = {-0x1.080430p-3, 0x1.1e6730p-3, -0x1.f311ccp-4, 0x1.1ed6fep-3, -0x1.559dc6p-3, 0x1.99d02ap-3, -0x1.fffefp-3, 0x1.555506p-2, -0.5};
  Value *IsTiny = B.CreateFCmpOLT(X, Number(0x1p-126));
  Value *At = B.CreateBitCast(B.CreateSelect(IsTiny, B.CreateFMul(X, Number(0x1p23)), X), Bits);
  Value *Exponent = B.CreateAnd(B.CreateSub(At, Word(0x3f2aaaab)), Word(0xff800000)); // of the power of two that leaves 2/3 to 4/3
  Value *Rest = B.CreateFSub(B.CreateBitCast(B.CreateSub(At, Exponent), T), Number(1));
  Value *Power = B.CreateFAdd(B.CreateSIToFP(B.CreateAShr(Exponent, Word(23)), T), B.CreateSelect(IsTiny, Number(-23), Number(0)));
  Value *Sum = Number(Terms[0]);
  for (double Term : ArrayRef(Terms).drop_front())
    Sum = Fused(Sum, Rest, Number(Term));
  Sum = Fused(Sum, B.CreateFMul(Rest, Rest), Rest);
  Sum = Fused(Power, Number(0.693147180559945), Sum);
  Value *Infinity = ConstantFP::getInfinity(T);
  Value *IsUsual = B.CreateAnd(B.CreateFCmpOGT(X, Number(0)), B.CreateFCmpOLT(X, Infinity));
  Value *Special = B.CreateSelect(B.CreateFCmpOLT(X, Number(0)), ConstantFP::getNaN(T), X);
  Special = B.CreateSelect(B.CreateFCmpOEQ(X, Number(0)), ConstantFP::getInfinity(T, /*Negative=*/true), Special);
  return B.CreateSelect(IsUsual, Sum, Special);
}

namespace {

// How e to a small power is computed, and what a result's range is.
struct Exponential {
  ArrayRef<double> Terms;          // of e^r = 1 + r + r² (…), r within half a logarithm of 2; least error in relation to the result
  double PerTwo, First, Second;    // 1/log 2; log 2 in two parts, of which products of the first are exact, fused or not
  double Magic;                    // 1.5 times the first power of two whose numbers are whole
  unsigned Mantissa;               // bits
  double Tiny, Nothing, Greatest;  // below the first not all bits are there, below the second none is; the greatest that has a result
  double Tiny2, Nothing2, Greatest2; // of powers of two
};

constexpr double TermsOfFloat[] = {0x1.6a241ap-10, 0x1.1239f2p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2};
constexpr double TermsOfDouble[] = {0x1.af389ed28db09p-26, 0x1.28917c8be7ad6p-22, 0x1.71de0db2f585ep-19, 0x1.a019b914985a9p-16, 0x1.a01a01a7c2f03p-13,
                                    0x1.6c16c17889ef9p-10, 0x1.11111111109b5p-7,  0x1.5555555553d68p-5,  0x1.5555555555556p-3,  0x1.0000000000001p-1};
constexpr double Log2 = 0x1.62e42fefa39efp-1;

} // namespace

// e or 2 to the power of X: e to what is left of X within half a logarithm of 2, by a polynomial, times a power of two, which is added to the
// exponent's bits; where the result has not all bits, 2^64 too much at first. Of e: 1.01 units in the last place off for floats, 1.06 for doubles.
Value *emitExp(IRBuilder<> &B, Value *X, bool OfTwo, bool Fuses) {
  static const Exponential Float = {TermsOfFloat, 0x1.715476p0, 0x1.62e4p-1, 0x1.7f7d1cp-20, 0x1.8p23, 23, -87, -104, 0x1.62e42ep6, -125, -151, 0x1.fffffep6};
  static const Exponential Double = {TermsOfDouble, 0x1.71547652b82fep0, 0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45, 0x1.8p52, 52, -708, -746, 0x1.62e42fefa39efp9, -1021, -1076, 0x1.fffffffffffffp9};
  Type *T = X->getType(), *Bits = T->getWithNewType(B.getIntNTy(T->getScalarSizeInBits()));
  const Exponential &Of = T->getScalarType()->isFloatTy() ? Float : Double;
  auto Number = [&](double V) { return ConstantFP::get(T, V); };
  auto Word = [&](uint64_t V) { return ConstantInt::get(Bits, V); };
  auto Fused = [&](Value *Left, Value *Right, Value *Sum) {
    return Fuses ? B.CreateIntrinsic(Intrinsic::fma, {T}, {Left, Right, Sum}) : B.CreateFAdd(B.CreateFMul(Left, Right), Sum);
  };
  // The whole number of twos is in the last bits.
  Value *Shifted = OfTwo ? B.CreateFAdd(X, Number(Of.Magic)) : Fused(X, Number(Of.PerTwo), Number(Of.Magic));
  Value *Twos = B.CreateFSub(Shifted, Number(Of.Magic));
  Value *Rest = OfTwo ? B.CreateFMul(B.CreateFSub(X, Twos), Number(Log2)) : Fused(Twos, Number(-Of.Second), Fused(Twos, Number(-Of.First), X));
  Value *Sum = Number(Of.Terms[0]);
  for (double Term : Of.Terms.drop_front())
    Sum = Fused(Sum, Rest, Number(Term));
  Sum = Fused(Sum, B.CreateFMul(Rest, Rest), Rest);
  Sum = B.CreateFAdd(Sum, Number(1));
  Value *IsTiny = B.CreateFCmpOLT(X, Number(OfTwo ? Of.Tiny2 : Of.Tiny));
  Value *Power = B.CreateShl(B.CreateBitCast(Shifted, Bits), Word(Of.Mantissa));
  Power = B.CreateAdd(Power, B.CreateSelect(IsTiny, Word(uint64_t(64) << Of.Mantissa), Word(0)));
  Value *Result = B.CreateBitCast(B.CreateAdd(B.CreateBitCast(Sum, Bits), Power), T);
  Result = B.CreateFMul(Result, B.CreateSelect(IsTiny, Number(0x1p-64), Number(1)));
  Result = B.CreateSelect(B.CreateFCmpOLT(X, Number(OfTwo ? Of.Nothing2 : Of.Nothing)), Number(0), Result);
  // Infinity, and what is no number.
  Value *IsUsual = B.CreateFCmpOLE(X, Number(OfTwo ? Of.Greatest2 : Of.Greatest));
  return B.CreateSelect(IsUsual, Result, B.CreateFAdd(X, ConstantFP::getInfinity(T)));
}

// x to the power of y, of floats, in double: 2^(y log2 |x|), and what the signs say. The logarithm is that of a factor of two, and that of a number
// within a third of 1. 0.68 units off. Source: C11 annex F.10.4.4 for zeros, infinities and what is no number.
Value *emitPow(IRBuilder<> &B, Value *X, Value *Y) {
  Type *T = X->getType(), *Bits = T->getWithNewType(B.getInt32Ty()), *Wide = T->getWithNewType(B.getDoubleTy()), *WideBits = T->getWithNewType(B.getInt64Ty());
  auto Number = [&](double V) { return ConstantFP::get(T, V); };
  auto Double = [&](double V) { return ConstantFP::get(Wide, V); };
  auto Word = [&](uint64_t V) { return ConstantInt::get(WideBits, V); };
  auto Fused = [&](Value *Left, Value *Right, Value *Sum) { return B.CreateIntrinsic(Intrinsic::fma, {Wide}, {Left, Right, Sum}); };
  // Terms in pairs, and pairs of pairs: a chain of steps would be what a turn of a loop waits for. First the last one.
  auto Polynomial = [&](Value *Of, ArrayRef<double> Terms) {
    SmallVector<Value *, 16> Parts;
    for (double Term : reverse(Terms))
      Parts.push_back(Double(Term));
    for (Value *Power = Of; Parts.size() > 1; Power = B.CreateFMul(Power, Power)) {
      SmallVector<Value *, 16> Pairs;
      for (size_t K = 0; K + 1 < Parts.size(); K += 2)
        Pairs.push_back(Fused(Parts[K + 1], Power, Parts[K]));
      if (Parts.size() % 2)
        Pairs.push_back(Parts.back());
      Parts = Pairs;
    }
    return Parts.front();
  };
  Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, X), *Base = B.CreateFPExt(Size, Wide);
  Value *BaseBits = B.CreateBitCast(Base, WideBits);
  Value *At = B.CreateSub(BaseBits, Word(0x3fe5555555555555)); // 2/3
  Value *Rest = B.CreateFSub(B.CreateBitCast(B.CreateSub(BaseBits, B.CreateAnd(At, Word(0xfff0000000000000))), Wide), Double(1));
  // The whole number of twos, plus 1024, becomes a double as the last bits of one.
  Value *Twos = B.CreateOr(B.CreateLShr(B.CreateAdd(At, Word(uint64_t(1024) << 52)), Word(52)), Word(0x4330000000000000));
  Twos = B.CreateFSub(B.CreateBitCast(Twos, Wide), Double(0x1p52 + 1024));
  Value *Log = Polynomial(Rest, {-0x1.5396e1931b6f0p-3, 0x1.689c70b1692c9p-3, -0x1.19b3c012f855cp-3, 0x1.3c0f5f5bc2742p-3, -0x1.724545029a6e3p-3, 0x1.a6d17a72c0e76p-3,
                                 -0x1.ec68bc3b74abbp-3, 0x1.27744d072c1d1p-2, -0x1.715484562fa75p-2, 0x1.ec70a3dc270e8p-2, -0x1.7154764ba90d1p-1, 0x1.715476521ca4bp0});
  Log = Fused(Log, Rest, Twos);
  Value *Special = B.CreateSelect(B.CreateFCmpOEQ(Base, Double(0)), ConstantFP::getInfinity(Wide, /*Negative=*/true), Base);
  Value *IsUsual = B.CreateAnd(B.CreateFCmpOGT(Base, Double(0)), B.CreateFCmpOLT(Base, ConstantFP::getInfinity(Wide)));
  Value *Power = B.CreateFMul(B.CreateFPExt(Y, Wide), B.CreateSelect(IsUsual, Log, Special));
  // Twice what floats have of a range, so that the last step rounds to zero or infinity.
  Value *Bound = B.CreateSelect(B.CreateFCmpOLT(Power, Double(-300)), Double(-300), Power);
  Bound = B.CreateSelect(B.CreateFCmpOGT(Bound, Double(300)), Double(300), Bound);
  Value *Shifted = B.CreateFAdd(Bound, Double(0x1.8p52)); // the whole number is in the last bits
  Value *Part = B.CreateFSub(Bound, B.CreateFSub(Shifted, Double(0x1.8p52)));
  Value *Result = Polynomial(Part, {0x1.41d32abde487ap-13, 0x1.5f458121a306bp-10, 0x1.3b2dbc054174dp-7, 0x1.c6aed48ccf3ffp-5, 0x1.ebfbdadbf7967p-3, 0x1.62e430c809c7fp-1,
                                    0x1.0000000261c73p0});
  Result = B.CreateBitCast(B.CreateAdd(B.CreateBitCast(Result, WideBits), B.CreateShl(B.CreateBitCast(Shifted, WideBits), Word(52))), Wide);
  Result = B.CreateFPTrunc(B.CreateSelect(B.CreateFCmpORD(Power, Power), Result, Power), T);
  // Odd powers have their base's sign; others of what is below zero are whole, or there is none.
  auto IsWhole = [&](Value *V) { return B.CreateFCmpOEQ(B.CreateUnaryIntrinsic(Intrinsic::trunc, V), V); };
  Value *Whole = IsWhole(Y), *Odd = B.CreateAnd(Whole, B.CreateNot(IsWhole(B.CreateFMul(Y, Number(0.5)))));
  Value *Sign = B.CreateAnd(B.CreateBitCast(X, Bits), ConstantInt::get(Bits, 0x80000000));
  Result = B.CreateBitCast(B.CreateOr(B.CreateBitCast(Result, Bits), B.CreateSelect(Odd, Sign, Constant::getNullValue(Bits))), T);
  Value *Infinity = ConstantFP::getInfinity(T);
  Value *HasNone = B.CreateAnd(B.CreateAnd(B.CreateFCmpOLT(X, Number(0)), B.CreateFCmpOLT(Size, Infinity)), B.CreateNot(Whole));
  Result = B.CreateSelect(HasNone, ConstantFP::getNaN(T), Result);
  Value *Endless = B.CreateAnd(B.CreateFCmpOEQ(Size, Number(1)), B.CreateFCmpOEQ(B.CreateUnaryIntrinsic(Intrinsic::fabs, Y), Infinity));
  Value *IsOne = B.CreateOr(B.CreateOr(B.CreateFCmpOEQ(Y, Number(0)), B.CreateFCmpOEQ(X, Number(1))), Endless);
  return B.CreateSelect(IsOne, Number(1), Result);
}

} // namespace aspen::items
