// What is known of a kernel before anything is made of it: where things stand in the user's files, and whether its items may wait.

#include "items.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace aspen::items {
namespace {

constexpr StringLiteral PlaceName = "aspen.place";
// The header that has the functions we know. Source: include/sycl/detail/work_item.hpp.
constexpr StringLiteral OwnHeader = "detail/work_item.hpp";

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
  auto IsBarrier = [&](StringRef Name) {
    return Name == Names.Barrier || Name == Names.SubGroupBarrier || Name == Names.OneOfGroup || Name == Names.OneOfSubGroup;
  };
  while (!Open.empty())
    for (const Instruction &I : instructions(*Open.pop_back_val())) {
      // A function whose address is taken here may be called, here or by who is given it; one that is not here may do anything.
      for (const Value *Operand : I.operands())
        if (const auto *F = dyn_cast<Function>(Operand->stripPointerCasts()); F && Seen.insert(F).second) {
          Out.OfNdRange |= F->getName() == Names.Enter;
          Out.Waits |= IsBarrier(F->getName());
          if (F->isDeclaration())
            Out.Waits |= Entry.getParent()->getNamedValue(("aspen_import." + F->getName()).str()) != nullptr;
          else if (F->getName() != Names.Enter && !IsBarrier(F->getName()))
            Open.push_back(F);
        }
      const auto *Call = dyn_cast<CallBase>(&I);
      Out.Waits |= Call && !Call->isInlineAsm() && !Call->getCalledFunction();
    }
  return Out;
}

} // namespace aspen::items
