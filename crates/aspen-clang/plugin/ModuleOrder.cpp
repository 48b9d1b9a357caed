//! One order for what clang has generated.

#include "ModuleOrder.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace aspen {

namespace {

/// Functions and variables as a walk meets them, depth first, references in the order of instructions and operands.
class Walk {
  SetVector<GlobalValue *> Met;
  SmallVector<GlobalValue *, 64> Open;

public:
  void from(GlobalValue &Root) {
    Open.push_back(&Root);
    while (!Open.empty()) {
      GlobalValue *Next = Open.pop_back_val();
      if (!Met.insert(Next))
        continue;
      const size_t Before = Open.size();
      openReferencesOf(*Next);
      std::reverse(Open.begin() + Before, Open.end()); // the first is the next
    }
  }

  ArrayRef<GlobalValue *> met() const { return Met.getArrayRef(); }

private:
  void openReferencesOf(GlobalValue &Global) {
    SmallPtrSet<const Constant *, 32> Seen;
    for (Use &Operand : Global.operands()) // an initialiser, what an alias stands for, what handles a function's exceptions
      open(Operand.get(), Seen);
    if (auto *Body = dyn_cast<Function>(&Global))
      for (Instruction &I : instructions(*Body))
        for (Use &Operand : I.operands())
          open(Operand.get(), Seen);
  }

  void open(Value *Operand, SmallPtrSetImpl<const Constant *> &Seen) {
    auto *Part = dyn_cast_or_null<Constant>(Operand);
    if (!Part || !Seen.insert(Part).second)
      return;
    if (auto *Global = dyn_cast<GlobalValue>(Part)) {
      if (!Met.contains(Global))
        Open.push_back(Global);
      return;
    }
    for (Use &Inner : Part->operands())
      open(Inner.get(), Seen);
  }
};

/// "name.12" → "name"
StringRef withoutNumber(StringRef Name) {
  const StringRef Rest = Name.rtrim("0123456789");
  return Rest.size() < Name.size() && Rest.size() > 1 && Rest.ends_with(".") ? Rest.drop_back() : Name;
}

/// Takes the numbers from the names of some things, of which others have none, and gives new ones in the order of the things.
template <class T> void renumber(ArrayRef<T *> Things, function_ref<bool(StringRef)> IsTaken) {
  SmallVector<std::string> Bases;
  for (T *Thing : Things) {
    Bases.push_back(withoutNumber(Thing->getName()).str());
    Thing->setName("");
  }
  StringMap<unsigned> Count;
  for (auto [Thing, Base] : zip(Things, Bases)) {
    std::string Name;
    do {
      const unsigned Number = Count[Base]++;
      Name = Number ? Base + "." + std::to_string(Number) : Base;
    } while (IsTaken(Name));
    Thing->setName(Name);
  }
}

/// What looks through the uses of something meets them in this order, too.
void orderUses(Module &Module) {
  DenseMap<const User *, unsigned> Place;
  for (Function &F : Module)
    for (Instruction &I : instructions(F))
      Place.try_emplace(&I, Place.size());
  const auto IsBefore = [&](const Use &Left, const Use &Right) {
    // New uses come first in LLVM's lists.
    return std::pair(Place.lookup(Left.getUser()), Left.getOperandNo()) > std::pair(Place.lookup(Right.getUser()), Right.getOperandNo());
  };
  for (GlobalValue &Global : Module.global_values())
    Global.sortUseList(IsBefore);
}

} // namespace

void order(Module &Module) {
  Walk Walk;
  for (GlobalValue &Global : Module.global_values())
    if (!Global.isDeclaration() && !Global.isDiscardableIfUnused())
      Walk.from(Global);
  // What nothing refers to.
  SmallVector<GlobalValue *> Rest(make_pointer_range(Module.global_values()));
  stable_sort(Rest, [](const GlobalValue *Left, const GlobalValue *Right) { return Left->getName() < Right->getName(); });
  for (GlobalValue *Global : Rest)
    Walk.from(*Global);
  SmallVector<GlobalVariable *> Numbered;
  for (GlobalValue *Global : Walk.met()) {
    if (auto *F = dyn_cast<Function>(Global)) {
      Module.getFunctionList().splice(Module.end(), Module.getFunctionList(), F->getIterator());
    } else if (auto *Variable = dyn_cast<GlobalVariable>(Global)) {
      Module.removeGlobalVariable(Variable);
      Module.insertGlobalVariable(Variable);
      if (Variable->hasPrivateLinkage())
        Numbered.push_back(Variable);
    }
  }
  renumber<GlobalVariable>(Numbered, [&](StringRef Name) { return Module.getNamedValue(Name) != nullptr; });
  SmallVector<StructType *> Types;
  for (StructType *Type : Module.getIdentifiedStructTypes())
    if (Type->hasName())
      Types.push_back(Type);
  renumber<StructType>(Types, [&](StringRef Name) { return StructType::getTypeByName(Module.getContext(), Name) != nullptr; });
  orderUses(Module);
}

} // namespace aspen
