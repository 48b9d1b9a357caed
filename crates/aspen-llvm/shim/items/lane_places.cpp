// Where a lane's places lie beside those of other lanes, for lanes in step (steps.cpp).
//
// Numbers and places are read as `lane * (sum) + (sum)`, where sums are of products of what all lanes have in common. So `t[lane * count]` and
// `t[(lane + step) * count]` are lanes' places of which the second one is `step` lanes behind the first, and `a[4 * i]` and `a[4 * i + 1]` never meet.
//
// Strides in cut.cpp knows constants only, and much else that grows from item to item: it guesses what vectors take in one go, and may be wrong.

#include "lane_places.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;

namespace aspen::items {
namespace {

// Products of a sum that is still looked at.
constexpr size_t MaxProducts = 16;

// A sum of products of what all lanes have in common, each with a number in front.
class Sum {
public:
  using Product = SmallVector<const Value *, 2>; // sorted
  Sum() = default;
  explicit Sum(int64_t Number) { put({}, Number); }
  explicit Sum(const Value &One) { put({&One}, 1); }

  bool isZero() const { return Parts.empty(); }
  bool isKnown() const { return !Overflows; }
  Sum plus(const Sum &Other, int64_t Times = 1) const {
    Sum Out = *this;
    Out.Overflows |= Other.Overflows;
    for (const auto &[Of, Number] : Other.Parts)
      Out.put(Of, Number, Times);
    return Out;
  }
  Sum times(const Sum &Other) const {
    Sum Out;
    Out.Overflows = Overflows || Other.Overflows || Parts.size() * Other.Parts.size() > MaxProducts;
    if (Out.Overflows)
      return Out;
    for (const auto &[Left, Number] : Parts)
      for (const auto &[Right, Times] : Other.Parts) {
        Product Of(Left);
        Of.append(Right);
        sort(Of);
        Out.put(Of, Number, Times);
      }
    return Out;
  }
  // Exactly, or nothing.
  std::optional<Sum> dividedBy(int64_t By) const {
    Sum Out;
    for (const auto &[Of, Number] : Parts) {
      if (Number % By != 0)
        return std::nullopt;
      Out.put(Of, Number / By);
    }
    return Out;
  }
  // `lane ^ step` and `(lane + step) & 31` are read as the lane and this many.
  static bool isChange(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getOpcode() != Instruction::And)
      return I && I->getOpcode() == Instruction::Xor;
    const Value *Of = I->getOperand(0);
    while (const auto *Cast = dyn_cast<CastInst>(Of))
      Of = Cast->getOperand(0);
    return !idOf(Of);
  }
  // Whether it is another one some times: each product of it holds that one, which is a single product.
  bool isMultipleOf(const Sum &Of) const {
    if (Of.Parts.size() != 1)
      return false;
    const auto &[Factors, By] = *Of.Parts.begin();
    return all_of(Parts, [&, By = By, &Factors = Factors](const auto &Part) {
      return Part.second % By == 0 && std::includes(Part.first.begin(), Part.first.end(), Factors.begin(), Factors.end());
    });
  }
  bool isOne() const { return isNumber() && Parts.begin()->second == 1; }
  bool isNumber() const { return Parts.size() == 1 && Parts.begin()->first.empty(); }
  // Of a sum that is not 0, where nothing in it is negative but what a lane's number is changed by: whether it may be above.
  bool mayBePositive() const {
    return any_of(Parts, [](const auto &Part) { return Part.second > 0 || any_of(Part.first, isChange); });
  }

private:
  void put(const Product &Of, int64_t Number, int64_t Times = 1) {
    int64_t &At = Parts[Of];
    Overflows |= MulOverflow(Number, Times, Number) || AddOverflow(At, Number, At);
    if (At == 0)
      Parts.erase(Of);
    Overflows |= Parts.size() > MaxProducts;
  }

  struct Before {
    bool operator()(const Product &A, const Product &B) const { return std::lexicographical_compare(A.begin(), A.end(), B.begin(), B.end(), std::less<const Value *>()); }
  };
  std::map<Product, int64_t, Before> Parts;
  bool Overflows = false;
};

} // namespace

class LanePlaces::Reader {
public:
  Reader(const Function &F, const View &V) : F(F), V(V) {}

  // A number, or a place behind `Base` in bytes: by how much it grows from lane to lane, and what all lanes have in common.
  struct Form {
    const Value *Base = nullptr;
    std::optional<Id> Which; // by which of the lane's numbers
    Sum ByLane, Rest;
    bool isKnown() const { return ByLane.isKnown() && Rest.isKnown(); }
    bool isSame(const Form &Other) const {
      return isKnown() && Other.isKnown() && Base == Other.Base && Which == Other.Which && ByLane.plus(Other.ByLane, -1).isZero() && Rest.plus(Other.Rest, -1).isZero();
    }
  };

  std::optional<Form> read(const Value *X) { return read(X, 0); }

  const Function &F;

private:
  static constexpr unsigned MaxDepth = 12;

  static std::optional<Form> both(std::optional<Form> A, std::optional<Form> B, int64_t Times) {
    if (!A || !B || (B->Base && (A->Base || Times != 1)) || (A->Which && B->Which && A->Which != B->Which))
      return std::nullopt;
    return Form{A->Base ? A->Base : B->Base, A->Which ? A->Which : B->Which, A->ByLane.plus(B->ByLane, Times), A->Rest.plus(B->Rest, Times)};
  }

  static std::optional<Form> product(std::optional<Form> A, std::optional<Form> B) {
    if (!A || !B || A->Base || B->Base || (A->Which && B->Which))
      return std::nullopt;
    return Form{nullptr, A->Which ? A->Which : B->Which, A->ByLane.times(B->Rest).plus(B->ByLane.times(A->Rest)), A->Rest.times(B->Rest)};
  }

  static Form number(int64_t N) { return {nullptr, std::nullopt, Sum(), Sum(N)}; }

  // Numbers do not wrap around here: one that does is no place of the array's.
  std::optional<Form> read(const Value *X, unsigned Depth) {
    if (auto Found = Read.find(X); Found != Read.end())
      return Found->second;
    std::optional<Form> Of = readAnew(X, Depth);
    return Read[X] = std::move(Of);
  }

  // What comes by several ways, and is the same by each.
  std::optional<Form> agreed(const PHINode &Phi, unsigned Depth) {
    Read[&Phi] = std::nullopt; // as far as it comes from itself
    std::optional<Form> All = read(Phi.getIncomingValue(0), Depth + 1);
    for (const Value *Way : drop_begin(Phi.incoming_values())) {
      const auto Of = All ? read(Way, Depth + 1) : std::nullopt;
      if (!Of || !Of->isSame(*All))
        return std::nullopt;
    }
    return All;
  }

  std::optional<Form> readAnew(const Value *X, unsigned Depth) {
    X = broughtBy(X);
    if (const auto *C = dyn_cast<ConstantInt>(X))
      return C->getBitWidth() <= 64 ? std::optional(number(C->getSExtValue())) : std::nullopt;
    if (auto Which = idOf(X); Which && (*Which == Id::Local2 || *Which == Id::Linear || *Which == Id::Lane))
      return Form{nullptr, Which, Sum(1), Sum()};
    const auto *I = dyn_cast<Instruction>(X);
    auto Of = [&](unsigned N) { return read(I->getOperand(N), Depth + 1); };
    if (I && Depth < MaxDepth)
      switch (I->getOpcode()) {
      case Instruction::SExt:
      case Instruction::ZExt:
      case Instruction::Trunc:
        return Of(0);
      case Instruction::Or:
        if (!cast<PossiblyDisjointInst>(I)->isDisjoint())
          break;
        [[fallthrough]];
      case Instruction::Add:
        return both(Of(0), Of(1), 1);
      case Instruction::Sub:
        return both(Of(0), Of(1), -1);
      case Instruction::Mul:
        return product(Of(0), Of(1));
      // `lane & 31` grows like the lane in each row of 32, where `lane & ~31` stays, and `lane ^ 8` is another lane of them.
      case Instruction::And:
      case Instruction::Xor: {
        auto Row = Of(0);
        if (!Row || Row->Base || !Row->ByLane.isOne())
          break;
        const auto *Mask = dyn_cast<ConstantInt>(I->getOperand(1));
        if (I->getOpcode() == Instruction::Xor ? !V.Uniform->isUniform(I->getOperand(1)) : !Mask || !Mask->getValue().isShiftedMask() || Mask->getValue().isMask(32))
          break;
        if (I->getOpcode() == Instruction::And && !Mask->getValue().isMask())
          Row->ByLane = Sum();
        Row->Rest = Sum(*I);
        return Row;
      }
      case Instruction::Shl:
      case Instruction::AShr:
      case Instruction::LShr: {
        const auto *By = dyn_cast<ConstantInt>(I->getOperand(1));
        if (!By || By->getValue().ugt(40))
          break;
        const int64_t Times = int64_t(1) << By->getZExtValue();
        if (I->getOpcode() == Instruction::Shl)
          return product(Of(0), number(Times));
        auto Shifted = Of(0);
        const auto ByLane = Shifted ? Shifted->ByLane.dividedBy(Times) : std::nullopt, Rest = Shifted ? Shifted->Rest.dividedBy(Times) : std::nullopt;
        if (Shifted && !ByLane && !Shifted->Base && Shifted->ByLane.isOne())
          return Form{nullptr, Shifted->Which, Sum(), Sum(*I)}; // the number of a row
        if (!ByLane || !Rest)
          break;
        Shifted->ByLane = *ByLane, Shifted->Rest = *Rest;
        return Shifted;
      }
      case Instruction::GetElementPtr: {
        std::optional<Form> Place = Of(0);
        for (auto At = gep_type_begin(I), End = gep_type_end(I); At != End && Place; ++At) {
          const auto Size = At.isStruct() ? std::nullopt : std::optional(int64_t(At.getSequentialElementStride(I->getDataLayout()).getKnownMinValue()));
          Place = Size ? both(Place, product(read(At.getOperand(), Depth + 1), number(*Size)), 1) : std::nullopt;
        }
        if (Place)
          return Place;
        break;
      }
      case Instruction::PHI:
        if (auto Agreed = agreed(*cast<PHINode>(I), Depth))
          return Agreed;
        break;
      default:
        break;
      }
    const Value *One = I ? known(*I) : X;
    if (I && !V.Uniform->isUniform(One))
      return std::nullopt;
    return X->getType()->isPointerTy() ? Form{One, std::nullopt, Sum(), Sum()} : Form{nullptr, std::nullopt, Sum(), Sum(*One)};
  }

  // What the entry reads in one place, which nobody writes, is one value, wherever one comes from, and so is its lower half.
  static const Value *known(const Instruction &I) {
    if (const auto *Phi = dyn_cast<PHINode>(&I)) {
      SmallPtrSet<const Value *, 2> Ways;
      for (const Value *Of : Phi->incoming_values())
        Ways.insert(isa<LoadInst>(Of) ? known(cast<LoadInst>(*Of)) : Of);
      return Ways.size() == 1 ? *Ways.begin() : &I;
    }
    const auto *Mask = I.getOpcode() == Instruction::And ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    const bool IsHalf = Mask && Mask->getValue().isMask(32);
    const auto *Load = dyn_cast<LoadInst>(IsHalf ? I.getOperand(0) : &I);
    if (!Load || !Load->getParent()->isEntryBlock())
      return &I;
    const Type *T = IsHalf ? Type::getInt32Ty(I.getContext()) : Load->getType();
    for (const Instruction &Other : *Load->getParent())
      if (const auto *First = dyn_cast<LoadInst>(&Other); First && First->getPointerOperand() == Load->getPointerOperand() && First->getType() == T)
        return First;
    return &I;
  }

  const View &V;
  DenseMap<const Value *, std::optional<Form>> Read; // what has been read before
};

LanePlaces::LanePlaces(const Function &F, const View &V) : Reads(std::make_unique<Reader>(F, V)) {}

LanePlaces::~LanePlaces() = default;

bool LanePlaces::isBehind(const Value *First, const Value *Second) const {
  const auto From = Reads->read(First), To = Reads->read(Second);
  if (!From || !To || !From->isKnown() || !To->isKnown() || From->Base != To->Base || From->Which != To->Which || From->ByLane.isZero() || To->ByLane.isZero())
    return false;
  if (!From->ByLane.plus(To->ByLane, -1).isZero())
    return From->Base && isLocalMemory(*From->Base, Reads->F) && (From->ByLane.isMultipleOf(To->ByLane) || To->ByLane.isMultipleOf(From->ByLane)) && !(From->ByLane.isNumber() && To->ByLane.isNumber());
  const Sum Away = To->Rest.plus(From->Rest, -1);
  return Away.isKnown() && !Away.isZero() && Away.isMultipleOf(From->ByLane) && Away.mayBePositive();
}

bool LanePlaces::isKnown(const Value *Place) const {
  const auto Form = Reads->read(Place);
  return Form && Form->isKnown();
}

bool LanePlaces::isOwn(const Value *Place) const {
  const auto Form = Reads->read(Place);
  return Form && Form->isKnown() && !Form->ByLane.isZero();
}

bool LanePlaces::isSame(const Value *First, const Value *Second) const {
  const auto A = Reads->read(First), B = Reads->read(Second);
  return First == Second || (A && B && A->isSame(*B));
}

} // namespace aspen::items
