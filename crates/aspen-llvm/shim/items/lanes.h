// Loops that end after another number of turns in each item: what finding (lane_loops.cpp) and weighing (lane_gains.cpp) share.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class LoadInst;
class Loop;
class LoopInfo;
class TargetTransformInfo;
class Type;
class Value;
} // namespace llvm

namespace aspen::items {

// A type that a lane of a vector may have.
bool isNumber(const llvm::Type *T);

// Whether each lane may read a place of its own, all of them together: of a size that processors do so for, and of which the loop over items is known to be independent.
bool isGathered(const llvm::LoadInst &Load);

// How a processor with so many bits in a vector reads for lanes: not at all, by AVX2's instruction, or by LLVM's gather.
enum class LaneReads { None, Slow, Quick };
LaneReads readsOfLanes(const llvm::TargetTransformInfo &TTI, const llvm::LoadInst &Load, unsigned Bits);

// What lanes read that the mask has, at places of their own, by LLVM's gather or by AVX2's instruction.
llvm::Value *readByLanes(llvm::IRBuilder<> &B, const llvm::LoadInst &Load, llvm::Value *Places, llvm::Value *Mask, bool HasGathers);

// The loop over items that it is in; null if it is in none.
const llvm::Loop *itemsOf(const llvm::Loop &L);

// Gives all loops the form that what follows asks for.
void simplifyLoops(llvm::DominatorTree &DT, llvm::LoopInfo &LI);

// Headers of loops over items.
using ItemLoops = llvm::SmallPtrSet<const llvm::BasicBlock *, 8>;

// Those whose inner loops are better computed for a vector of items, all of them; with so many bits in a vector. Simplifies loops.
ItemLoops worthwhileInLanes(llvm::Function &F, const llvm::TargetTransformInfo &TTI, unsigned Bits);

} // namespace aspen::items
