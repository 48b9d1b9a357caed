// Private arrays: `float path[80]; for (i …) path[i] = …`.
//
// An array of each item's own lies in one piece, so that neighbouring items' elements are far apart, and a loop over items gathers them one by one. If all that
// is done with an array are loads and stores of elements of one size, element by element all items that run together may have theirs side by side: what
// lies `offset` bytes behind an array's begin is then `offset` times their number behind the item's first element. Before anything is cut, accesses
// get a form that says the offset: `getelementptr i8, array, offset`. The way is that of OpenCL's drivers for processors, and of GPUs' local memory.

#include "items.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
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
  // Numbers of elements: a number of bytes that grows does not show that it stays at whole ones.
  auto Move = [&](IRBuilder<> &B, Value *Number) {
    Value *To = B.CreateGEP(T, Memory.getRawDest(), Number), *From = nullptr;
    if (auto *Set = dyn_cast<MemSetInst>(&Memory))
      From = ConstantInt::get(T, APInt::getSplat(Element * 8, cast<ConstantInt>(Set->getValue())->getValue()));
    else
      From = B.CreateAlignedLoad(T, B.CreateGEP(T, cast<MemCpyInst>(Memory).getRawSource(), Number), Align(1));
    B.CreateAlignedStore(From, To, Align(1));
  };
  if (Count <= MaxInARow) {
    IRBuilder<> B(&Memory);
    for (uint64_t N = 0; N < Count; ++N)
      Move(B, B.getInt64(N));
  } else {
    BasicBlock *Before = Memory.getParent(), *Behind = SplitBlock(Before, &Memory);
    auto *Turn = BasicBlock::Create(Memory.getContext(), "elements", Before->getParent(), Behind);
    Before->getTerminator()->setSuccessor(0, Turn);
    IRBuilder<> B(Turn);
    PHINode *Number = B.CreatePHI(B.getInt64Ty(), 2);
    Number->addIncoming(B.getInt64(0), Before);
    Move(B, Number);
    Value *Next = B.CreateNUWAdd(Number, B.getInt64(1));
    Number->addIncoming(Next, Turn);
    B.CreateCondBr(B.CreateICmpEQ(Next, B.getInt64(Count)), Behind, Turn);
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

// `if (a[j] > a[k]) swap(a[j], a[k])`: items for which the condition does not hold may write what is there, so that there is no branch, and vectors need
// no mask. Nobody else sees the array, and that the place is inside of it is known without the condition.
struct Choice {
  BasicBlock *Then = nullptr, *Join = nullptr;
  SmallVector<std::pair<StoreInst *, LoadInst *>, 4> Stores; // and who has read the place in front of the condition; null if nobody has
};

using Accessed = SmallDenseMap<const Instruction *, AllocaInst *, 32>;

// Which numbers a loop's variable has, for a function before it is changed.
class Ranges {
public:
  explicit Ranges(Function &F)
      : DT(F), LI(DT), Names(F.getParent()->getTargetTriple()), Library(Names, &F), Assumed(F), SE(F, Library, Assumed, DT, LI) {}

  bool isInside(AllocaInst &Array, Value *Address, uint64_t Size) {
    const SCEV *Offset = SE.getMinusSCEV(SE.getSCEV(Address), SE.getSCEV(&Array));
    const uint64_t All = Array.getAllocationSize(Array.getDataLayout())->getFixedValue();
    return !isa<SCEVCouldNotCompute>(Offset) && Size <= All && SE.getUnsignedRangeMax(Offset).ule(All - Size);
  }

private:
  DominatorTree DT;
  LoopInfo LI;
  TargetLibraryInfoImpl Names;
  TargetLibraryInfo Library;
  AssumptionCache Assumed;
  ScalarEvolution SE;
};

// More instructions are not worth what all items do for some.
constexpr size_t MaxChosen = 12;

// The last load of that address in a block, if nothing in the block could have changed the place since.
LoadInst *readAtEnd(BasicBlock &B, const Value *Address, const Type *T) {
  for (Instruction &I : reverse(B)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->getPointerOperand() == Address && Load->getType() == T)
      return Load;
    if (I.mayWriteToMemory())
      return nullptr;
  }
  return nullptr;
}

// What a block does that it is part of, if that is all that it does.
std::optional<Choice> choiceIn(BasicBlock &Then, const Accessed &Accesses, std::optional<Ranges> &Known) {
  BasicBlock *Before = Then.getSinglePredecessor();
  auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  Choice Out{&Then, Then.getSingleSuccessor(), {}};
  if (!Branch || !Branch->isConditional() || !Out.Join || Out.Join == Before || !is_contained(successors(Before), Out.Join) || Then.size() > MaxChosen)
    return std::nullopt;
  for (Instruction &I : make_range(Then.begin(), Then.getTerminator()->getIterator())) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (AllocaInst *Array = Store ? Accesses.lookup(Store) : nullptr) {
      Value *Address = Store->getPointerOperand();
      Type *T = Store->getValueOperand()->getType();
      LoadInst *Read = readAtEnd(*Before, Address, T);
      if (!Read && !Known)
        Known.emplace(*Then.getParent());
      if (!Read && !Known->isInside(*Array, Address, Then.getDataLayout().getTypeStoreSize(T)))
        return std::nullopt;
      Out.Stores.push_back({Store, Read});
    } else if (I.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&I)) {
      return std::nullopt;
    }
  }
  return Out.Stores.empty() ? std::nullopt : std::optional(Out);
}

// The loads that it takes are added to the list.
void choose(const Choice &Of, SmallVectorImpl<LoadInst *> &Added) {
  BasicBlock *Before = Of.Then->getSinglePredecessor();
  auto *Branch = cast<BranchInst>(Before->getTerminator());
  const bool First = Branch->getSuccessor(0) == Of.Then;
  auto Chosen = [&](IRBuilder<> &B, Value *There, Value *Otherwise) {
    return There == Otherwise ? There : B.CreateSelect(Branch->getCondition(), First ? There : Otherwise, First ? Otherwise : There);
  };
  // What promised something of numbers in the block promises nothing of them in front of it.
  for (Instruction &I : *Of.Then)
    if (!isa<StoreInst>(I) && !I.isTerminator()) {
      I.dropPoisonGeneratingFlags();
      I.dropUBImplyingAttrsAndMetadata();
    }
  for (auto [Store, Read] : Of.Stores) {
    IRBuilder<> B(Store);
    Type *T = Store->getValueOperand()->getType();
    Value *There = Read ? Read : B.CreateAlignedLoad(T, Store->getPointerOperand(), Store->getAlign());
    Store->setOperand(0, Chosen(B, Store->getValueOperand(), There));
    if (!Read)
      Added.push_back(cast<LoadInst>(There));
  }
  Before->splice(Branch->getIterator(), Of.Then, Of.Then->begin(), Of.Then->getTerminator()->getIterator());
  IRBuilder<> B(Branch);
  for (PHINode &Phi : Of.Join->phis()) {
    Phi.setIncomingValueForBlock(Before, Chosen(B, Phi.getIncomingValueForBlock(Of.Then), Phi.getIncomingValueForBlock(Before)));
    Phi.removeIncomingValue(Of.Then, /*DeletePHIIfEmpty=*/false);
  }
  Of.Then->dropAllReferences();
  Of.Then->eraseFromParent();
  B.CreateBr(Of.Join);
  Branch->eraseFromParent();
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
  for (AllocaInst *Array : Arrays)
    // What copies one array into another is an access of both once it is taken apart.
    if (auto Known = usesOf(*Array, Layout))
      for (MemIntrinsic *Memory : Known->Whole)
        takeApart(*Memory, Known->Element);
  SmallMapVector<AllocaInst *, Uses, 8> Apart;
  Accessed Accesses;
  for (AllocaInst *Array : Arrays)
    if (auto Known = usesOf(*Array, Layout)) {
      for (const Instruction *Access : Known->Accesses)
        Accesses[Access] = Array;
      Apart.insert({Array, std::move(*Known)});
    }
  SmallVector<Choice, 8> Choices;
  {
    std::optional<Ranges> Known;
    for (BasicBlock &B : Body)
      if (auto Of = choiceIn(B, Accesses, Known))
        Choices.push_back(std::move(*Of));
  }
  for (const Choice &Of : Choices) {
    SmallVector<LoadInst *, 4> Added;
    choose(Of, Added);
    for (LoadInst *Load : Added)
      Apart[cast<AllocaInst>(getUnderlyingObject(Load->getPointerOperand(), /*MaxLookup=*/0))].Accesses.push_back(Load);
  }
  for (const auto &[Array, Known] : Apart) {
    for (Instruction *Access : Known.Accesses)
      sayOffset(*Access, *Array, Known.Element, Layout);
    for (GetElementPtrInst *Address : reverse(Known.Addresses))
      if (Address->use_empty())
        Address->eraseFromParent();
    Found[Array] = Known.Element;
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
