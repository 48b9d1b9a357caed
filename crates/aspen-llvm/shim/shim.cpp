// What LLVM's C API lacks, as a C interface for src/ffi.rs. Strings that are handed out are freed with LLVMDisposeMessage (malloc).

#include "llvm-c/Core.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace {
char *copy(StringRef Text) {
  auto *Out = static_cast<char *>(std::malloc(Text.size() + 1));
  if (!Out)
    std::abort();
  std::memcpy(Out, Text.data(), Text.size());
  Out[Text.size()] = 0;
  return Out;
}
} // namespace

extern "C" {

// The qualified name with template arguments and without parameter list. Null if the symbol is no mangled function.
// For _ZTS symbols the type's name. Base: only the last component.
char *aspen_llvm_demangle(const char *Symbol, bool Base) {
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Symbol))
    return nullptr;
  char *Text;
  if (!D.isFunction()) {
    if (Base)
      return nullptr;
    Text = D.finishDemangle(nullptr, nullptr);
  } else {
    Text = Base ? D.getFunctionBaseName(nullptr, nullptr) : D.getFunctionName(nullptr, nullptr);
  }
  if (!Text)
    return nullptr;
  StringRef Name(Text);
  Name.consume_front("typeinfo name for ");
  char *Out = copy(Name);
  std::free(Text);
  return Out;
}

void aspen_llvm_erase_named_metadata(LLVMModuleRef M, const char *Name, size_t Length) {
  if (auto *Node = unwrap(M)->getNamedMetadata(StringRef(Name, Length)))
    Node->eraseFromParent();
}

} // extern "C"
