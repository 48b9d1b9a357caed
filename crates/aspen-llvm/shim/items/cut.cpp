// The second step: where an item is cut into pieces, and what has to be kept from one piece to the next.

#include "strides.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Places at such distances, in accesses of that size, vectors take in one go and sort.
constexpr int64_t MaxApart = 4;
// The bytes of an array that is worth a place for each item though only one piece uses it.
constexpr uint64_t MaxPlain = 512;
// Operations for each access to places of which nothing is known.
constexpr size_t MinOperations = 4;

// Whether a loop that all items run alike gains by having the loop over items inside: items take neighbours in memory or the same place,
// and nothing is in it that cannot be done for several items at once. Where what items keep stays in registers (`InStrips`), they may take
// other places too if much is done with what they take.
bool isWorthwhile(const Loop &L, const View &V, Strides &Strides, bool InStrips) {
  const DataLayout &Layout = L.getHeader()->getDataLayout();
  size_t Operations = 0, Scattered = 0;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (I.getType()->isVectorTy())
        return false;
      if (const auto *Call = dyn_cast<CallBase>(&I)) {
        if (!isTriviallyVectorizable(Call->getIntrinsicID()) && !I.isLifetimeStartOrEnd() && !isa<AssumeInst>(I))
          return false;
      } else if (Value *Pointer = getLoadStorePointerOperand(&I)) {
        Type *T = getLoadStoreType(&I);
        auto Step = Strides.of(Pointer);
        const bool One = isa<LoadInst>(I) && (Step == 0 || V.Uniform->isUniform(Pointer)); // of a row at least
        if (I.isAtomic() || I.isVolatile() || T->isVectorTy())
          return false;
        const int64_t Size = Layout.getTypeAllocSize(T);
        Value *Offset = offsetIn(V.P.Apart, Pointer); // all items' elements of one number are neighbours
        const bool Near = Offset ? V.Uniform->isUniform(Offset) : Step && *Step > 0 && *Step % Size == 0 && *Step <= MaxApart * Size;
        if (!One && !Near) {
          if (!InStrips || (!Offset && isa<AllocaInst>(getUnderlyingObject(Pointer, /*MaxLookup=*/0))))
            return false;
          ++Scattered;
        }
      } else if (I.mayReadOrWriteMemory()) {
        return false;
      }
      Operations += isa<BinaryOperator, SelectInst, CallBase>(I) && V.Uniform->isDivergent(&I);
    }
  return Operations > Scattered * MinOperations;
}

void cutAtBarriers(Function &F, const Names &Names, Pieces &Out) {
  SmallVector<CallInst *, 8> Barriers;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledFunction() &&
                                             (Call->getCalledFunction()->getName() == Names.Barrier ||
                                              Call->getCalledFunction()->getName() == Names.SubGroupBarrier))
      Barriers.push_back(Call);
  for (CallInst *Call : Barriers) {
    BasicBlock *Behind = SplitBlock(Call->getParent(), std::next(Call->getIterator()));
    Out.Starts.insert(Behind);
    Out.Places.insert({Behind, placeOf(*Call).str()});
    if (Call->getCalledFunction()->getName() == Names.Barrier)
      Out.AtGroup.insert(Behind);
    Call->eraseFromParent();
  }
}

// Behind a branch that ends some items all others are together: what follows is a piece of its own, in which nobody ends. Not in loops that
// are in one piece otherwise.
bool cutAtEnds(Function &F, const View &V, Pieces &Out) {
  for (BasicBlock &B : F) {
    BasicBlock *To = V.differs(B) && V.together(&B) ? V.onlyWayOn(B) : nullptr;
    if (!To || Out.Starts.contains(To) || all_of(successors(&B), [&](BasicBlock *Next) { return Next == To; }))
      continue;
    if (inWholeLoop(&B, V, Out))
      continue;
    if (!mayCut(Out))
      return false;
    if (!To->getUniquePredecessor())
      To = SplitBlockPredecessors(To, {&B}, ".others");
    if (To && Out.Starts.insert(To))
      return true;
  }
  return false;
}

// Whether all items that have not ended come to the loop and run it alike.
bool isAlike(const Loop &L, const View &V) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  auto Alike = [&](BasicBlock *B) { return B && V.together(B) && !V.differs(*B); };
  return Alike(L.getLoopLatch()) && Alike(L.getLoopPreheader()) && V.together(L.getHeader()) && !Exiting.empty() && all_of(Exiting, Alike);
}

// Whether there is one loop inside, in steps from each item's own number: that one changes places with the loop over items (turns.cpp).
bool hasTurns(const Loop &L, Strides &Steps) {
  if (L.getSubLoops().size() != 1 || !L.getSubLoops().front()->isInnermost())
    return false;
  return any_of(L.getSubLoops().front()->getHeader()->phis(), [&](PHINode &Phi) {
    const auto Apart = Phi.getType()->isIntegerTy() ? Steps.of(&Phi) : std::nullopt;
    return Apart && *Apart > 0 && *Apart <= MaxApart;
  });
}

bool mayBeCut(const Loop &L, const View &V, const Pieces &P, Strides &Steps, bool InStrips) {
  return (L.isInnermost() || hasTurns(L, Steps)) && L.hasDedicatedExits() && none_of(L.blocks(), [&](BasicBlock *B) { return P.Starts.contains(B); }) &&
         isWorthwhile(L, V, Steps, InStrips);
}

void cutAround(const Loop &L, Pieces &Out) {
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  if (!mayCut(Out, 1 + Exits.size()))
    return;
  Out.Starts.insert(L.getHeader());
  Out.Starts.insert_range(Exits);
}

void cutAtLoops(const View &V, Pieces &Out, bool InStrips) {
  Strides Steps(V);
  for (Loop *L : V.Loops.getLoopsInPreorder())
    if (mayBeCut(*L, V, Out, Steps, InStrips) && isAlike(*L, V))
      cutAround(*L, Out);
}

// Operations that make a piece of their own worthwhile beside an atomic one.
constexpr size_t MinBeside = 24;

// How much of a piece is done with numbers in vectors: operations of floating point; mathematical functions are many.
size_t floatingIn(const Blocks &Piece, const View &V) {
  size_t Count = 0;
  for (const BasicBlock *B : Piece)
    for (const Instruction &I : *B)
      if (I.getType()->isFloatingPointTy() && V.Uniform->isDivergent(&I))
        Count += isa<CallBase>(I) ? MinBeside : isa<BinaryOperator, FCmpInst>(I);
  return Count;
}

// An atomic operation that every item does once, and nothing of its piece is vectors: before and behind it there are pieces without.
bool cutAtAtomics(const View &V, Pieces &Out) {
  for (BasicBlock *Start : Out.Starts) {
    const Blocks Piece = blocksOf(Start, Out);
    if (floatingIn(Piece, V) < MinBeside)
      continue;
    for (BasicBlock *B : Piece) {
      auto At = V.together(B) && !V.Loops.getLoopFor(B) ? find_if(*B, [](const Instruction &I) { return isa<AtomicRMWInst, AtomicCmpXchgInst>(I); }) : B->end();
      if (At == B->end())
        continue;
      // Behind it first: then it is the last of its piece.
      const bool IsLast = std::next(At)->isTerminator() && all_of(successors(B), [&](BasicBlock *Next) { return Out.Starts.contains(Next) || succ_empty(Next); });
      const bool IsFirst = B == Start && At == B->getFirstNonPHIOrDbg();
      if ((IsFirst && IsLast) || !mayCut(Out, 2))
        continue;
      if (!IsLast)
        Out.Starts.insert(SplitBlock(B, std::next(At)));
      if (!IsFirst)
        Out.Starts.insert(SplitBlock(B, At));
      return true;
    }
  }
  return false;
}

// Whether some items would wait where the kernel does not have them wait while others come to another place: what is known of items takes it
// that where they wait all of them come, and of our own places that has to be seen.
bool partsAtOwn(Function &F, const Pieces &P, const Pieces &Needed) {
  const View V(F, P);
  for (BasicBlock *Start : P.Starts)
    for (BasicBlock *B : blocksOf(Start, P)) {
      if (!V.differs(*B))
        continue;
      SmallPtrSet<BasicBlock *, 4> Before = waysFrom(B, P, V.joinOf(*B)), Ways = waysFrom(B, P);
      Before.erase(nullptr);
      Ways.erase(nullptr);
      if (!Before.empty() && Ways.size() > 1 && any_of(Ways, [&](BasicBlock *To) { return !Needed.Starts.contains(To); }))
        return true;
    }
  return false;
}

// Loops behind `if (i >= n) return;`: were they pieces, all who have not ended would come there.
void cutAtGuardedLoops(Function &F, Pieces &Out, const Pieces &Needed, bool InStrips) {
  const View V(F, Out);
  Strides Steps(V);
  size_t Tries = 0; // each of which makes all that is known anew
  for (Loop *L : V.Loops.getLoopsInPreorder()) {
    if (Tries == MaxPieces || V.together(L->getHeader()) || !L->getLoopPreheader() || !mayBeCut(*L, V, Out, Steps, InStrips))
      continue;
    ++Tries;
    Pieces With = Out;
    With.Starts.insert(L->getHeader());
    if (!isAlike(*L, View(F, With)))
      continue;
    With = Out;
    cutAround(*L, With);
    if (!partsAtOwn(F, With, Needed))
      Out = std::move(With);
  }
}

// Where all items decide alike which way out of a piece they take, the piece ends: the decision is made once for the group.
bool cutAtDecisions(const View &V, Pieces &Out) {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
  for (BasicBlock *Start : Out.Starts)
    for (BasicBlock *B : blocksOf(Start, Out)) {
      if (B->getTerminator()->getNumSuccessors() < 2 || !V.together(B) || V.differs(*B) || !isa<BranchInst, SwitchInst>(B->getTerminator()))
        continue;
      SmallSetVector<BasicBlock *, 4> Next(succ_begin(B), succ_end(B));
      if (waysFrom(B, Out).size() < 2 || all_of(Next, [&](BasicBlock *S) { return Out.Starts.contains(S); }))
        continue;
      for (BasicBlock *S : Next)
        if (!Out.Starts.contains(S))
          Edges.push_back({B, S});
      // The others when all is known anew.
      bool Changed = false;
      for (auto [From, To] : Edges) {
        if (!mayCut(Out))
          return false;
        if (!To->getUniquePredecessor())
          To = SplitBlockPredecessors(To, {From}, ".cut");
        Changed |= To && Out.Starts.insert(To);
      }
      return Changed;
    }
  return false;
}

// Where lanes come together again that a branch parts, if some of them come to an operation of the sub-group before: there the others wait for
// them. Where some leave a loop, those that stay come together at the end of the turn. Not where nothing is left but the end.
// Source: docs/decisions/0084.
bool cutAtJoins(Function &F, const View &V, Pieces &Out) {
  auto Waits = [&](BasicBlock *To) { return To && !Out.AtGroup.contains(To); };
  auto GoesOn = [](BasicBlock *To) { return To != nullptr; };
  auto Cut = [&](BasicBlock *B, BasicBlock *Join, const Loop *Within) {
    auto Before = [&](BasicBlock *To) { return Waits(To) && (!Within || Within->contains(To)); };
    return Join && Join != B && !Out.Starts.contains(Join) && any_of(waysFrom(B, Out, Join), Before) && any_of(waysFrom(Join, Out), GoesOn) && Out.Starts.insert(Join);
  };
  bool Changed = false;
  for (BasicBlock &B : F) {
    if (!V.differs(B))
      continue;
    BasicBlock *Join = V.joinOf(B);
    Changed |= Cut(&B, Join, nullptr);
    for (const Loop *L = V.Loops.getLoopFor(&B); L && !(Join && L->contains(Join)); L = L->getParentLoop())
      Changed |= Cut(&B, L->getLoopLatch(), L);
  }
  return Changed;
}

bool mayPart(BasicBlock *Start, const View &V, const Pieces &P) {
  return any_of(blocksOf(Start, P), [&](BasicBlock *B) {
    // Between the branch and the place where all are together again, some may leave.
    return V.differs(*B) && waysFrom(B, P).size() > 1 && !waysFrom(B, P, V.joinOf(*B)).empty();
  });
}

// Keeps in memory what lives from one piece to another.
class Keep {
public:
  Keep(Item &I, const View &V, Pieces &Out) : F(*I.Body), V(V), Prelude(&F.getEntryBlock()), Out(Out) {
    for (Instruction &I : instructions(F))
      if (V.Uniform->isUniform(&I) && V.together(I.getParent()))
        Alike.insert(&I);
  }

  void run() {
    SmallVector<AllocaInst *, 8> Own;
    for (Instruction &I : *Prelude)
      if (auto *Variable = dyn_cast<AllocaInst>(&I))
        Own.push_back(Variable);
    for (BasicBlock *Start : Out.Starts)
      for (PHINode &Phi : make_early_inc_range(Start->phis())) {
        const bool IsAlike = Alike.contains(&Phi);
        AllocaInst *Slot = DemotePHIToStack(&Phi);
        remember(Slot, IsAlike);
      }
    for (BasicBlock *Start : Out.Starts)
      Regions.push_back({Start, blocksOf(Start, Out)});
    SmallVector<Instruction *, 16> Crossing;
    for (Instruction &I : instructions(F))
      if (I.getParent() != Prelude && !I.use_empty() && crosses(I))
        Crossing.push_back(&I);
    for (Instruction *I : Crossing) {
      const bool IsAlike = Alike.contains(I);
      remember(DemoteRegToStack(*I), IsAlike);
    }
    for (AllocaInst *Variable : Own)
      if (outlives(*Variable) || (Out.Apart.contains(Variable) && isInPlainCode(*Variable)))
        Out.Arrays.push_back(Variable);
  }

private:
  void remember(AllocaInst *Slot, bool IsAlike) {
    if (!Slot)
      return;
    (IsAlike ? Out.PerGroup : Out.PerItem).push_back(Slot);
    for (User *U : Slot->users())
      if (IsAlike && isa<LoadInst>(U))
        Alike.insert(cast<Instruction>(U));
  }

  // Whether some piece uses the value without having made it on the way.
  bool crosses(const Instruction &I) {
    const BasicBlock *Made = I.getParent();
    for (const Use &U : I.uses()) {
      const auto *User = cast<Instruction>(U.getUser());
      const auto *Phi = dyn_cast<PHINode>(User);
      const BasicBlock *Used = Phi ? Phi->getIncomingBlock(U) : User->getParent();
      if (Used == Made)
        continue;
      for (const auto &[Start, Blocks] : Regions)
        if (Blocks.contains(const_cast<BasicBlock *>(Used)) &&
            (!Blocks.contains(const_cast<BasicBlock *>(Made)) || reachedWithout(Start, Made).contains(Used)))
          return true;
    }
    return false;
  }

  // The blocks of a piece to which there is a way around one of them. Values come block by block, and so do the questions.
  const SmallPtrSet<const BasicBlock *, 16> &reachedWithout(BasicBlock *Start, const BasicBlock *Without) {
    if (Without != LastWithout)
      Around.clear();
    LastWithout = Without;
    auto [Place, New] = Around.try_emplace(Start);
    auto &Seen = Place->second;
    if (!New)
      return Seen;
    SmallVector<BasicBlock *, 16> Open{Start};
    while (!Open.empty()) {
      BasicBlock *B = Open.pop_back_val();
      if (B == Without || !Seen.insert(B).second)
        continue;
      for (BasicBlock *Next : successors(B))
        if (!Out.Starts.contains(Next))
          Open.push_back(Next);
    }
    return Seen;
  }

  // Whether a private variable may be used by two pieces, or by one that runs again.
  bool outlives(AllocaInst &Variable) const {
    SmallPtrSet<const Value *, 16> Seen;
    SmallVector<const Value *, 8> Open{&Variable};
    SmallPtrSet<const BasicBlock *, 8> Used;
    while (!Open.empty()) {
      for (const Use &U : Open.pop_back_val()->uses()) {
        const auto *User = cast<Instruction>(U.getUser());
        Used.insert(User->getParent());
        if (isa<GetElementPtrInst, PHINode, SelectInst>(User)) {
          if (Seen.insert(User).second)
            Open.push_back(User);
        } else if (!isa<LoadInst, ICmpInst>(User) && !(isa<StoreInst>(User) && U.getOperandNo() == 1) && !isa<MemIntrinsic>(User)) {
          return Regions.size() > 1; // where its address goes, nobody knows
        }
      }
    }
    Used.erase(Prelude);
    const BasicBlock *Only = nullptr;
    for (const auto &[Start, Blocks] : Regions)
      if (any_of(Blocks, [&](BasicBlock *B) { return Used.contains(B); })) {
        if (Only || runsAgain(Start))
          return true;
        Only = Start;
      }
    return false;
  }

  // Whether an array is used by a piece without loops, which a loop over items can make vectors of if the array is none that all items have.
  bool isInPlainCode(AllocaInst &Array) const {
    if (Array.getAllocationSize(F.getDataLayout())->getFixedValue() > MaxPlain)
      return false;
    SmallPtrSet<const BasicBlock *, 8> Used;
    for (User *U : Array.users()) {
      Used.insert(cast<Instruction>(U)->getParent());
      for (User *Further : U->users())
        if (auto *Access = dyn_cast<Instruction>(Further); Access && isa<GetElementPtrInst>(U))
          Used.insert(Access->getParent());
    }
    return all_of(Regions, [&](const auto &Region) {
      return none_of(Region.second, [&](BasicBlock *B) { return Used.contains(B); }) ||
             none_of(Region.second, [&](BasicBlock *B) { return inWholeLoop(B, V, Out); });
    });
  }

  bool runsAgain(BasicBlock *Start) const {
    SmallPtrSet<BasicBlock *, 16> Seen;
    SmallVector<BasicBlock *, 16> Open(successors(Start));
    while (!Open.empty()) {
      BasicBlock *B = Open.pop_back_val();
      if (B == Start)
        return true;
      if (Seen.insert(B).second)
        append_range(Open, successors(B));
    }
    return false;
  }

  Function &F;
  const View &V;
  BasicBlock *Prelude;
  Pieces &Out;
  SmallVector<std::pair<BasicBlock *, Blocks>, 8> Regions;
  DenseSet<const Instruction *> Alike;
  DenseMap<BasicBlock *, SmallPtrSet<const BasicBlock *, 16>> Around;
  const BasicBlock *LastWithout = nullptr;
};

// Gives what some items leave undefined a name of its own. Where a branch joins that only some items took, a value set on one side is a choice
// of that value and nothing; LLVM's analysis calls this one value for all, which is right for who replaces the choice by the value. We keep
// what is one for all in one place of the group, and the last item to write there may be one that has nothing.
void nameUndefined(Function &F) {
  for (BasicBlock &B : F)
    for (PHINode &Phi : B.phis())
      for (unsigned Way = 0; Way < Phi.getNumIncomingValues(); ++Way)
        if (isa<UndefValue>(Phi.getIncomingValue(Way))) {
          BasicBlock *From = Phi.getIncomingBlock(Way);
          // A switch may come here several times, always with one value.
          Phi.setIncomingValueForBlock(From, new FreezeInst(PoisonValue::get(Phi.getType()), "undefined", From->getTerminator()->getIterator()));
        }
}

} // namespace

Blocks blocksOf(BasicBlock *Start, const Pieces &P) {
  Blocks Out;
  Out.insert(Start);
  for (size_t Index = 0; Index < Out.size(); ++Index)
    for (BasicBlock *Next : successors(Out[Index]))
      if (!P.Starts.contains(Next))
        Out.insert(Next);
  return Out;
}

size_t lengthOf(const Pieces &P) {
  size_t Length = 0;
  for (BasicBlock *Start : P.Starts)
    for (const BasicBlock *B : blocksOf(Start, P))
      Length += B->size();
  return Length;
}

uint64_t keptBytes(const Pieces &P, const DataLayout &Layout) {
  uint64_t Bytes = 0;
  for (const AllocaInst *Variable : concat<AllocaInst *const>(P.PerItem, P.Arrays))
    Bytes += Variable->getAllocationSize(Layout)->getFixedValue();
  return Bytes;
}

Pieces cut(Item &I, const Names &Names, bool MayLieApart) {
  Pieces Out;
  nameUndefined(*I.Body);
  if (MayLieApart)
    Out.Apart = layArrays(*I.Body);
  Out.Starts.insert(I.Body->getEntryBlock().getSingleSuccessor());
  cutAtBarriers(*I.Body, Names, Out);
  if (I.BySubGroups) {
    const Module &M = *I.Body->getParent();
    Out.Folds = {M.getFunction(Names.Fold32), M.getFunction(Names.Fold64)};
    View Known(*I.Body, Out);
    // Of the use: behind a loop that lanes leave one by one, its counter is no more the same for all.
    cutAtTakes(*I.Body, [&](const Use &U) { return !Known.Uniform->isDivergentUse(U); }, Out);
  }
  while (cutAtSteps(View(*I.Body, Out), Out, I.BySubGroups))
    ;
  while (I.BySubGroups && cutAtJoins(*I.Body, View(*I.Body, Out), Out))
    ;
  // Cuts for speed alone, as many as part nobody.
  const bool InStrips = mayBeStrips(I, Out);
  while ([&] {
    const View Known(*I.Body, Out);
    Strides Steps(Known);
    return sinkGuard(Known, Out, [&](const Loop &L) { return mayBeCut(L, Known, Out, Steps, InStrips); });
  }())
    ;
  const Pieces Needed = Out;
  for (bool Guarded : {true, false}) {
    if (Guarded)
      cutAtGuardedLoops(*I.Body, Out, Needed, InStrips);
    while (cutAtEnds(*I.Body, View(*I.Body, Out), Out))
      ;
    cutAtLoops(View(*I.Body, Out), Out, InStrips);
    while (cutAtAtomics(View(*I.Body, Out), Out))
      ;
    while (cutAtDecisions(View(*I.Body, Out), Out))
      ;
    if (Out.Starts.size() == Needed.Starts.size() || !partsAtOwn(*I.Body, Out, Needed))
      break;
    Out = Needed;
  }
  makeAgain(*I.Body, View(*I.Body, Out), Out);
  View V(*I.Body, Out);
  for (BasicBlock *Start : Out.Starts)
    if (mayPart(Start, V, Out))
      Out.MayPart.insert(Start);
  Keep(I, V, Out).run();
  return Out;
}

} // namespace aspen::items
