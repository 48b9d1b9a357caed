// Items that step through memory: what is known of such a nest of loops (turns.cpp), and how one whose items do more than that is changed (turn_strips.cpp).
#pragma once

#include "item_loop.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

namespace aspen::items {

using namespace llvm;

// A loop over items around one in steps, of which it is known that both may change places.
struct Nest {
  Loop *Items, *Turns;
  PHINode *Column, *Number;
  SmallVector<PHINode *, 4> States; // what a turn keeps for the next one besides
  Value *Next; // the number of the next turn
  Walk Firsts; // what the first turn's number is of the items
  uint64_t Apart = 1;               // by how much that grows from item to item
  const SCEV *Begin, *Step, *Last;  // the first item's number; what is added; the last item
  const SCEV *Bound;                // where an item's turns end: at the less of
  const SCEV *End = nullptr;        //   what all have in common, if there is that,
  Walk Lasts;                       //   and what differs as their first numbers do, if there is that; of the first item
  const SCEV *Until = nullptr;      //     it is this
  CmpInst::Predicate Goes;          // the number, to Bound: whether there is another turn
  struct {
    const SCEV *More = nullptr, *Bound = nullptr;
    CmpInst::Predicate Goes;
  } Asked;                          // where a sum is asked: what is added to the number, the bound of that, and how it is asked
  unsigned Zeros = 0;               // the last bits that are 0 in all numbers
  bool IsPositive = false;          // the numbers, or zero
  BasicBlock *Guard = nullptr;      // asks the same of the first turn, if that is seen
  SmallVector<LoadInst *, 4> Alike; // what all items with turns read in one place before their turns
  bool InStrips = false;            // items do more than turns, or keep states: they go strip by strip
};

// What was made of it in front of the loops.
struct Measured {
  Value *Begin, *Step, *Last; // the first item's number; what is added; the last item, in 64 bits
  Value *End;                 // the bound that all have in common, or null
  Value *Begins, *Room;       // of the bound that differs: whether it leaves a turn, and how far it is from the first number; null if there is none

  // Whether an item whose first number is `First` has the turn that adds `By`, a multiple of the step; null: its first turn.
  Value *has(IRBuilder<> &B, CmpInst::Predicate Goes, Value *First, Value *By) const;
};

// The number that a loop goes on by as the comparison says, of it or of the next one; where its step and end are known, LLVM asks the former. If there is none,
// one that what is compared is made of. Null if there is neither.
PHINode *askedNumber(const Loop &M, const ICmpInst &Compare);

// Leaves one of what is the same number in a loop; in those of a loop over items it makes what is asked of the last one behind them a state. Whether it changed
// something.
bool oneNumber(Loop &L, const DominatorTree &DT);

// By how much an instruction of the inner loop shifts the number, or its sum with what the loop does not change, without losing more than the latter's last
// bits; 0 if it does something else.
unsigned shiftsNumber(const Nest &N, const Instruction &I);

// What such an instruction makes of the sum's other part, which may be null, and the number that has been shifted.
Value *shiftedNumber(IRBuilder<> &B, const Instruction &I, Value *Other, Value *Number);

// Puts the nest in turns strip by strip behind `Before`, where all is measured and nothing wraps around.
void takeTurnsInStrips(Nest &N, const Measured &Is, BasicBlock *Before);

} // namespace aspen::items
