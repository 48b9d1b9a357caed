// Values that a piece makes anew in place of keeping them: arithmetic of ids and of what all items have in common.
//
// What lives from one piece to the next is in memory, one place for each item. A number that is loaded from there is any number to LLVM, and what lies where it
// says has to be gathered; made anew it grows from item to item, and the items' places are neighbours. The way is known as rematerialization (Briggs, Cooper
// and Torczon, 1992).

#include "view.h"

#include "llvm/IR/InstIterator.h"
#include <map>

namespace aspen::items {
namespace {

// Instructions that are made again for one value.
constexpr size_t MaxAgain = 12;

class Again {
public:
  Again(Function &F, const View &V, const Pieces &P) : F(F), V(V), Prelude(&F.getEntryBlock()) {
    for (BasicBlock *Start : P.Starts)
      Regions.push_back(blocksOf(Start, P));
  }

  void run() {
    SmallVector<std::pair<Instruction *, SmallVector<Use *, 4>>, 16> Found;
    for (Instruction &I : instructions(F)) {
      SmallVector<Use *, 4> Crossing;
      SmallPtrSet<const Instruction *, 16> Needed;
      if (I.getParent() == Prelude || !isCheap(I) || V.Uniform->isUniform(&I))
        continue;
      for (Use &U : I.uses())
        if (crosses(I, blockOf(U)))
          Crossing.push_back(&U);
      if (!Crossing.empty() && canMake(I, Needed))
        Found.push_back({&I, std::move(Crossing)});
    }
    SmallVector<std::pair<Use *, Instruction *>, 16> New; // put in when all are made of what there was
    for (auto &[I, Uses] : Found)
      for (Use *U : Uses) {
        BasicBlock *To = blockOf(*U);
        const bool AtEnd = isa<PHINode>(U->getUser());
        auto [Found, IsNew] = Made.try_emplace({To, AtEnd});
        if (IsNew)
          Found->second.At = AtEnd ? To->getTerminator()->getIterator() : To->getFirstInsertionPt();
        New.push_back({U, made(*I, *To, Found->second)});
      }
    for (auto [U, Is] : New)
      U->set(Is);
  }

private:
  // What is made at a block's beginning or end, in front of an instruction of its own.
  struct Copies {
    DenseMap<const Instruction *, Instruction *> Of;
    BasicBlock::iterator At;
  };

  static BasicBlock *blockOf(const Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    return Phi ? Phi->getIncomingBlock(U) : User->getParent();
  }

  // Whether some piece has the use and not what is used.
  bool crosses(const Instruction &I, BasicBlock *Used) const {
    return Used != Prelude && any_of(Regions, [&](const Blocks &Region) { return Region.contains(Used) && !Region.contains(const_cast<BasicBlock *>(I.getParent())); });
  }

  // What every piece has: what the entry makes anew in each, and what is kept once for all items.
  bool isKnown(const Value *Of) const {
    const auto *I = dyn_cast<Instruction>(Of);
    return !I || I->getParent() == Prelude || (V.Uniform->isUniform(I) && V.together(I->getParent()));
  }

  bool canMake(const Instruction &I, SmallPtrSetImpl<const Instruction *> &Needed) const {
    if (!isCheap(I) || Needed.size() == MaxAgain)
      return false;
    return !Needed.insert(&I).second || all_of(I.operands(), [&](const Value *Of) { return isKnown(Of) || canMake(*cast<Instruction>(Of), Needed); });
  }

  Instruction *made(Instruction &I, BasicBlock &To, Copies &Here) {
    if (Instruction *Known = Here.Of.lookup(&I))
      return Known;
    Instruction *Copy = I.clone();
    for (Use &U : Copy->operands())
      if (auto *From = dyn_cast<Instruction>(U.get()); From && !isKnown(From))
        U.set(made(*From, To, Here));
    Copy->insertInto(&To, Here.At);
    return Here.Of[&I] = Copy;
  }

  Function &F;
  const View &V;
  BasicBlock *Prelude;
  SmallVector<Blocks, 8> Regions;
  std::map<std::pair<BasicBlock *, bool>, Copies> Made; // and whether it is the end
};

} // namespace

void makeAgain(Function &F, const View &V, const Pieces &P) { Again(F, V, P).run(); }

} // namespace aspen::items
