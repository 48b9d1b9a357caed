// Items that step through memory: what is known of such a nest of loops (turns.cpp), and how one with states is changed (states.cpp).
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
  uint64_t Apart = 1;                    // by how much that grows from item to item
  const SCEV *Begin, *Step, *End, *Last; // the first item's number; what is added; the bound; the last item
  CmpInst::Predicate Goes;               // the number, to End: whether there is another turn
  unsigned Zeros = 0;                    // the last bits that are 0 in all numbers
  bool IsPositive = false;               // the numbers, or zero
  BasicBlock *Guard = nullptr;           // asks the same of the first turn, if that is seen
};

// What was made of it in front of the loops.
struct Measured {
  Value *Begin, *Step, *End, *Last; // the first item's number; what is added; the bound; the last item, in 64 bits
};

// By how much an instruction of the inner loop shifts the number, or its sum with what the loop does not change, without losing more than the latter's last
// bits; 0 if it does something else.
unsigned shiftsNumber(const Nest &N, const Instruction &I);

// What such an instruction makes of the sum's other part, which may be null, and the number that has been shifted.
Value *shiftedNumber(IRBuilder<> &B, const Instruction &I, Value *Other, Value *Number);

// Puts the nest with states in turns behind `Before`, where all is measured and nothing wraps around.
void takeTurnsWithStates(Nest &N, const Measured &Is, BasicBlock *Before);

} // namespace aspen::items
