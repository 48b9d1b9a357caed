// Items that wait for nobody, but are cut so that loops over items are the innermost ones: they run strip by strip.
//
// A strip is some items of a row. It runs all pieces before the next one begins, so that what items keep from piece to piece need not go through
// memory: with a constant number of items each loop over them is a few vector instructions, and what they keep is in vector registers
// (placeInRegisters). What is left over at a row's end runs in the same way, but keeps what it does in the frame; and so does a group of shorter
// rows, all at once. The way is known as strip mining (Loveman, "Program Improvement by Source-to-Source Transformation", 1977).

#include "builder.h"
#include "item_loop.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// The items of a strip: as many as keep so many bytes in a loop that all run alike, in these bounds. With fewer, processors wait for results that
// the next turn needs; with more, registers do not suffice.
constexpr uint64_t StripBytes = 3072, ArrayBytes = 24 << 10, MinStrip = 32, MaxStrip = 128;

// Vectors, and instructions of what they become, at most.
constexpr unsigned MaxVectors = 16;
constexpr size_t MaxUnrolled = 2000;

} // namespace

PreservedAnalyses UnrollStrips::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !lanesOf(*L) || !getBooleanLoopAttribute(L, "llvm.loop.isvectorized"))
      continue;
    const unsigned Turns = SE.getSmallConstantTripCount(L);
    if (Turns > 1 && Turns <= MaxVectors && Turns * lengthOf(*L) <= MaxUnrolled)
      addStringMetadataToLoop(L, "llvm.loop.unroll.full");
  }
  return PreservedAnalyses::all();
}

bool mayBeStrips(const Item &I, const Pieces &P) {
  return !I.BySubGroups && P.Places.empty() && (I.WorkGroup[2] == 0 || I.WorkGroup[2] >= MinStrip);
}

unsigned lanesOfStrip(const Item &I, const Pieces &P) {
  if (!mayBeStrips(I, P) || P.Starts.size() == 1)
    return 0;
  uint64_t Most = 1;
  for (BasicBlock *Start : P.Starts) {
    const auto Blocks = blocksOf(Start, P);
    if (none_of(Blocks, [&](BasicBlock *B) { return is_contained(successors(B), Start); }))
      continue;
    SmallPtrSet<const AllocaInst *, 8> Read;
    for (BasicBlock *B : Blocks)
      for (Instruction &I : *B)
        if (auto *Load = dyn_cast<LoadInst>(&I))
          if (auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand()); Variable && is_contained(P.PerItem, Variable))
            Read.insert(Variable);
    uint64_t Bytes = 0;
    for (const AllocaInst *Variable : Read)
      Bytes += Variable->getAllocationSize(I.Body->getDataLayout())->getFixedValue();
    Most = std::max(Most, Bytes);
  }
  // What arrays have of all of them should be in the first cache.
  uint64_t Arrays = 1;
  for (auto [Array, Element] : P.Apart)
    Arrays += Array->getAllocationSize(I.Body->getDataLayout())->getFixedValue();
  const uint64_t Wanted = std::min(llvm::bit_floor(StripBytes / Most), llvm::bit_floor(ArrayBytes / Arrays));
  const uint64_t Lanes = std::clamp(Wanted, MinStrip, MaxStrip), Row = I.WorkGroup[2];
  return Row ? std::min(Lanes, llvm::bit_floor(Row)) : Lanes;
}

void Builder::beginStrips(IRBuilder<> &B) {
  Value *Lanes = B.getInt64(From.Lanes), *Zero = B.getInt64(0), *One = B.getInt64(1);
  // A group of short rows is one strip.
  Value *IsNarrow = B.CreateICmpULT(Columns, Lanes);
  RowsOfStrip = B.CreateSelect(IsNarrow, Rows, One);
  BasicBlock *Entry = B.GetInsertBlock(), *Row = BasicBlock::Create(C, "strips", G), *Strip = BasicBlock::Create(C, "strip", G);
  auto *RowEnd = BasicBlock::Create(C, "strips.end", G);
  End = BasicBlock::Create(C, "strip.end", G);
  B.CreateBr(Row);

  B.SetInsertPoint(Row);
  PHINode *RowAt = B.CreatePHI(Word, 2, "row");
  RowAt->addIncoming(Zero, Entry);
  FirstRow = RowAt;
  FirstAt[0] = B.CreateUDiv(RowAt, Middle);
  FirstAt[1] = B.CreateSub(RowAt, B.CreateMul(FirstAt[0], Middle));
  Value *FirstOfRow = B.CreateNUWMul(RowAt, Columns);
  B.CreateBr(Strip);

  B.SetInsertPoint(Strip);
  PHINode *Column = B.CreatePHI(Word, 2, "column");
  Column->addIncoming(Zero, Row);
  FirstColumn = FirstAt[2] = Column;
  First = B.CreateNUWAdd(FirstOfRow, Column);
  Value *Left = B.CreateNUWSub(Columns, Column), *IsFull = B.CreateICmpUGE(Left, Lanes);
  if (const uint64_t Row = From.WorkGroup[2]; Row && Row % From.Lanes == 0)
    IsFull = B.getTrue();
  Length = B.CreateSelect(IsFull, Lanes, Left);
  Size = B.CreateNUWMul(Length, RowsOfStrip, "size");
  BasicBlock *Start = P.Starts.front();
  if (isa<Constant>(IsFull))
    B.CreateBr(headOf({Start, Full}));
  else
    B.CreateCondBr(IsFull, headOf({Start, Full}), headOf({Start, All}));

  B.SetInsertPoint(End);
  Value *EndColumn = B.CreateNUWAdd(Column, Length);
  Column->addIncoming(EndColumn, End);
  B.CreateCondBr(B.CreateICmpEQ(EndColumn, Columns), RowEnd, Strip);

  B.SetInsertPoint(RowEnd);
  Value *EndRow = B.CreateNUWAdd(RowAt, RowsOfStrip);
  RowAt->addIncoming(EndRow, RowEnd);
  B.CreateCondBr(B.CreateICmpEQ(EndRow, Rows), Done, Row);
}

} // namespace aspen::items
