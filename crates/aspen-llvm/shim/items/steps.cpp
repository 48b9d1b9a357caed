// Lanes in step, where programs count on it.
//
// One place of an array that lanes write or read by their own numbers is accessed for all, or by one of them, without a barrier between:
// `t[lane] = x; if (lane == 0) t[31] = sum;`. On GPUs and in vectors all lanes do the first before one does the second. Here a lane would do both
// before the next one does either, so the item is cut between them. The same goes for one place that some lanes write, and what others do there, and for
// what lanes read of others a step away: `t[lane] = x; y = t[lane + 16];`, `t[lane] += t[lane - 1];`.
// It is a race in SYCL; oneDPL's scans have it, and programs that were written for warps. Kernels that use their sub-groups count on such steps in all memory, others
// in the group's. What is cut without need costs a loop over the items, never a result. docs/decisions/0066.

#include "lane_places.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Accesses of a piece that are compared with each other.
constexpr size_t MaxStepped = 256;

// Instructions, one of the other, that a place is made of.
constexpr unsigned MaxOfPlace = 6;

// Bytes of a copy that is read and written in one go.
constexpr uint64_t MaxCopied = 64;

bool isInLocalMemory(const Value &Place, const Function &F) { return isLocalMemory(*getUnderlyingObject(&Place, /*MaxLookup=*/0), F); }

// Whether there is a way in a piece, whose first block it does not come to again.
bool leadsTo(BasicBlock *From, const BasicBlock *To, const Blocks &Piece) {
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Open{From};
  while (!Open.empty())
    for (BasicBlock *Next : successors(Open.pop_back_val())) {
      if (Next == To)
        return true;
      if (Next != Piece.front() && Piece.contains(Next) && Seen.insert(Next).second)
        Open.push_back(Next);
    }
  return false;
}

// What places are of: a local accessor's memory, if it is known whose, else what pointers begin at.
const Value *objectOf(const Value *Place, const Function &F, const View &V) {
  while (const auto *Element = dyn_cast<GEPOperator>(Place = broughtBy(Place))) {
    const Value *Of = broughtBy(Element->getPointerOperand());
    if (isLocalMemory(*Of, F) && !Element->hasAllConstantIndices())
      return V.Uniform->isUniform(Element) ? Element : Of;
    Place = Of;
  }
  return getUnderlyingObject(Place, /*MaxLookup=*/0);
}

// Whether a place is chosen by a number from the group's memory.
bool isByTable(const Value *Place, const Function &F, unsigned Depth = 0) {
  const auto *I = dyn_cast<Instruction>(broughtBy(Place));
  if (const auto *Load = dyn_cast_if_present<LoadInst>(I))
    return Depth && isInLocalMemory(*Load->getPointerOperand(), F);
  return I && Depth < MaxOfPlace && isa<GetElementPtrInst, CastInst, BinaryOperator>(I) &&
         any_of(I->operands(), [&](const Value *Of) { return isByTable(Of, F, Depth + 1); });
}

// A copy from a place of the group's memory to another one reads before it writes.
bool partCopies(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemCpyInst>(&I);
    const auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
    if (!Length || Length->isZero() || Copy->isVolatile() || Length->getValue().ugt(MaxCopied) || !isInLocalMemory(*Copy->getRawSource(), F) || !isInLocalMemory(*Copy->getRawDest(), F))
      continue;
    IRBuilder<> B(Copy);
    Value *Taken = B.CreateAlignedLoad(FixedVectorType::get(B.getInt8Ty(), Length->getZExtValue()), Copy->getRawSource(), Copy->getSourceAlign());
    B.CreateAlignedStore(Taken, Copy->getRawDest(), Copy->getDestAlign());
    Copy->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

struct Access {
  Instruction *At;
  const Value *Object;
  bool One, Writes, ByAll; // one place for all; whether all lanes come there
  bool Near, Volatile;     // whether it is in the group's memory
  const Value *place() const { return getLoadStorePointerOperand(At); }
};

// Whether programs may count on the first one being done by all lanes before one does the second. Lanes go in order, so that nobody finds what one behind it is to
// write.
class Steps {
public:
  Steps(const Function &F, const View &V, bool BySubGroups) : F(F), Places(F, V), BySubGroups(BySubGroups) {}

  // `All`: the accesses of their piece.
  bool areApart(const Access &First, const Access &Then, ArrayRef<Access> All) const {
    if (!(First.Writes || Then.Writes) || (First.Object != Then.Object && !(First.Near && Then.Near && (isa<LoadInst>(First.Object) || isa<LoadInst>(Then.Object)))))
      return false;
    // Volatile numbers in the group's memory are how programs say it themselves.
    if (First.Near && First.Volatile && Then.Volatile)
      return First.One || Then.One || Places.isBehind(First.place(), Then.place()) || !(Places.isOwn(First.place()) && Places.isOwn(Then.place()));
    if (First.One && Then.One)
      return BySubGroups && ((First.Writes && !First.ByAll) || (Then.Writes && !Then.ByAll));
    if (First.One || Then.One)
      return BySubGroups || (First.Near && Then.One && First.Writes && !Then.Writes && !Then.ByAll);
    if (First.Writes == Then.Writes)
      return false;
    // Of what is put in order in its own place all is read before any of it is written.
    if (First.Near && (Places.isKnown(First.place()) ? isByTable(Then.place(), F) : Places.isKnown(Then.place()) && isByTable(First.place(), F)))
      return true;
    if (!Places.isBehind(First.place(), Then.place()))
      return false;
    // Who writes both places, as for an exchange, knows that no other lane does.
    auto IsWritten = [&](const Access &Place) {
      return any_of(All, [&](const Access &A) { return A.Writes && A.Object == Place.Object && Places.isSame(A.place(), Place.place()); });
    };
    return BySubGroups || (First.Near && !(IsWritten(First) && IsWritten(Then)));
  }

private:
  const Function &F;
  const LanePlaces Places;
  const bool BySubGroups;
};

// The place where all come together in front of an instruction: guards around it are split, one after the other. Null if one cannot be.
Instruction *meetAt(Instruction *Where, const View &V, const Pieces &P, bool &Changed) {
  if (V.together(Where->getParent()))
    return Where;
  Instruction *Met = splitGuard(*Where, V, P);
  if (!Met)
    return nullptr;
  Changed = true;
  return meetAt(Met, View(*Met->getFunction(), P), P, Changed);
}

} // namespace

void eraseMarksOfSteps(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (const auto *Call = dyn_cast<IntrinsicInst>(&I); Call && Call->getIntrinsicID() == Intrinsic::sideeffect && Call->isConvergent())
      I.eraseFromParent();
}

bool cutAtSteps(const View &V, Pieces &Out, bool BySubGroups) {
  Function &F = *Out.Starts.front()->getParent();
  if (partCopies(F))
    return true;
  const Steps Knows(F, V, BySubGroups);
  for (BasicBlock *Start : Out.Starts) {
    const Blocks Piece = blocksOf(Start, Out);
    SmallVector<Access, 16> All;
    for (BasicBlock *B : Piece)
      for (Instruction &I : *B)
        if (Value *Pointer = getLoadStorePointerOperand(&I)) {
          const Value *Object = objectOf(Pointer, F, V);
          const bool Near = isInLocalMemory(*Object, F);
          if (!isa<AllocaInst>(Object) && (Near || BySubGroups) && All.size() < MaxStepped)
            All.push_back({&I, Object, V.Uniform->isUniform(broughtBy(Pointer)), isa<StoreInst>(I), V.together(B), Near, I.isVolatile()});
        }
    for (const Access &Then : All)
      for (const Access &First : All) {
        if (!Knows.areApart(First, Then, All))
          continue;
        auto Comes = [&](const Instruction *To) {
          BasicBlock *const From = First.At->getParent();
          const BasicBlock *const At = To->getParent();
          return From != At ? At != Start && !V.Before.dominates(At, From) && leadsTo(From, At, Piece) : First.At->comesBefore(To);
        };
        // As far up from it as all lanes come there, but behind the other one.
        Instruction *Where = Then.At;
        while (!V.together(Where->getParent())) {
          const DomTreeNode *Node = V.Before.getNode(Where->getParent());
          BasicBlock *const Up = Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
          if (!Up || !Piece.contains(Up) || !Comes(Up->getTerminator()))
            break;
          Where = Up->getTerminator();
        }
        if (!Comes(Where) || ((!Then.Near || First.One || Then.One) && inWholeLoop(Where->getParent(), V, Out)))
          continue;
        // In global memory only in front of a further guard: LLVM makes `if (l < 7) { A; if (l == 1) B; }` of two that follow each other.
        if (!V.together(Where->getParent()) && !Then.Near && Where == Then.At)
          continue;
        if (!mayCut(Out))
          return false;
        if (!canSplitGuards(*Where->getParent(), V, Out)) { // or they would be split again and again, for nothing
          if (Instruction *Met = Then.Near ? splitWays(*Where, V, Out) : nullptr) {
            Out.Starts.insert(SplitBlock(Met->getParent(), Met->getIterator()));
            return true;
          }
          continue;
        }
        bool Changed = false;
        if (Instruction *Met = meetAt(Where, V, Out, Changed)) {
          Out.Starts.insert(SplitBlock(Met->getParent(), Met->getIterator()));
          return true;
        }
        if (Changed) {
          Out.Bounded = true;
          return true;
        }
      }
  }
  return false;
}

} // namespace aspen::items
