// Whether a kernel asks nothing of its work-groups: of an item no more than its global id, the global range and the offset. Groups that lie side by side may
// then run as one. docs/decisions/0085.

#include "items.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace aspen::items {

namespace {

// Whether so many bytes of aspen_cpu_item_t from there on are the same for an item whatever group it is in.
bool isOfTheRange(uint64_t Place, uint64_t Size) {
  for (unsigned Begin : {layout::GlobalId, layout::GlobalRange, layout::Offset})
    if (Place >= Begin && Place + Size <= Begin + 3 * 8)
      return true;
  return false;
}

bool asksOfTheRange(const Value &Item, uint64_t Place, const Names &Names, const DataLayout &Layout) {
  return all_of(Item.users(), [&](const User *Of) {
    if (const auto *Load = dyn_cast<LoadInst>(Of))
      return Load->isSimple() && isOfTheRange(Place, Layout.getTypeStoreSize(Load->getType()).getKnownMinValue());
    if (const auto *Inner = dyn_cast<GetElementPtrInst>(Of)) {
      APInt Step(Layout.getIndexTypeSizeInBits(Inner->getType()), 0);
      return Inner->accumulateConstantOffset(Layout, Step) && !Step.isNegative() &&
             asksOfTheRange(*Inner, Place + Step.getZExtValue(), Names, Layout);
    }
    const auto *Call = dyn_cast<CallInst>(Of);
    return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == Names.Enter;
  });
}

} // namespace

bool asksNoGroup(const Function &Body, const Names &Names) {
  const Module &M = *Body.getParent();
  const DataLayout &Layout = M.getDataLayout();
  // Who asks for the running item has it from a variable: `this_work_item::get_nd_item()`.
  const GlobalVariable *Current = M.getNamedGlobal(Names.Current);
  auto FromVariable = [&](const Instruction &I) {
    return !is_contained(I.operands(), Current) || all_of(I.users(), [&](const User *Of) {
      return isa<LoadInst>(Of) && Of->getType()->isPointerTy() && asksOfTheRange(*Of, 0, Names, Layout);
    });
  };
  return asksOfTheRange(*Body.getArg(1), 0, Names, Layout) && (!Current || all_of(instructions(Body), FromVariable));
}

} // namespace aspen::items
