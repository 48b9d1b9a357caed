//! Kernel entries as the AST knows them, in host and device passes alike: what is launched under which symbol, and what its functor looks
//! like. The two sides are compared at link. Source: DESIGN §7.17, §7.18.

#ifndef ASPEN_CLANG_KERNELS_H
#define ASPEN_CLANG_KERNELS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include <string>
#include <vector>

namespace aspen {

/// One kernel.
struct Kernel {
  std::string Symbol;
  /// For people: the name type, or `lambda at hw.cpp:12:7`.
  std::string Name;
  /// Other translation units may have another kernel of the same symbol.
  bool Internal = false;
  /// The class whose `operator()` is the kernel; null if the entry takes no object of a class.
  const clang::CXXRecordDecl *Functor = nullptr;
  uint64_t Size = 0;
  uint64_t Layout = 0;
  clang::SourceLocation Location;
};

/// Collects entry functions as clang hands out declarations.
class KernelCollector {
  std::vector<const clang::FunctionDecl *> Entries;

public:
  void see(clang::DeclGroupRef Group);
  /// Every kernel, in the order in which clang met the entries. Also checks the attributes of their `operator()`s.
  std::vector<Kernel> finish(clang::ASTContext &Context) const;

private:
  void see(const clang::Decl *D);
};

} // namespace aspen

#endif
