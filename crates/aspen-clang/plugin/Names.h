//! Places and names as people read them. Source: DESIGN §2 "Names in messages".

#ifndef ASPEN_CLANG_NAMES_H
#define ASPEN_CLANG_NAMES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace aspen {

/// Text that is certainly UTF-8, as JSON demands; file names need not be.
std::string utf8(llvm::StringRef Text);

/// `{"file":…,"line":…,"column":…}` as clang would print it (`#line` honoured; of a macro, where it is used), or null.
llvm::json::Value place(const clang::SourceManager &SM, clang::SourceLocation Location);

/// Qualified, with template arguments, without parameters; `lambda at hw.cpp:3:7` for what a lambda does when called.
std::string functionName(const clang::ASTContext &Context, const clang::FunctionDecl *Function);

/// The declaration that holds the body; the function itself where there is none.
const clang::FunctionDecl *definitionOf(const clang::FunctionDecl *Function);

/// Whether a user wrote the function: it stands in no system header, and the compiler did not make it.
bool isWrittenByUser(const clang::SourceManager &SM, const clang::FunctionDecl *Function);

/// A type without `class` and `struct`; `lambda at hw.cpp:12:7` for a closure.
std::string typeName(const clang::ASTContext &Context, clang::QualType Type);

} // namespace aspen

#endif
