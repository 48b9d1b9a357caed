// What is known of a kernel before anything is made of it: where things stand in the user's files, and whether its items may wait. And what
// kernels that run item by item tell the backend of that.

#include "items.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace aspen::items {
namespace {

constexpr StringLiteral PlaceName = "aspen.place";
// The header that has the functions we know. Source: include/sycl/detail/work_item.hpp.
constexpr StringLiteral OwnHeader = "detail/work_item.hpp";
// ASPEN_CPU_PLACE_SLOT. Source: include/aspen/native_cpu.h.
constexpr StringLiteral PlaceSlot = "aspen_cpu_tell_place";

bool isBarrier(StringRef Name, const Names &Names) {
  return Name == Names.Barrier || Name == Names.SubGroupBarrier || Name == Names.OneOfGroup || Name == Names.OneOfSubGroup;
}

// The functions of the module that an instruction mentions: it calls them, or gives their addresses to who may.
template <class F> void forFunctions(const Instruction &I, F Each) {
  for (const Value *Operand : I.operands())
    if (auto *Mentioned = dyn_cast<Function>(Operand->stripPointerCasts()))
      Each(const_cast<Function &>(*Mentioned));
}

bool isIndirect(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !Call->isInlineAsm() && !Call->getCalledFunction();
}

std::string pathOf(const DIFile &File) {
  SmallString<128> Path(File.getFilename());
  if (!sys::path::is_absolute(Path)) {
    Path = File.getDirectory();
    sys::path::append(Path, File.getFilename());
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

} // namespace

Lines::Lines(const Module &M, const Names &Names) {
  for (const char *Name : Names.functions()) {
    const Function *F = M.getFunction(Name);
    const DISubprogram *Known = F ? F->getSubprogram() : nullptr;
    if (!Known || !Known->getFile())
      continue;
    std::string Path = pathOf(*Known->getFile());
    if (StringRef(Path).ends_with(OwnHeader)) {
      Headers = Path.substr(0, Path.size() - OwnHeader.size());
      return;
    }
  }
}

bool Lines::isOurs(const DIFile &File) const {
  auto [Place, New] = Known.try_emplace(&File, false);
  if (New)
    Place->second = !Headers.empty() && StringRef(pathOf(File)).starts_with(Headers);
  return Place->second;
}

std::string Lines::of(const Instruction &I) const {
  for (const DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt()) {
    const DIFile *File = At->getFile();
    if (!File || At->getLine() == 0 || isOurs(*File))
      continue;
    return (File->getFilename() + ":" + Twine(At->getLine()) + (At->getColumn() ? ":" + Twine(At->getColumn()) : Twine())).str();
  }
  return {};
}

std::string Lines::in(const Instruction &I) const {
  std::string Place = of(I);
  return Place.empty() ? Place : " (" + Place + ")";
}

void setPlace(Instruction &I, const std::string &Place) {
  if (!Place.empty())
    I.setMetadata(PlaceName, MDNode::get(I.getContext(), MDString::get(I.getContext(), Place)));
}

StringRef placeOf(const Instruction &I) {
  const MDNode *Known = I.getMetadata(PlaceName);
  return Known ? cast<MDString>(Known->getOperand(0))->getString() : StringRef();
}

Kind kindOf(Function &Entry, const Names &Names) {
  Kind Out;
  SmallPtrSet<const Function *, 16> Seen{&Entry};
  SmallVector<const Function *, 16> Open{&Entry};
  while (!Open.empty())
    for (const Instruction &I : instructions(*Open.pop_back_val())) {
      // A function whose address is taken here may be called, here or by who is given it; one that is not here may do anything.
      forFunctions(I, [&](Function &F) {
        if (!Seen.insert(&F).second)
          return;
        Out.OfNdRange |= F.getName() == Names.Enter;
        Out.Waits |= isBarrier(F.getName(), Names);
        if (F.isDeclaration())
          Out.Waits |= Entry.getParent()->getNamedValue(("aspen_import." + F.getName()).str()) != nullptr;
        else if (F.getName() != Names.Enter && !isBarrier(F.getName(), Names))
          Open.push_back(&F);
      });
      Out.Waits |= isIndirect(I);
    }
  return Out;
}

void tellPlaces(Module &M, ArrayRef<Function *> Entries, const Names &Names, const Lines &Lines) {
  // What may come to a barrier.
  SmallPtrSet<const Function *, 16> Comes;
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (Function &F : M) {
      bool Does = isBarrier(F.getName(), Names);
      for (const Instruction &I : instructions(F))
        forFunctions(I, [&](Function &Mentioned) { Does |= Comes.contains(&Mentioned); });
      Grew |= Does && Comes.insert(&F).second;
    }
  }
  SmallSetVector<Function *, 16> Open(Entries.begin(), Entries.end());
  for (size_t Index = 0; Index < Open.size(); ++Index)
    for (const Instruction &I : instructions(*Open[Index]))
      forFunctions(I, [&](Function &F) {
        if (!F.isDeclaration())
          Open.insert(&F);
      });
  SmallVector<std::pair<Instruction *, std::string>, 16> Calls;
  for (Function *F : Open)
    for (Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !(isIndirect(I) || Comes.contains(Call->getCalledFunction())))
        continue;
      if (std::string Place = Lines.of(I); !Place.empty())
        Calls.push_back({&I, std::move(Place)});
    }
  if (Calls.empty())
    return;
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::get(C, 0);
  auto *Tells = FunctionType::get(Type::getVoidTy(C), {Pointer}, false);
  auto *Nobody = Function::Create(Tells, GlobalValue::InternalLinkage, "aspen.nobody.told", M);
  ReturnInst::Create(C, BasicBlock::Create(C, "entry", Nobody));
  // One for all parts of an image.
  auto *Slot = new GlobalVariable(M, Pointer, /*isConstant=*/false, GlobalValue::WeakAnyLinkage, Nobody, PlaceSlot);
  StringMap<Constant *> Texts;
  for (auto &[I, Place] : Calls) {
    IRBuilder<> B(I);
    Constant *&Text = Texts[Place];
    if (!Text)
      Text = B.CreateGlobalString(Place);
    // Somebody else writes it, before anything runs.
    B.CreateCall(Tells, B.CreateLoad(Pointer, Slot, /*isVolatile=*/true), {Text});
  }
}

} // namespace aspen::items
