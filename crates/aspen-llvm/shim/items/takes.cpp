// Values that the lanes of a sub-group take from each other: shifts, permutations, choices.
//
// In the item a take is a call without effects, so that simplification leaves the code around it alone. Takes of one block that do not need
// each other's results are done at one cut: before it, each lane gives its values; at the head of the next piece the values are moved, for
// the sub-group as a whole, and behind that each lane finds what it took. What moves by a constant is a shuffle of vectors.

#include "builder.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <numeric>

using namespace llvm;

namespace aspen::items {
namespace {

// The calls, by the size of the value: what an item says; and, around the cut, what a lane gives and what it has taken.
constexpr StringLiteral TakeNames[] = {"aspen.item.take.32", "aspen.item.take.64"};
constexpr StringLiteral GiveNames[] = {"aspen.item.give.32", "aspen.item.give.64"};
constexpr StringLiteral TakenNames[] = {"aspen.item.taken.32", "aspen.item.taken.64"};
// What all lanes have taken: one value.
constexpr StringLiteral CommonNames[] = {"aspen.item.common.32", "aspen.item.common.64"};

constexpr bool isCommon(LaneWay Way) { return Way == LaneWay::Broadcast || Way == LaneWay::Fold; }

// Values that are given before one cut. Each has a place on the stack of the group's function.
constexpr unsigned MaxBatch = 128;
// A take's number: its own of the cut, and above it that of the cut.
constexpr unsigned CutShift = 7;
static_assert(MaxBatch == 1 << CutShift);

std::optional<unsigned> bitsOf(const Value *V, ArrayRef<StringLiteral> Names) {
  const auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const auto *Found = Callee ? find(Names, Callee->getName()) : Names.end();
  return Found == Names.end() ? std::nullopt : std::optional(Found == Names.begin() ? 32u : 64u);
}

LaneWay wayOf(const Value *V) { return LaneWay(cast<ConstantInt>(V)->getZExtValue()); }

FunctionCallee callee(Module &M, ArrayRef<StringLiteral> Names, unsigned Bits, FunctionType *T, MemoryEffects Effects) {
  FunctionCallee Callee = M.getOrInsertFunction(Names[Bits / 64], T);
  auto *F = cast<Function>(Callee.getCallee());
  F->setMemoryEffects(Effects);
  F->setDoesNotThrow();
  F->setWillReturn();
  return Callee;
}

// The instructions of a block in the order of how many cuts must lie before them.
//
// What depends on a take lies behind its cut. What touches memory keeps its order. What depends on neither goes to where it is used first:
// before the cuts it would have to be kept across them.
class Schedule {
public:
  explicit Schedule(BasicBlock &Block) {
    const DataLayout &Layout = Block.getModule()->getDataLayout();
    for (Instruction &I : Block) {
      if (isa<PHINode>(I) || I.isTerminator())
        continue;
      unsigned Of = 0;
      for (const Value *V : I.operands())
        if (auto Found = Levels.find(dyn_cast<Instruction>(V)); Found != Levels.end())
          Of = std::max(Of, Found->second + (isTake(V) ? 1 : 0));
      if (!isTake(&I) && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
        Of = inOrder(I, Of, Layout);
      Levels[&I] = Of;
      Last = std::max(Last, Of + (isTake(&I) ? 1 : 0));
      Order.push_back(&I);
    }
    for (Instruction *I : reverse(Order))
      if (Levels[I] == 0 && !isTake(I) && !I->mayReadOrWriteMemory() && !I->mayHaveSideEffects() && !isa<AllocaInst>(I))
        Levels[I] = firstUse(*I);
  }

  // What is done before this cut, or behind the last.
  SmallVector<Instruction *, 32> before(unsigned Cut, bool Takes) const {
    SmallVector<Instruction *, 32> Out;
    copy_if(Order, std::back_inserter(Out), [&](Instruction *I) { return Levels.lookup(I) == Cut && isTake(I) == Takes; });
    return Out;
  }

  unsigned Last = 0; // how many cuts there are

private:
  // What touches memory comes no earlier than what did before it. Different bytes of a private variable are different memory.
  unsigned inOrder(const Instruction &I, unsigned Of, const DataLayout &Layout) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    APInt Offset(64, 0);
    const auto *Variable = Pointer ? dyn_cast<AllocaInst>(Pointer->stripAndAccumulateConstantOffsets(Layout, Offset, true)) : nullptr;
    const TypeSize Bytes = Variable ? Layout.getTypeStoreSize(getLoadStoreType(&I)) : TypeSize::getFixed(0);
    if (!Variable || I.isAtomic() || I.isVolatile() || Bytes.isScalable() || Bytes.getFixedValue() > MaxBytes)
      return AtUnknown = AtMemory = std::max(Of, AtMemory);
    Of = std::max(Of, AtUnknown);
    for (uint64_t Byte = 0; Byte < Bytes.getFixedValue(); ++Byte)
      Of = std::max(Of, AtByte.lookup({Variable, Offset.getSExtValue() + int64_t(Byte)}));
    for (uint64_t Byte = 0; Byte < Bytes.getFixedValue(); ++Byte)
      AtByte[{Variable, Offset.getSExtValue() + int64_t(Byte)}] = Of;
    AtMemory = std::max(AtMemory, Of);
    return Of;
  }

  static constexpr uint64_t MaxBytes = 64; // of an access that is looked at byte by byte
  unsigned AtMemory = 0, AtUnknown = 0;    // cuts before the last access, and before the last of which nothing is known
  DenseMap<std::pair<const AllocaInst *, int64_t>, unsigned> AtByte;

  unsigned firstUse(const Instruction &I) const {
    unsigned Out = Last;
    for (const User *U : I.users())
      if (auto Found = Levels.find(cast<Instruction>(U)); Found != Levels.end())
        Out = std::min(Out, Found->second);
    return Out;
  }

  SmallVector<Instruction *, 64> Order;
  DenseMap<const Instruction *, unsigned> Levels;
};

void cutBlock(BasicBlock *Block, function_ref<bool(const Use &)> IsAlike, Pieces &Out) {
  Module &M = *Block->getModule();
  const Schedule Steps(*Block);
  Type *Half = Type::getInt32Ty(M.getContext());
  for (unsigned Step = 0; Step <= Steps.Last; ++Step) {
    for (Instruction *I : Steps.before(Step, false))
      I->moveBefore(Block->getTerminator()->getIterator());
    const auto Takes = Steps.before(Step, true);
    for (ArrayRef<Instruction *> Left = Takes; !Left.empty();) {
      ArrayRef<Instruction *> Batch = Left.take_front(MaxBatch);
      Left = Left.drop_front(Batch.size());
      SmallVector<Take, 8> Made;
      IRBuilder<> B(Block->getTerminator());
      for (auto [Number, I] : enumerate(Batch)) {
        auto &Call = cast<CallInst>(*I);
        Type *T = Call.getType();
        auto *Amount = Call.getArgOperand(2);
        Take Of{unsigned(Number) | unsigned(Out.Takes.size()) << CutShift, T->getIntegerBitWidth(), wayOf(Call.getArgOperand(1)), dyn_cast<ConstantInt>(Amount),
                IsAlike(Call.getArgOperandUse(2)) && !bitsOf(Amount, TakenNames)}; // what was taken at a cut before is not known to be alike
        Made.push_back(Of);
        auto *Gives = FunctionType::get(B.getVoidTy(), {Half, T, Half, Half}, false);
        B.CreateCall(callee(M, GiveNames, Of.Bits, Gives, MemoryEffects::inaccessibleMemOnly()),
                     {B.getInt32(Of.Number), Call.getArgOperand(0), Of.Amount ? PoisonValue::get(Half) : Amount, Call.getArgOperand(1)});
      }
      const std::string Place = placeOf(*Batch.front()).str();
      BasicBlock *Behind = SplitBlock(Block, Block->getTerminator());
      B.SetInsertPoint(Behind->getTerminator());
      for (auto [Number, I] : enumerate(Batch)) {
        auto *Taken = FunctionType::get(I->getType(), {Half}, false);
        const auto Effects = MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref);
        const auto &Names = isCommon(Made[Number].Way) ? CommonNames : TakenNames;
        I->replaceAllUsesWith(B.CreateCall(callee(M, Names, Made[Number].Bits, Taken, Effects), {B.getInt32(Made[Number].Number)}, "taken"));
      }
      for (Instruction *I : Batch)
        I->eraseFromParent();
      Out.Starts.insert(Behind);
      Out.Places.insert({Behind, Place});
      Out.Takes[Behind] = std::move(Made);
      Block = Behind;
    }
  }
}

} // namespace

bool isTake(const Value *V) { return bitsOf(V, TakeNames).has_value(); }
bool isCommonTaken(const Value *V) { return bitsOf(V, CommonNames).has_value(); }

void makeTake(CallInst &Call) {
  Module &M = *Call.getModule();
  Type *T = Call.getType(), *Half = Type::getInt32Ty(M.getContext());
  IRBuilder<> B(&Call);
  // item, value, way, amount: whose it is goes without saying.
  FunctionCallee Callee = callee(M, TakeNames, T->getIntegerBitWidth(), FunctionType::get(T, {T, Half, Half}, false), MemoryEffects::none());
  // Whom it waits for must not become fewer. A call of a function that is not convergent loses the attribute, and is sunk to where it is used.
  cast<Function>(Callee.getCallee())->setConvergent();
  CallInst *Take = B.CreateCall(Callee, {Call.getArgOperand(1), Call.getArgOperand(2), Call.getArgOperand(3)});
  Take->setConvergent();
  setPlace(*Take, placeOf(Call).str());
  Call.replaceAllUsesWith(Take);
}

void cutAtTakes(Function &F, function_ref<bool(const Use &)> IsAlike, Pieces &Out) {
  SmallVector<BasicBlock *, 8> Found;
  for (BasicBlock &B : F)
    if (any_of(B, [](const Instruction &I) { return isTake(&I); }))
      Found.push_back(&B);
  for (BasicBlock *B : Found)
    cutBlock(B, IsAlike, Out);
}

// Whether lanes of one piece give, while others end there: a sub-group that was full when it gave is not when it takes.
bool Builder::partsAtTakes() {
  if (!PartsAtTakes)
    PartsAtTakes = any_of(P.MayPart, [&](BasicBlock *Start) {
      return any_of(blocksOf(Start, P), [&](BasicBlock *B) { return any_of(successors(B), [&](BasicBlock *To) { return P.Takes.contains(To); }); });
    });
  return *PartsAtTakes;
}

// The places of a value that lanes give, of what they have taken, and of how far each takes it, which is not written of constants. Full
// sub-groups that stay so have their own: where their lanes become whole vectors and nobody else looks, these are registers.
Builder::Exchange &Builder::exchange(unsigned Number, unsigned Bits, unsigned Who) {
  const bool Own = Who == Full && !partsAtTakes();
  Exchange &Found = Exchanges[{Number % MaxBatch, Bits, Own}];
  if (!Found.Given) {
    IRBuilder<> E = atEntry();
    auto Room = [&](unsigned Wide, const char *Name) {
      AllocaInst *Place = E.CreateAlloca(ArrayType::get(E.getIntNTy(Wide), Own ? From.Lanes : MaxLanes), nullptr, Name);
      Place->setAlignment(Align(64));
      return Place;
    };
    Found = {Room(Bits, "given"), Room(Bits, "taken"), Room(32, "amounts")};
  }
  return Found;
}

// How far all lanes take a value. Where lanes may part, some wait at one cut while others come to the next, which have another answer.
AllocaInst *Builder::commonAmounts(unsigned Number, unsigned Bits, unsigned Who) {
  AllocaInst *Shared = exchange(Number, Bits, Who).Amounts;
  if (Order.empty())
    return Shared;
  AllocaInst *&Own = OwnAmounts[{Number, Shared}];
  if (!Own)
    Own = cast<AllocaInst>(atEntry().Insert(Shared->clone(), "amounts"));
  return Own;
}

// Makes memory of what a lane gives, or has taken; whether it is either. `Made` gets the accesses.
bool Builder::handOver(Instruction &I, Value *Lane, unsigned Who, bool SomeMayEnd, SmallVectorImpl<Instruction *> &Made) {
  const auto Gives = bitsOf(&I, GiveNames), Takes = bitsOf(&I, TakenNames);
  if (!Gives && !Takes && !isCommonTaken(&I))
    return false;
  auto &Call = cast<CallInst>(I);
  const auto Number = unsigned(cast<ConstantInt>(Call.getArgOperand(0))->getZExtValue());
  if (!Gives && !Takes) {
    I.replaceAllUsesWith(TakenByAll.lookup(Number));
    I.eraseFromParent();
    return true;
  }
  const unsigned Bits = Gives ? *Gives : *Takes;
  const Exchange &At = exchange(Number, Bits, Who);
  IRBuilder<> B(&I);
  auto Of = [&](AllocaInst *Place, unsigned Wide) { return B.CreateInBoundsGEP(B.getIntNTy(Wide), Place, Lane); };
  if (Gives) {
    Made.push_back(B.CreateStore(Call.getArgOperand(1), Of(At.Given, Bits)));
    // What is the same for all is known from the first lane; where that may have ended, here at the latest, from whoever comes last.
    const bool IsOne = isCommon(wayOf(Call.getArgOperand(3)));
    if (Value *Amount = Call.getArgOperand(2); !isa<UndefValue>(Amount)) {
      AllocaInst *Place = IsOne ? commonAmounts(Number, Bits, Who) : At.Amounts;
      if (IsOne && (Who == NotEnded || SomeMayEnd))
        B.CreateStore(Amount, Place);
      else
        Made.push_back(B.CreateStore(Amount, Of(Place, 32)));
    }
  } else {
    auto *Load = B.CreateLoad(Call.getType(), Of(At.Taken, Bits));
    Made.push_back(Load);
    I.replaceAllUsesWith(Load);
  }
  I.eraseFromParent();
  return true;
}

namespace {

// The lane that another takes from.
unsigned from(LaneWay Way, unsigned Lane, uint32_t Amount, unsigned Lanes) {
  uint32_t Out = Amount;
  if (Way == LaneWay::Mask)
    Out = Lane ^ Amount;
  else if (Way == LaneWay::After)
    Out = Lane + Amount;
  else if (Way == LaneWay::Before)
    Out = Lane - Amount;
  return Out < Lanes ? Out : Lane;
}

Value *shuffled(IRBuilder<> &B, Value *Given, const LaneWay Way, uint64_t Amount, unsigned Lanes) {
  SmallVector<int, 64> Lane;
  for (unsigned L = 0; L < Lanes; ++L)
    Lane.push_back(int(from(Way, L, Amount, Lanes)));
  return B.CreateShuffleVector(Given, Lane);
}

// By an amount that all lanes have and nobody knows before: its bits, one after the other.
Value *shuffledByBits(IRBuilder<> &B, Value *Given, LaneWay Way, Value *Amount, unsigned Lanes) {
  Value *Out = Given;
  for (unsigned Bit = 1; Bit < Lanes; Bit *= 2) {
    Value *IsSet = B.CreateICmpNE(B.CreateAnd(Amount, B.getInt32(Bit)), B.getInt32(0));
    Out = B.CreateSelect(IsSet, shuffled(B, Out, Way, Bit, Lanes), Out);
  }
  // Nobody is there: any value.
  return B.CreateSelect(B.CreateICmpULT(Amount, B.getInt32(Lanes)), Out, Given);
}

// One of two values, or of two vectors of values, which are words of a meaning.
Value *folded(IRBuilder<> &B, LaneFold How, Value *One, Value *Other) {
  Type *const T = One->getType();
  auto Real = [&](Value *V) {
    Type *Element = T->getScalarSizeInBits() == 32 ? B.getFloatTy() : B.getDoubleTy();
    return B.CreateBitCast(V, T->isVectorTy() ? VectorType::get(Element, cast<VectorType>(T)->getElementCount()) : Element);
  };
  auto Less = [&](Value *X, Value *Y) { return B.CreateSelect(X, Y, One); };
  switch (How) {
  case LaneFold::Add: return B.CreateAdd(One, Other);
  case LaneFold::AddFloat: return B.CreateBitCast(B.CreateFAdd(Real(One), Real(Other)), T);
  case LaneFold::Multiply: return B.CreateMul(One, Other);
  case LaneFold::MultiplyFloat: return B.CreateBitCast(B.CreateFMul(Real(One), Real(Other)), T);
  case LaneFold::And: return B.CreateAnd(One, Other);
  case LaneFold::Or: return B.CreateOr(One, Other);
  case LaneFold::Xor: return B.CreateXor(One, Other);
  case LaneFold::Least: return Less(B.CreateICmpSLT(Other, One), Other);
  case LaneFold::LeastUnsigned: return Less(B.CreateICmpULT(Other, One), Other);
  case LaneFold::LeastFloat: return Less(B.CreateFCmpOLT(Real(Other), Real(One)), Other);
  case LaneFold::Most: return Less(B.CreateICmpSLT(One, Other), Other);
  case LaneFold::MostUnsigned: return Less(B.CreateICmpULT(One, Other), Other);
  case LaneFold::MostFloat: return Less(B.CreateFCmpOLT(Real(One), Real(Other)), Other);
  }
  llvm_unreachable("all folds are there");
}

// All lanes of a full sub-group, by halves. Source: sycl::detail::fold_all, which comes to the same.
Value *foldedByHalves(IRBuilder<> &B, LaneFold How, Value *Given) {
  for (unsigned Left = cast<FixedVectorType>(Given->getType())->getNumElements(); Left > 1; Left /= 2) {
    SmallVector<int, 64> Lower(Left / 2), Upper(Left / 2);
    std::iota(Lower.begin(), Lower.end(), 0);
    std::iota(Upper.begin(), Upper.end(), Left / 2);
    Given = folded(B, How, B.CreateShuffleVector(Given, Lower), B.CreateShuffleVector(Given, Upper));
  }
  return B.CreateExtractElement(Given, uint64_t(0));
}

} // namespace

// What a broadcast or a fold is for all lanes.
Value *Builder::takenByAll(IRBuilder<> &B, const Take &T, unsigned Who) {
  const Exchange &At = exchange(T.Number, T.Bits, Who);
  Type *Element = B.getIntNTy(T.Bits);
  Value *Lanes = Who == Full ? B.getInt64(From.Lanes) : Size;
  if (Who == Full && T.Amount) {
    const uint64_t Amount = T.Amount->getZExtValue();
    Value *Given = B.CreateAlignedLoad(FixedVectorType::get(Element, From.Lanes), At.Given, Align(64));
    return T.Way == LaneWay::Fold ? foldedByHalves(B, LaneFold(Amount), Given) : B.CreateExtractElement(Given, Amount < From.Lanes ? Amount : 0);
  }
  Value *Amount = T.Amount ? static_cast<Value *>(T.Amount) : B.CreateLoad(B.getInt32Ty(), commonAmounts(T.Number, T.Bits, Who));
  if (T.Way == LaneWay::Fold) {
    Value *Ended = ConstantPointerNull::get(PointerType::get(C, 0)), *Given = At.Given;
    if (Who == NotEnded)
      Ended = flagOf(B, First);
    if (Who == NotEnded && !Order.empty()) {
      // Folding overwrites, and lanes that wait elsewhere still need what they gave.
      AllocaInst *Copy = atEntry().CreateAlloca(At.Given->getAllocatedType(), nullptr, "folded");
      Copy->setAlignment(Align(64));
      B.CreateMemCpy(Copy, Align(64), At.Given, Align(64), MaxLanes * T.Bits / 8);
      Given = Copy;
    }
    return B.CreateCall(P.Folds[T.Bits / 64], {Given, Ended, B.CreateTrunc(Lanes, B.getInt32Ty()), Amount});
  }
  Value *Whose = B.CreateZExt(Amount, Word);
  Whose = B.CreateSelect(B.CreateICmpULT(Whose, Lanes), Whose, B.getInt64(0));
  if (Who == NotEnded) {
    Value *Linear = B.CreateAdd(First, Whose);
    Value *HasEnded = B.CreateICmpNE(B.CreateLoad(B.getInt8Ty(), flagOf(B, Linear)), B.getInt8(0));
    Value *Tells = B.CreateOr(B.CreateTrunc(Linear, B.getInt32Ty()), B.getInt32(layout::AskedEnded));
    B.CreateStore(B.CreateSelect(HasEnded, Tells, B.CreateLoad(B.getInt32Ty(), asked())), asked());
  }
  return B.CreateLoad(Element, B.CreateInBoundsGEP(Element, At.Given, Whose));
}

// At the head of a piece: moves what lanes gave to who takes it.
void Builder::moveTaken(IRBuilder<> &B, Version V) {
  TakenByAll.clear();
  auto Found = P.Takes.find(V.first);
  if (Found == P.Takes.end())
    return;
  SmallVector<const Take *, 8> OneByOne;
  for (const Take &T : Found->second) {
    if (isCommon(T.Way)) {
      TakenByAll[T.Number] = takenByAll(B, T, V.second);
      continue;
    }
    if (V.second != Full || !(T.Amount || (T.IsAlike && T.Way != LaneWay::Number))) {
      OneByOne.push_back(&T);
      continue;
    }
    const Exchange &At = exchange(T.Number, T.Bits, V.second);
    Value *Given = B.CreateAlignedLoad(FixedVectorType::get(B.getIntNTy(T.Bits), From.Lanes), At.Given, Align(64));
    Value *Moved = T.Amount ? shuffled(B, Given, T.Way, T.Amount->getZExtValue(), From.Lanes)
                            : shuffledByBits(B, Given, T.Way, B.CreateLoad(B.getInt32Ty(), At.Amounts), From.Lanes);
    B.CreateAlignedStore(Moved, At.Taken, Align(64));
  }
  if (OneByOne.empty())
    return;
  // One loop for all: code that looks at each loop of a function looks at all others, too.
  Value *Lanes = V.second == Full ? B.getInt64(From.Lanes) : Size;
  BasicBlock *Before = B.GetInsertBlock(), *Each = BasicBlock::Create(C, "take", G), *After = BasicBlock::Create(C, "taken", G);
  B.CreateBr(Each);
  B.SetInsertPoint(Each);
  PHINode *Lane = B.CreatePHI(Word, 2, "lane");
  Lane->addIncoming(B.getInt64(0), Before);
  Value *Own = B.CreateTrunc(Lane, B.getInt32Ty());
  for (const Take *T : OneByOne) {
    const Exchange &At = exchange(T->Number, T->Bits, V.second);
    Type *Element = B.getIntNTy(T->Bits);
    Value *Amount = T->Amount;
    if (!Amount)
      Amount = B.CreateLoad(B.getInt32Ty(), B.CreateInBoundsGEP(B.getInt32Ty(), At.Amounts, Lane));
    Value *Whose = T->Way == LaneWay::Mask     ? B.CreateXor(Own, Amount)
                   : T->Way == LaneWay::After  ? B.CreateAdd(Own, Amount)
                   : T->Way == LaneWay::Before ? B.CreateSub(Own, Amount)
                                               : Amount;
    Value *There = B.CreateZExt(Whose, Word);
    There = B.CreateSelect(B.CreateICmpULT(There, Lanes), There, Lane);
    B.CreateStore(B.CreateLoad(Element, B.CreateInBoundsGEP(Element, At.Given, There)), B.CreateInBoundsGEP(Element, At.Taken, Lane));
  }
  Value *Next = B.CreateNUWAdd(Lane, B.getInt64(1));
  Lane->addIncoming(Next, Each);
  SmallVector<Instruction *, 32> Accesses;
  for (Instruction &I : *Each)
    if (isa<LoadInst, StoreInst>(I))
      Accesses.push_back(&I);
  promise(B.CreateCondBr(B.CreateICmpEQ(Next, Lanes), After, Each), V.second, Accesses, {});
  B.SetInsertPoint(After);
}

} // namespace aspen::items
