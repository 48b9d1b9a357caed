//! Edits of token lists: SYCL's attributes in forms and places that clang's parser accepts. Locations stay the user's.

#ifndef ASPEN_CLANG_TOKENEDITS_H
#define ASPEN_CLANG_TOKENEDITS_H

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/SmallVector.h"

namespace aspen {

/// Grows by `realloc`, which costs no copies.
using TokenList = llvm::SmallVector<clang::Token, 0>;

/// Brackets of C++'s three kinds.
bool opens(const clang::Token &T);
bool closes(const clang::Token &T);

/// A string literal of ours; the text stands between the quotes as in source code.
clang::Token textToken(clang::Preprocessor &PP, llvm::StringRef Text, clang::SourceLocation Location);

/// Edits our attributes in the specifiers `[[…]]` that begin at `From` or later and end within the list. An attribute behind a parameter
/// list moves in front of it, which may lie before `From`.
void editAttributes(clang::Preprocessor &PP, TokenList &Tokens, size_t From);

/// Makes `using namespace cl;` of `namespace sycl = cl::sycl;`, of which the list has the tokens from `From` on, and nothing of other
/// aliases. Programs for SYCL 1.2.1 have that line, and where `sycl` is a namespace, as SYCL 2020 wants it, no alias can have the name.
void editAlias(clang::Preprocessor &PP, TokenList &Tokens, size_t From);

/// Whether SYCL 1.2.1 has a class of errors of that name (§4.9.2), which SYCL 2020 made one class.
bool isOlderError(llvm::StringRef Name);

/// Makes `sycl::exception` of such a class, if the last three tokens name one as `sycl::…`, of no other library's `sycl`, and `<CL/sycl.hpp>`,
/// which declares them, is not included.
void editError(clang::Preprocessor &PP, TokenList &Tokens);

/// Whether the last three tokens are `namespace sycl =`.
bool beginsAlias(const TokenList &Tokens);

} // namespace aspen

#endif
