//! Names and places, taken from clang's own printers so that they read like its diagnostics.

#include "Names.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace aspen {
namespace {

std::string closureName(const ASTContext &Context, const CXXRecordDecl *Closure) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc Place = SM.getPresumedLoc(SM.getExpansionLoc(Closure->getLocation()));
  if (Place.isInvalid())
    return "lambda";
  return ("lambda at " + llvm::Twine(Place.getFilename()) + ":" + llvm::Twine(Place.getLine()) + ":" + llvm::Twine(Place.getColumn())).str();
}

PrintingPolicy policy(const ASTContext &Context) {
  PrintingPolicy Policy = Context.getPrintingPolicy();
  Policy.SuppressTagKeyword = true;
  Policy.PrintAsCanonical = true;
  return Policy;
}

/// What the header's class for kernel names that are no classes stands for. Source: ARCHITECTURE "The header and the compiler".
const TemplateArgument *nameOfNoClass(QualType Type) {
  const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Type->getAsCXXRecordDecl());
  if (!Class || Class->getName() != "name_of_no_class" || Class->getTemplateArgs().size() != 1)
    return nullptr;
  const TemplateArgument &Name = Class->getTemplateArgs()[0];
  return Name.getKind() == TemplateArgument::Type ? &Name : nullptr;
}

} // namespace

std::string utf8(llvm::StringRef Text) { return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text); }

llvm::json::Value place(const SourceManager &SM, SourceLocation Location) {
  PresumedLoc Place = SM.getPresumedLoc(SM.getFileLoc(Location));
  if (Place.isInvalid())
    return nullptr;
  return llvm::json::Object{{"file", utf8(Place.getFilename())}, {"line", Place.getLine()}, {"column", Place.getColumn()}};
}

std::string functionName(const ASTContext &Context, const FunctionDecl *Function) {
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Function))
    if (Method->getParent()->isLambda() && Method->getOverloadedOperator() == OO_Call)
      return closureName(Context, Method->getParent());
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  // Of a class in a function clang prints that with its parameters.
  SmallVector<const CXXRecordDecl *, 2> Classes;
  const DeclContext *In = Function->getDeclContext();
  for (; In->isRecord(); In = In->getParent())
    if (const auto *Class = dyn_cast<CXXRecordDecl>(In))
      Classes.push_back(Class);
  const auto *Around = dyn_cast<FunctionDecl>(In);
  if (Around && none_of(Classes, [](const CXXRecordDecl *Class) { return Class->isLambda(); })) {
    Out << functionName(Context, Around) << "::";
    for (const CXXRecordDecl *Class : reverse(Classes)) {
      Class->getNameForDiagnostic(Out, policy(Context), /*Qualified=*/false);
      Out << "::";
    }
  }
  Function->getNameForDiagnostic(Out, policy(Context), /*Qualified=*/Result.empty());
  return Result;
}

const FunctionDecl *definitionOf(const FunctionDecl *Function) {
  const FunctionDecl *Definition = nullptr;
  return Function->hasBody(Definition) && Definition ? Definition : Function;
}

bool isWrittenByUser(const SourceManager &SM, const FunctionDecl *Function) {
  const FunctionDecl *Definition = definitionOf(Function);
  return !Definition->isImplicit() && !Definition->isDefaulted() && Definition->getLocation().isValid() &&
         !SM.isInSystemHeader(SM.getExpansionLoc(Definition->getLocation()));
}

std::string typeName(const ASTContext &Context, QualType Type) {
  if (const CXXRecordDecl *Record = Type->getAsCXXRecordDecl(); Record && Record->isLambda())
    return closureName(Context, Record);
  if (const TemplateArgument *Name = nameOfNoClass(Type))
    return Name->getAsType().getCanonicalType().getAsString(policy(Context));
  return Type.getCanonicalType().getUnqualifiedType().getAsString(policy(Context));
}

} // namespace aspen
