//! The token stage: between preprocessor and parser it brings SYCL's attributes into forms and places that clang's parser accepts, and
//! fills in the object's tag.

#ifndef ASPEN_CLANG_TOKENS_H
#define ASPEN_CLANG_TOKENS_H

#include "TokenEdits.h"

#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace aspen {

class TokenWatch;

/// Looks at every token before the parser does, and edits those around our attributes. Does nothing where tokens arrive piecemeal
/// (clang-repl, code completion), in C++20 module units, or where there is no main file.
class TokenStage {
  std::shared_ptr<TokenWatch> Watch;

public:
  /// Before the main file is entered. The tag costs some time; only host passes need it. `Prefix` is the state of the tag behind a precompiled
  /// header, whose tokens do not come by again.
  TokenStage(clang::CompilerInstance &CI, bool MakesTag, llvm::StringRef Prefix);
  ~TokenStage();

  /// Before the first token is lexed.
  void start(clang::Preprocessor &PP);

  /// After the last token: the object's tag, 16 hexadecimal digits, a hash of what the translation unit says, not of where its files lie.
  /// Empty if the stage could not run.
  std::string tag() const;

  /// What the tag of a unit goes on from that uses this one as a precompiled header. Empty if the stage could not run.
  std::string tagState() const;

  /// Puts the tag where the source has asked for it.
  void insertTag(llvm::Module &Module) const;
};

} // namespace aspen

#endif
