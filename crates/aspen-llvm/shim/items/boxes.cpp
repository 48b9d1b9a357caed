// Kernels that loop over the items of a box by themselves, for each level of the processor.
//
// clang leaves these loops to the link (include/sycl/detail/kernel_entry.hpp): vectors are made where it is known for which processor. So an
// image has its own entry, and as for groups a copy of it for each level. docs/decisions/0041.

#include "item_loop.h"
#include "items.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

constexpr const char *Width = "llvm.loop.vectorize.width", *Interleaved = "llvm.loop.interleave.count", *NotUnrolled = "llvm.loop.unroll.disable";

// What run_single_task and run_range say of their loop over a row, and nobody else does.
bool isRow(const Loop &L) {
  return getOptionalIntLoopAttribute(&L, Width) == 1 && getOptionalIntLoopAttribute(&L, Interleaved) == 1 && getBooleanLoopAttribute(&L, NotUnrolled);
}

// Whether its items are told to be independent: a row of a range, and no single task.
bool isOfRange(const Loop &L) {
  return isRow(L) && L.getLoopID() && findOptionMDForLoopID(L.getLoopID(), "llvm.loop.parallel_accesses");
}

} // namespace

Function *makeBoxes(Function &Entry, const Twine &Name) {
  if (Entry.arg_size() != 2 || Entry.hasFnAttribute(Attribute::SanitizeAddress) || Entry.hasFnAttribute(Attribute::OptimizeNone))
    return nullptr;
  LoopInfo Loops{DominatorTree(Entry)};
  // The rest of a single task's code gains nothing from the levels.
  if (none_of(Loops.getLoopsInPreorder(), [&](const Loop *L) { return isOfRange(*L) || (isRow(*L) && !L->isInnermost()); }))
    return nullptr;
  Module &M = *Entry.getParent();
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::get(C, 0);
  auto *F = Function::Create(FunctionType::get(Type::getInt32Ty(C), {Pointer, Pointer, Pointer}, false), GlobalValue::InternalLinkage, Name, M);
  ValueToValueMapTy Map;
  for (unsigned A = 0; A < 2; ++A)
    Map[Entry.getArg(A)] = F->getArg(A);
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(F, &Entry, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  for (ReturnInst *Return : Returns) {
    ReturnInst::Create(C, ConstantInt::get(F->getReturnType(), 0), Return->getIterator());
    Return->eraseFromParent();
  }
  F->setCallingConv(CallingConv::C);
  F->setComdat(nullptr);
  F->setDSOLocal(true); // the kernel, whose attributes were copied, is not
  return F;
}

void openRows(Function &F) {
  keepPrivateMemoryApart(F);
  LoopInfo Loops{DominatorTree(F)};
  for (Loop *L : Loops.getLoopsInPreorder())
    if (isOfRange(*L)) {
      // Functions that were inlined have left remarks, which clang knew nothing of.
      MDNode *Group = cast<MDNode>(findOptionMDForLoop(L, "llvm.loop.parallel_accesses")->getOperand(1));
      for (BasicBlock *B : L->blocks())
        for (Instruction &I : *B)
          if (isRemark(I))
            I.setMetadata(LLVMContext::MD_access_group, Group);
      L->setLoopID(makePostTransformationMetadata(F.getContext(), L->getLoopID(), {Width, Interleaved, NotUnrolled}, {}));
    }
}

} // namespace aspen::items
