// Frameworks of tests (Boost.UT, doctest, Catch2) leave code out where there are no exceptions, and the kernels in it would be in the host's
// pass alone. So the driver defines the macro for device passes as the host has it. The C++ library asks, too: its functions abort without
// exceptions, where kernels could not call those that throw. For its headers the macro is 0, which is what they ask for (`#if`).

#include "HostExceptions.h"

#include "clang/Lex/ExternalPreprocessorSource.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;

namespace aspen {
namespace {

class Watch : public PPCallbacks {
  Preprocessor &PP;
  IdentifierInfo *const Name;
  MacroInfo *Given = nullptr; // by the command line
  MacroInfo *Zero = nullptr;
  bool InLibrary = false;

public:
  explicit Watch(Preprocessor &PP) : PP(PP), Name(PP.getIdentifierInfo("__cpp_exceptions")) {}

  void FileChanged(SourceLocation Location, FileChangeReason, SrcMgr::CharacteristicKind Kind, FileID) override {
    const SourceManager &Sources = PP.getSourceManager();
    const bool Library = Kind != SrcMgr::C_User && Sources.getFilename(Location).contains("/c++/");
    if (Library == InLibrary)
      return;
    if (Library && !Zero) {
      // What a precompiled header says of a name is read when the name is first met, and nothing may have met it.
      if (ExternalPreprocessorSource *Read = PP.getExternalSource(); Read && Name->isOutOfDate())
        Read->updateOutOfDateIdentifier(*Name);
      Given = PP.getMacroInfo(Name);
      Token Value;
      Value.startToken();
      Value.setKind(tok::numeric_constant);
      PP.CreateString("0", Value);
      Zero = PP.AllocateMacroInfo(Location);
      Zero->setDefinitionEndLoc(Location);
      Zero->setTokens(Value, PP.getPreprocessorAllocator());
    }
    InLibrary = Library;
    if (MacroInfo *const Now = Library ? Zero : Given)
      PP.appendDefMacroDirective(Name, Now, Location);
  }
};

} // namespace

void hideExceptionsFromLibrary(CompilerInstance &CI) {
  const bool IsDefined = llvm::any_of(CI.getPreprocessorOpts().Macros, [](const auto &Macro) {
    return !Macro.second && llvm::StringRef(Macro.first).starts_with("__cpp_exceptions=");
  });
  if (IsDefined && !CI.getLangOpts().CXXExceptions)
    CI.getPreprocessor().addPPCallbacks(std::make_unique<Watch>(CI.getPreprocessor()));
}

} // namespace aspen
