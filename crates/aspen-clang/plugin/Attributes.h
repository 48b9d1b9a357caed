//! The attributes of SYCL 2020's optional kernel features: which there are, how they are spelled, and how their evaluated arguments are
//! read back from declarations. Clang keeps them as `AnnotateAttr`s, so that Sema evaluates, instantiates and inherits them.

#ifndef ASPEN_CLANG_ATTRIBUTES_H
#define ASPEN_CLANG_ATTRIBUTES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace aspen {

/// Every annotation of ours starts with this; the module stage takes them out of the module again.
constexpr llvm::StringLiteral AnnotationPrefix = "aspen.";

/// The one argument of an attribute whose own ones hold a pack: those are in the annotation that the token stage has put in front of it.
constexpr llvm::StringLiteral InAnnotation = "aspen.in_annotation";

enum class Arguments { Aspects, Sizes, SubGroupName, Type };

/// One attribute.
struct AttributeSpec {
  const char *Scope;
  const char *Name;
  const char *Annotation;
  Arguments Takes;
  unsigned Min;
  unsigned Max;
  bool OnFunctions;
  bool OnTypes;

  /// As messages spell it: `sycl::device_has`.
  std::string spelling() const { return std::string(Scope) + "::" + Name; }
};

constexpr unsigned Unlimited = ~0u;

/// The attribute of that scope and name; both may be written with underscores around them. Source: DESIGN §7.19.
const AttributeSpec *findAttribute(llvm::StringRef Scope, llvm::StringRef Name);

/// How the attributes are spelled without their scopes, with and without underscores.
std::vector<std::string> attributeNames();

/// From now on, attributes that `noteAttribute` has not been told of are errors: the token stage has missed them.
void expectNotedAttributes();

/// The token stage has seen one of our attributes, which begins there.
void noteAttribute(clang::SourceLocation Begin);

/// What an `AnnotateAttr` of ours stands for, or null.
const AttributeSpec *findAnnotation(const clang::Attr *A);

/// An attribute's evaluated numbers.
using Values = llvm::SmallVector<uint64_t, 4>;

/// Evaluates the arguments of an annotation of ours. Reports what is wrong with them, once for each place and reason. Nothing while they
/// depend on template parameters, or if they are wrong.
std::optional<Values> evaluate(clang::ASTContext &Context, const clang::AnnotateAttr *A, const clang::FunctionDecl *InstantiatedFor = nullptr);

/// Checks all annotations of a declaration whose template arguments have just become known, and that its required sizes agree.
void checkInstantiated(clang::ASTContext &Context, const clang::Decl *D);

/// Functions on which the user wrote an attribute, in source order. Conflicts between their redeclarations are errors.
void checkConflicts(clang::ASTContext &Context);

/// A required size and its attribute.
struct RequiredSize {
  Values Numbers;
  clang::SourceLocation Location;
};

/// The list of `device_has` or `requires` on a function.
struct DeclaredAspects {
  Values Aspects;
  std::string Spelling;
  clang::SourceLocation Location;
};

/// All that the attributes of one function say, after inheritance from its other declarations.
struct FunctionAttributes {
  std::optional<DeclaredAspects> Declared;
  Values Uses;
  std::optional<RequiredSize> WorkGroup;
  std::optional<RequiredSize> SubGroup;
  /// What the device has where the function runs at all, and lists of which it lacks something.
  Values Has;
  std::vector<Values> Lacks;
};

FunctionAttributes readAttributes(clang::ASTContext &Context, const clang::FunctionDecl *Function);

/// The aspects that `uses_aspects` gives a class; nothing if it has no such attribute.
std::optional<Values> readTypeAspects(clang::ASTContext &Context, const clang::CXXRecordDecl *Record);

/// Forgets everything about an earlier translation unit of this process.
void resetAttributes();

/// Sets aside what the unit has shown so far, for a module that clang compiles in the middle of it (`-fmodules`); the result gives it back.
std::function<void()> setAttributesAside();

} // namespace aspen

#endif
