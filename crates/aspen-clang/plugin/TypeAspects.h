//! What types need by the AST: the aspects of all marked classes in them, at any nesting.
//!
//! The module shows most of them (`crates/aspen-llvm/src/types.rs`), but layout hides some: empty members and bases take no place in a
//! struct of LLVM's, and a union is its largest alternative. `double` is no marked class and stays the module's to find (DESIGN §7.3).

#ifndef ASPEN_CLANG_TYPE_ASPECTS_H
#define ASPEN_CLANG_TYPE_ASPECTS_H

#include "Attributes.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseMap.h"

namespace aspen {

/// Answers for the types of one translation unit, each computed once.
class TypeAspects {
  clang::ASTContext &Context;
  llvm::DenseMap<const clang::CXXRecordDecl *, Values> Known;

public:
  explicit TypeAspects(clang::ASTContext &Context) : Context(Context) {}

  /// What a value of the type needs: its own mark, and those of members, bases and elements. What a pointer or reference leads to does not
  /// count, nor does a class without a definition. Source: DESIGN §7.2.
  Values of(clang::QualType Type);
  Values of(const clang::CXXRecordDecl *Record);
};

/// Adds what is not there yet.
void unite(Values &To, const Values &From);

} // namespace aspen

#endif
