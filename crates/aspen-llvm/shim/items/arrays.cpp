// Private arrays: `float path[80]; for (i …) path[i] = …`.
//
// An array of each item's own lies in one piece, so that neighbouring items' elements are far apart, and a loop over items gathers them one by one. If all that
// is done with an array are loads and stores of elements of one size, element by element all items that run together may have theirs side by side: what
// lies `offset` bytes behind an array's begin is then `offset` times their number behind the item's first element. Before anything is cut, accesses
// get a form that says the offset: `getelementptr i8, array, offset`. The way is that of OpenCL's drivers for processors, and of GPUs' local memory.

#include "items.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Elements that are filled or copied one after the other; more are in a loop.
constexpr uint64_t MaxInARow = 8;

// The bytes of an array, and of all of an item: what loops then are cut for has to be in a frame, and in a cache.
constexpr uint64_t MaxArray = 4 << 10, MaxArrays = 8 << 10;

// What is done with an array, if that is known of all.
struct Uses {
  SmallVector<Instruction *, 16> Accesses; // loads and stores
  SmallVector<MemIntrinsic *, 4> Whole;
  SmallVector<GetElementPtrInst *, 16> Addresses;
  uint64_t Element = 0;
};

std::optional<Uses> usesOf(AllocaInst &Array, const DataLayout &Layout) {
  Uses Out;
  SmallVector<Value *, 16> Open{&Array};
  while (!Open.empty())
    for (Use &U : Open.pop_back_val()->uses()) {
      auto *User = dyn_cast<Instruction>(U.getUser());
      if (auto *Address = dyn_cast_or_null<GetElementPtrInst>(User); Address && !Address->getType()->isVectorTy()) {
        Out.Addresses.push_back(Address);
        Open.push_back(Address);
      } else if (auto *Memory = dyn_cast_or_null<MemIntrinsic>(User); Memory && !Memory->isVolatile() && isa<ConstantInt>(Memory->getLength())) {
        if (!is_contained(Out.Whole, Memory))
          Out.Whole.push_back(Memory);
      } else if (User && getLoadStorePointerOperand(User) == U.get() && U.getOperandNo() == (isa<StoreInst>(User) ? 1u : 0u) && !User->isVolatile() &&
                 !User->isAtomic()) {
        Type *T = getLoadStoreType(User);
        const uint64_t Size = Layout.getTypeStoreSize(T);
        if (T->isVectorTy() || !isPowerOf2_64(Size) || Size > 16 || (Out.Element && Size != Out.Element))
          return std::nullopt;
        Out.Element = Size;
        Out.Accesses.push_back(User);
      } else {
        return std::nullopt; // where its address goes, nobody knows
      }
    }
  if (!Out.Element)
    return std::nullopt;
  auto AreWhole = [&](const GetElementPtrInst *Address) {
    SmallMapVector<Value *, APInt, 4> Variable;
    APInt Constant(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
    return Address->collectOffset(Layout, Constant.getBitWidth(), Variable, Constant) && Constant.urem(Out.Element) == 0 &&
           all_of(Variable, [&](const auto &Part) { return Part.second.urem(Out.Element) == 0; });
  };
  auto IsOfElements = [&](const MemIntrinsic *Memory) {
    if (cast<ConstantInt>(Memory->getLength())->getZExtValue() % Out.Element != 0)
      return false;
    const auto *Set = dyn_cast<MemSetInst>(Memory);
    return Set ? isa<ConstantInt>(Set->getValue()) : isa<MemCpyInst>(Memory);
  };
  if (!all_of(Out.Addresses, AreWhole) || !all_of(Out.Whole, IsOfElements))
    return std::nullopt;
  return Out;
}

// What a memset or memcpy does, element by element.
void takeApart(MemIntrinsic &Memory, uint64_t Element) {
  const uint64_t Count = cast<ConstantInt>(Memory.getLength())->getZExtValue() / Element;
  auto *T = IntegerType::get(Memory.getContext(), Element * 8);
  auto Move = [&](IRBuilder<> &B, Value *Offset) {
    Value *To = B.CreatePtrAdd(Memory.getRawDest(), Offset), *From = nullptr;
    if (auto *Set = dyn_cast<MemSetInst>(&Memory))
      From = ConstantInt::get(T, APInt::getSplat(Element * 8, cast<ConstantInt>(Set->getValue())->getValue()));
    else
      From = B.CreateAlignedLoad(T, B.CreatePtrAdd(cast<MemCpyInst>(Memory).getRawSource(), Offset), Align(1));
    B.CreateAlignedStore(From, To, Align(1));
  };
  if (Count <= MaxInARow) {
    IRBuilder<> B(&Memory);
    for (uint64_t N = 0; N < Count; ++N)
      Move(B, B.getInt64(N * Element));
  } else {
    BasicBlock *Before = Memory.getParent(), *Behind = SplitBlock(Before, &Memory);
    auto *Turn = BasicBlock::Create(Memory.getContext(), "elements", Before->getParent(), Behind);
    Before->getTerminator()->setSuccessor(0, Turn);
    IRBuilder<> B(Turn);
    PHINode *Offset = B.CreatePHI(B.getInt64Ty(), 2);
    Offset->addIncoming(B.getInt64(0), Before);
    Move(B, Offset);
    Value *Next = B.CreateNUWAdd(Offset, B.getInt64(Element));
    Offset->addIncoming(Next, Turn);
    B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Count * Element)), Behind, Turn);
  }
  Memory.eraseFromParent();
}

// Has an access say how far from the array's begin it is.
void sayOffset(Instruction &Access, AllocaInst &Array, uint64_t Element, const DataLayout &Layout) {
  const unsigned Operand = isa<StoreInst>(Access) ? StoreInst::getPointerOperandIndex() : LoadInst::getPointerOperandIndex();
  IRBuilder<> B(&Access);
  Value *Offset = B.getInt64(0);
  for (Value *Of = Access.getOperand(Operand); Of != &Array; Of = cast<GetElementPtrInst>(Of)->getPointerOperand())
    Offset = B.CreateAdd(Offset, B.CreateSExtOrTrunc(emitGEPOffset(&B, Layout, cast<GetElementPtrInst>(Of), /*NoAssumptions=*/true), B.getInt64Ty()));
  const auto *Constant = dyn_cast<ConstantInt>(Offset);
  Access.setOperand(Operand, Constant && Constant->isZero() ? static_cast<Value *>(&Array) : B.CreatePtrAdd(&Array, Offset, "element"));
  // Of an item's element no more is known than that.
  if (auto *Load = dyn_cast<LoadInst>(&Access))
    Load->setAlignment(std::min(Load->getAlign(), Align(Element)));
  else
    cast<StoreInst>(Access).setAlignment(std::min(cast<StoreInst>(Access).getAlign(), Align(Element)));
}

} // namespace

bool mayLieApart(AllocaInst &Array) {
  const DataLayout &Layout = Array.getDataLayout();
  return Array.isStaticAlloca() && Array.getAllocatedType()->isAggregateType() && Array.getAllocationSize(Layout)->getFixedValue() <= MaxArray &&
         usesOf(Array, Layout);
}

Elements layArrays(Function &Body) {
  const DataLayout &Layout = Body.getDataLayout();
  Elements Found;
  SmallVector<AllocaInst *, 8> Arrays;
  uint64_t Bytes = 0;
  for (Instruction &I : Body.getEntryBlock())
    if (auto *Array = dyn_cast<AllocaInst>(&I); Array && mayLieApart(*Array))
      if (const uint64_t Own = Array->getAllocationSize(Layout)->getFixedValue(); Bytes + Own <= MaxArrays) {
        Bytes += Own;
        Arrays.push_back(Array);
      }
  for (AllocaInst *Array : Arrays) {
    // What copies one array into another is an access of both once it is taken apart.
    auto Known = usesOf(*Array, Layout);
    if (!Known)
      continue;
    for (MemIntrinsic *Memory : Known->Whole)
      takeApart(*Memory, Known->Element);
    Known = usesOf(*Array, Layout);
    if (!Known)
      continue;
    for (Instruction *Access : Known->Accesses)
      sayOffset(*Access, *Array, Known->Element, Layout);
    for (GetElementPtrInst *Address : reverse(Known->Addresses))
      if (Address->use_empty())
        Address->eraseFromParent();
    Found[Array] = Known->Element;
  }
  return Found;
}

Value *offsetIn(const Elements &Of, Value *Address) {
  if (auto *Array = dyn_cast<AllocaInst>(Address); Array && Of.contains(Array))
    return ConstantInt::get(Type::getInt64Ty(Address->getContext()), 0);
  auto *In = dyn_cast<GetElementPtrInst>(Address);
  auto *Array = In ? dyn_cast<AllocaInst>(In->getPointerOperand()) : nullptr;
  return Array && Of.contains(Array) ? In->getOperand(1) : nullptr;
}

} // namespace aspen::items
