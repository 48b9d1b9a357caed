//! Kernel entries as the AST knows them, in host and device passes alike: what is launched under which symbol, and what its functor looks
//! like. The two sides are compared at link. Source: DESIGN §7.17, §7.18.

#ifndef ASPEN_CLANG_KERNELS_H
#define ASPEN_CLANG_KERNELS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace aspen {

/// A number that a functor holds, and at which offset in it, in bytes.
struct KnownNumber {
  uint64_t Offset, Number;
};

/// One kernel.
struct Kernel {
  std::string Symbol;
  /// For people: the name type, or `lambda at hw.cpp:12:7`.
  std::string Name;
  /// Other translation units may have another kernel of the same symbol.
  bool Internal = false;
  /// The class whose `operator()` is the kernel; null if the entry takes no object of a class.
  const clang::CXXRecordDecl *Functor = nullptr;
  /// Whether the entry is for an ND-range and takes that class itself, no wrapper of the headers around it.
  bool IsPlainNdRange = false;
  /// Functions of the headers' wrappers around it whose attributes count as its own: `aspen_kernel_attributes`.
  std::vector<const clang::FunctionDecl *> Attributes;
  /// Whether it says that it makes virtual calls: a base of such a wrapper has the member type `aspen_calls_indirectly`.
  bool CallsIndirectly = false;
  uint64_t Size = 0;
  uint64_t Layout = 0;
  /// What the source says of the ranges of local accessors in it: code of this pass may count on it.
  std::vector<KnownNumber> Known;
  clang::SourceLocation Location;
  /// The code that launches it first; invalid if that is not known.
  clang::SourceLocation LaunchedAt;
};

/// Collects entry functions as clang hands out declarations.
class KernelCollector {
  std::vector<const clang::FunctionDecl *> Entries;
  llvm::DenseMap<const clang::FunctionDecl *, clang::SourceLocation> Launches;
  std::vector<clang::FunctionDecl *> Functions;

public:
  void see(clang::DeclGroupRef Group);
  /// The function is instantiated because of what stands there; the first time counts.
  void instantiated(const clang::FunctionDecl *Function, clang::SourceLocation Because);
  /// Every kernel, in the order in which the source launches them; those for which that is not known come last, in the order in which clang
  /// met the entries. Also checks the attributes of their `operator()`s.
  std::vector<Kernel> finish(clang::ASTContext &Context, llvm::function_ref<bool(const clang::CXXRecordDecl *)> IsSpecialisedFor) const;

  /// The definitions of functions that other units may launch as kernels and this one does not: external, not inline, no instantiations.
  std::vector<clang::FunctionDecl *> functionsForOthers() const;

private:
  void see(clang::Decl *D);
};

} // namespace aspen

#endif
