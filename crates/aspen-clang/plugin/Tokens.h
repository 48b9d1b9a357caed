//! The token stage: between preprocessor and parser it brings SYCL's attributes into forms and places that clang's parser accepts, and
//! fills in the object's tag. Locations stay the user's.

#ifndef ASPEN_CLANG_TOKENS_H
#define ASPEN_CLANG_TOKENS_H

#include "clang/Lex/Preprocessor.h"
#include <string>
#include <vector>

namespace aspen {

/// What the token stage leaves behind.
struct TokenStage {
  /// The tokens that the parser reads; must outlive parsing.
  std::vector<clang::Token> Tokens;
  /// The object's tag: 16 hexadecimal digits, a hash of what the translation unit says, not of where its files lie. Empty if the stage
  /// could not run.
  std::string Tag;
};

/// Lexes the whole translation unit, edits it and hands it to the parser. Does nothing where tokens arrive piecemeal (clang-repl, code
/// completion), in C++20 module units, or where there is no main file.
void runTokenStage(clang::Preprocessor &PP, TokenStage &Stage);

} // namespace aspen

#endif
