// What LLVM's C API lacks, as a C interface for src/ffi.rs. Strings that are handed out are freed with LLVMDisposeMessage (malloc).

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

using namespace llvm;

using aspen::copy;
using aspen::guarded;

char *aspen::copy(StringRef Text) {
  auto *Out = static_cast<char *>(std::malloc(Text.size() + 1));
  if (!Out)
    std::abort();
  std::memcpy(Out, Text.data(), Text.size());
  Out[Text.size()] = 0;
  return Out;
}

namespace {
// Collects the errors of a context; warnings (a debug info version that is too new, ...) are nobody's concern here.
struct Collector final : DiagnosticHandler {
  std::string Errors;
  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() == DS_Error) {
      raw_string_ostream OS(Errors);
      if (!Errors.empty())
        OS << "; ";
      DiagnosticPrinterRawOStream Printer(OS);
      Info.print(Printer);
    }
    return true;
  }
};

// The handler of a context that aspen_llvm_context made. LLVM hands it out as const.
std::string takeErrors(LLVMContext &Context) {
  auto *Handler = static_cast<const Collector *>(Context.getDiagHandlerPtr());
  return std::exchange(const_cast<Collector *>(Handler)->Errors, {});
}

thread_local std::string FatalText;

// Inside guarded(), leaves the failing call; elsewhere says why, and LLVM ends the process.
void onFatal(void *, const char *Reason, bool) {
  if (auto *Current = CrashRecoveryContext::GetCurrent()) {
    FatalText = Reason;
    Current->HandleExit(70);
  }
  errs() << "LLVM ERROR: " << Reason << '\n';
}

} // namespace

bool aspen::guarded(function_ref<void()> Body, std::string &Error) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    CrashRecoveryContext::Enable();
    install_fatal_error_handler(onFatal);
  });
  FatalText.clear();
  CrashRecoveryContext Recovery;
  if (Recovery.RunSafely(Body))
    return true;
  Error = FatalText.empty() ? "LLVM crashed on it" : "LLVM gave up: " + FatalText;
  return false;
}

extern "C" {

// The qualified name with template arguments and without parameter list. Null if the symbol is not mangled.
// For _ZTS symbols the type's name. Base: only the last component of a function's name.
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

// Null if the global variable has no string attribute of that name.
char *aspen_llvm_global_attribute(LLVMValueRef Global, const char *Name, size_t Length) {
  auto Attribute = unwrap<GlobalVariable>(Global)->getAttributes().getAttribute(StringRef(Name, Length));
  return Attribute.isStringAttribute() ? copy(Attribute.getValueAsString()) : nullptr;
}

// Whose metadata the module holds: 2 if any is DPC++'s (`!sycl_...`), else 1 if any is the design documents', else 0.
int aspen_llvm_dialect(LLVMModuleRef Ref) {
  const Module &M = *unwrap(Ref);
  int Found = 0;
  auto note = [&](StringRef Name) {
    const bool IsSeed = Name == "intel_types_that_use_aspects" || (Name.starts_with("intel_") && Name.ends_with("_aspects"));
    Found = std::max(Found, Name.starts_with("sycl_") ? 2 : IsSeed ? 1 : 0);
  };
  for (const NamedMDNode &Node : M.named_metadata())
    note(Node.getName());
  SmallVector<StringRef, 64> Names;
  M.getContext().getMDKindNames(Names);
  auto noteAll = [&](auto &Holder) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> All;
    Holder.getAllMetadata(All);
    for (auto &[Kind, Node] : All)
      note(Names[Kind]);
  };
  for (const GlobalVariable &G : M.globals())
    noteAll(G);
  for (const Function &F : M)
    noteAll(F);
  for (const Function &F : M)
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        if (Found < 2 && I.hasMetadataOtherThanDebugLoc())
          noteAll(I);
  return Found;
}

void aspen_llvm_erase_named_metadata(LLVMModuleRef M, const char *Name, size_t Length) {
  if (auto *Node = unwrap(M)->getNamedMetadata(StringRef(Name, Length)))
    Node->eraseFromParent();
}

// A context whose errors are collected rather than printed.
LLVMContextRef aspen_llvm_context() {
  auto *Context = new LLVMContext;
  Context->setDiagnosticHandler(std::make_unique<Collector>());
  return wrap(Context);
}

// Instructions of the module's longest function.
size_t aspen_llvm_longest_function(LLVMModuleRef M) {
  size_t Longest = 0;
  for (const Function &F : *unwrap(M))
    Longest = std::max<size_t>(Longest, F.getInstructionCount());
  return Longest;
}

// LLVM's own command-line options, by their text. Null, or what is wrong. (LLVMParseCommandLineOptions drops its errors.)
char *aspen_llvm_set_options(int Count, const char *const *Arguments) {
  std::string Errors;
  raw_string_ostream OS(Errors);
  if (cl::ParseCommandLineOptions(Count, Arguments, "", &OS))
    return nullptr;
  return copy(Errors);
}

char *aspen_llvm_take_errors(LLVMContextRef C) {
  std::string Errors = takeErrors(*unwrap(C));
  return Errors.empty() ? nullptr : copy(Errors);
}

// Bitcode or text; verified. On failure null and a message. *Placed: the message begins with file, line and column, and shows the line.
// *Lost: LLVM crashed, the context must be leaked.
LLVMModuleRef aspen_llvm_parse(LLVMContextRef C, const char *Data, size_t Size, const char *Name, size_t NameSize, char **Message,
                               bool *Placed, bool *Lost) {
  LLVMContext &Context = *unwrap(C);
  std::string Error;
  Module *Out = nullptr;
  *Placed = *Lost = false;
  bool Ran = guarded(
      [&] {
        // The text parser wants a terminating zero behind the buffer; a copy has one.
        auto Buffer = MemoryBuffer::getMemBufferCopy(StringRef(Data, Size), StringRef(Name, NameSize));
        SMDiagnostic Diagnostic;
        auto M = parseIR(Buffer->getMemBufferRef(), Diagnostic, Context);
        if (!M) {
          raw_string_ostream OS(Error);
          // As compilers print it, unless the line is none of a text.
          if (Diagnostic.getLineNo() > 0 && all_of(Diagnostic.getLineContents(), [](char C) { return isPrint(C) || C == '\t'; })) {
            *Placed = true;
            Diagnostic.print(nullptr, OS, /*ShowColors=*/false);
            return;
          }
          if (Diagnostic.getLineNo() > 0)
            OS << "line " << Diagnostic.getLineNo() << ", column " << Diagnostic.getColumnNo() + 1 << ": ";
          OS << Diagnostic.getMessage();
          return;
        }
        raw_string_ostream OS(Error);
        if (verifyModule(*M, &OS))
          return;
        Out = M.release();
      },
      Error);
  if (Out)
    return wrap(Out);
  *Lost = !Ran;
  if (Ran)
    if (std::string Errors = takeErrors(Context); !Errors.empty())
      Error += (Error.empty() ? "" : "; ") + Errors;
  *Message = copy(Error);
  return nullptr;
}

// Consumes Source. Null when it went well, else a message; Destination may then hold a part of Source. *Lost as above.
char *aspen_llvm_link(LLVMModuleRef Destination, LLVMModuleRef Source, bool *Lost) {
  Module &Into = *unwrap(Destination);
  takeErrors(Into.getContext());
  bool Failed = false;
  std::string Errors;
  *Lost = !guarded([&] { Failed = Linker::linkModules(Into, std::unique_ptr<Module>(unwrap(Source))); }, Errors);
  if (*Lost)
    return copy(Errors);
  if (!Failed)
    return nullptr;
  Errors = takeErrors(Into.getContext());
  return copy(Errors.empty() ? "the modules do not fit together" : Errors);
}

} // extern "C"

extern "C" LLVMValueRef aspen_llvm_strip_pointer_casts(LLVMValueRef Value) { return wrap(unwrap(Value)->stripPointerCasts()); }

extern "C" void aspen_llvm_erase_if_dead(LLVMValueRef Value) {
  auto *Global = unwrap<GlobalVariable>(Value);
  Global->removeDeadConstantUsers();
  if (Global->hasLocalLinkage() && Global->use_empty())
    Global->eraseFromParent();
}
