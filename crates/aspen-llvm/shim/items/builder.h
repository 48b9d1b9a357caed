// The function that runs a group, while it is made: what group.cpp, ended.cpp and sub_groups.cpp share.
#pragma once

#include "items.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <map>
#include <tuple>

namespace aspen::items {

class Builder {
public:
  Builder(const Item &I, const Pieces &P, llvm::StringRef Name);
  llvm::Function *run(Frame &Frame);

private:
  // Which items a version of a piece is for: all; those that have not ended; all of a full sub-group that lies in one row, or of a full strip; all of
  // the group, before its sub-groups begin.
  enum Who : unsigned { All, NotEnded, Full, Whole };
  using Version = std::pair<llvm::BasicBlock *, unsigned>;
  using Ways = llvm::SmallSetVector<llvm::BasicBlock *, 4>;

  // A loop over items: of a row, inside the loop over the rows of a group; or of a sub-group.
  struct Loop {
    llvm::BasicBlock *Begin = nullptr; // where an item begins, with the loop's variables
    llvm::BasicBlock *After = nullptr;
    llvm::BasicBlock *Row = nullptr, *RowEnd = nullptr;
    llvm::PHINode *RowAt = nullptr, *At = nullptr; // the row, and the item in it or the lane
    llvm::PHINode *Position[3] = {};               // local ids of items in several rows of a sub-group
    llvm::Value *Of[Ids] = {};                     // what idOf tells apart
  };

  // group.cpp
  llvm::BasicBlock *headOf(Version V);
  // Where who leaves a piece goes on: another piece, null for the end.
  llvm::BasicBlock *targetOf(llvm::BasicBlock *To, unsigned Who);
  // The same if nobody waits there or before.
  llvm::BasicBlock *entryOf(llvm::BasicBlock *To, unsigned Who);
  void prelude(llvm::IRBuilder<> &B);
  void place(llvm::IRBuilder<> &B, Frame &Frame);
  llvm::Type *keptAs(llvm::AllocaInst *Variable) const;
  bool isOfItem(llvm::AllocaInst *Variable) const;
  uint64_t bytesOf(llvm::AllocaInst *Variable) const;
  llvm::Value *placeOf(llvm::IRBuilder<> &B, llvm::AllocaInst *Variable, llvm::Value *Number);
  llvm::Value *placeOf(llvm::IRBuilder<> &B, llvm::AllocaInst *Variable, const Loop &L, unsigned Who);
  // Of an array whose elements lie apart: the item's first one, and by how many the next one is further away.
  std::pair<llvm::Value *, llvm::Value *> elementsOf(llvm::IRBuilder<> &B, llvm::AllocaInst *Array, const Loop &L, unsigned Who);
  void placeInRegisters(llvm::IRBuilder<> &B);
  llvm::BasicBlock *leaveRegisters(llvm::BasicBlock *Start, llvm::BasicBlock *To);
  Loop openLoop(llvm::IRBuilder<> &B, llvm::BasicBlock *Head, unsigned Who);
  llvm::BranchInst *closeLoop(llvm::IRBuilder<> &B, Loop &L, unsigned Who, bool Once);
  void piece(Version V);
  bool reentered(llvm::BasicBlock *Start) const;
  void promise(llvm::BranchInst *Back, unsigned Who, llvm::ArrayRef<llvm::Instruction *> Own, llvm::ArrayRef<llvm::Instruction *> Copies);

  // takes.cpp
  struct Exchange {
    llvm::AllocaInst *Given = nullptr, *Taken = nullptr, *Amounts = nullptr;
  };
  bool partsAtTakes();
  Exchange &exchange(unsigned Number, unsigned Bits, unsigned Who);
  llvm::AllocaInst *commonAmounts(unsigned Number, unsigned Bits, unsigned Who);
  bool handOver(llvm::Instruction &I, llvm::Value *Lane, unsigned Who, bool SomeMayEnd, llvm::SmallVectorImpl<llvm::Instruction *> &Made);
  llvm::Value *takenByAll(llvm::IRBuilder<> &B, const Take &T, unsigned Who);
  void moveTaken(llvm::IRBuilder<> &B, Version V);

  // ended.cpp
  llvm::Value *flagOf(llvm::IRBuilder<> &B, llvm::Value *Linear);
  llvm::AllocaInst *running();
  llvm::Instruction *answer(llvm::Instruction &I, bool OfAll, bool Once, llvm::BasicBlock *Head);
  llvm::AllocaInst *asked();
  llvm::AllocaInst *falseAtEntry(const char *Name);
  bool isDoneOnce(llvm::BasicBlock *Start, const llvm::SmallSetVector<llvm::BasicBlock *, 16> &Blocks) const;

  static llvm::Value *endsHere(llvm::IRBuilder<> &B, const Ways &Ways, llvm::Value *Next);
  llvm::SmallVector<llvm::AllocaInst *, 4> count(llvm::IRBuilder<> &B, llvm::BasicBlock &Head, const Ways &Ways, llvm::Value *Next);
  void chooseByCounts(llvm::IRBuilder<> &B, Version V, const Ways &Ways, llvm::ArrayRef<llvm::AllocaInst *> Counts, bool SomeEnd,
                      llvm::AllocaInst *PassedBy);

  void stuck(llvm::IRBuilder<> &B, llvm::Value *One, llvm::Value *Other, llvm::Value *Result);

  // parted.cpp
  void findOrder();
  unsigned placeIn(llvm::BasicBlock *Start) const { return Order.lookup(Start); }
  // Keeps where a lane goes on from a piece, for settle.
  llvm::StoreInst *keepWay(llvm::IRBuilder<> &B, const Ways &Ways, llvm::Value *Next, llvm::Value *Lane);
  llvm::BasicBlock *settle();
  llvm::BasicBlock *meet(llvm::BasicBlock *To);
  void mayWaitAt(llvm::BasicBlock *Start);

  // skipped.cpp
  void openSkips();
  // In a piece: the item that was the last to pass by a barrier, plus 1. Null if none can.
  llvm::AllocaInst *watchSkips(llvm::ArrayRef<llvm::BasicBlock *> Blocks, const Ways &Ways, const llvm::ValueToValueMapTy &Map,
                               llvm::BasicBlock &Head, llvm::Value *Linear);
  void keepSkip(llvm::IRBuilder<> &B, llvm::AllocaInst *By, llvm::Value *Left);
  void confirmSkip(llvm::BasicBlock &Arrives, unsigned Number);
  void confirmSkips();
  void finish(llvm::IRBuilder<> &B);

  // strips.cpp
  void beginStrips(llvm::IRBuilder<> &B);
  // Whether a piece loops over lanes: of a sub-group, or of a full strip, which is like a full sub-group.
  bool isOverLanes(unsigned Who) const { return (From.BySubGroups && Who != Whole) || (From.ByStrips && Who == Full); }

  // sub_groups.cpp
  void findTogether();
  bool hasRounds() const { return From.BySubGroups && !P.AtGroup.empty(); }
  void beginSubGroups(llvm::IRBuilder<> &B);
  void endSubGroups();
  void openLanes(llvm::IRBuilder<> &B, llvm::BasicBlock *Head, Loop &L, unsigned Who);
  llvm::BranchInst *closeLanes(llvm::IRBuilder<> &B, Loop &L, unsigned Who, bool Once);
  llvm::BasicBlock *arrival(Version V);
  void leaveAlive(llvm::IRBuilder<> &B, llvm::Value *Ended);

  // Where allocas and what is made once for the group can still be put.
  llvm::IRBuilder<> atEntry() { return llvm::IRBuilder<>(G->getEntryBlock().getTerminator()); }

  const Item &From;
  const Pieces &P;
  const bool IsLong;
  llvm::Module &M;
  const llvm::DataLayout &Layout;
  llvm::LLVMContext &C;
  llvm::Type *Word;
  llvm::Function *G;
  llvm::Value *Columns = nullptr, *Middle = nullptr, *Rows = nullptr, *Items = nullptr;
  llvm::ValueToValueMapTy Common;
  llvm::SmallVector<llvm::Instruction *, 16> Varying;
  llvm::DenseMap<llvm::AllocaInst *, llvm::AllocaInst *> Now, Between;
  llvm::DenseMap<llvm::AllocaInst *, std::pair<llvm::Value *, uint64_t>> Places;
  // What each lane of a sub-group keeps: where in what all of its lanes keep, in bytes of each lane before it, and its bytes.
  llvm::DenseMap<llvm::AllocaInst *, std::pair<uint64_t, uint64_t>> InTile;
  uint64_t TileBytes = 0;      // of each lane
  // What the lanes of a full sub-group keep in variables of the function, where nobody else goes on with it.
  llvm::DenseMap<llvm::AllocaInst *, llvm::AllocaInst *> OfFull;
  llvm::Value *Tile = nullptr; // of the sub-group that runs
  llvm::DenseMap<Version, llvm::BasicBlock *> Heads;
  llvm::SmallVector<Version, 8> Open; // versions that are still to be made
  llvm::BasicBlock *Done = nullptr;   // the group has ended
  llvm::BasicBlock *End = nullptr;    // all have ended that run together
  bool Escapes = false;               // the address of a private variable may be anywhere
  uint64_t AfterPlaces = 0;
  llvm::Value *Flags = nullptr;        // of the items that have ended; null as long as none may
  llvm::AllocaInst *Running = nullptr; // how many have not, of those that run together
  llvm::AllocaInst *Asked = nullptr;   // what the group returns at its end
  llvm::AllocaInst *Skipped = nullptr, *SkippedAt = nullptr; // who passed by which barrier, from 1
  llvm::AllocaInst *Passed = nullptr; // who left where there is a barrier, to which nobody has come as yet; from 1

  // Lanes that part. By start: its number in the order in which those go on who are apart; empty if none part.
  llvm::DenseMap<llvm::BasicBlock *, unsigned> Order;
  llvm::AllocaInst *Goes = nullptr;   // where each lane of the sub-group goes on
  llvm::AllocaInst *Parked = nullptr; // how many lanes wait for others to come where they are
  llvm::AllocaInst *Waits = nullptr;  // one of them
  std::map<std::pair<unsigned, llvm::AllocaInst *>, llvm::AllocaInst *> OwnAmounts; // by number and what is shared
  llvm::BasicBlock *Settle = nullptr; // chooses who goes on
  llvm::SwitchInst *Chosen = nullptr; // by place
  llvm::DenseMap<llvm::BasicBlock *, llvm::BasicBlock *> Meets;

  // Of the strip that runs: the first row and column, and how many.
  llvm::Value *FirstRow = nullptr, *RowsOfStrip = nullptr, *FirstColumn = nullptr, *Length = nullptr;

  // Of the sub-group that runs: its number, first item, length, and where its first item lies. Of a strip the first item and the length.
  llvm::Value *Most = nullptr, *SubGroup = nullptr, *First = nullptr, *Size = nullptr;
  llvm::Value *FirstAt[3] = {};
  // Where sub-groups begin, and what comes before it for the whole group: pieces, what these keep, and their end.
  llvm::BasicBlock *Start = nullptr, *Together = nullptr;
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> KeptTogether;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> OfSubGroup; // what is made of an item's place in its sub-group, or of what only sub-groups keep
  llvm::BasicBlock *NextSubGroup = nullptr, *NextRound = nullptr;
  llvm::SwitchInst *Resume = nullptr;    // goes on with a sub-group behind a barrier of the group
  llvm::AllocaInst *State = nullptr;     // which case that is; 0 when the sub-group has ended
  llvm::AllocaInst *Alive = nullptr;     // items of the group that have not ended
  llvm::AllocaInst *Meeting = nullptr;   // the barrier of the group to which sub-groups have come, from 1
  llvm::AllocaInst *Round = nullptr;     // whether all have met before
  llvm::AllocaInst *Taken = nullptr;     // whether a sub-group has done in this round what is done once for the group
  llvm::DenseMap<Version, llvm::BasicBlock *> Arrivals;
  llvm::DenseMap<unsigned, llvm::Value *> TakenByAll; // by number, in the piece that is being made
  std::optional<bool> PartsAtTakes;
  std::map<std::tuple<unsigned, unsigned, bool>, Exchange> Exchanges; // by number, bits, and whether it is for full sub-groups
};

} // namespace aspen::items
