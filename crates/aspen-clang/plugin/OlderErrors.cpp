//! The last resort of a lookup: what a program that was written for SYCL 1.2.1 catches by its plain name, as DPC++ had it until 2024. The names are not
//! the header's own, since programs have classes so called, which all of `sycl` beside them would make ambiguous. Only what `catch` names is looked up
//! so: elsewhere a function of such a name may be found by its arguments, later than this.

#include "OlderErrors.h"
#include "TokenEdits.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace aspen {
namespace {

/// Takes a word from the end of a text, with the blanks in front of it.
bool takeWord(llvm::StringRef &Text, llvm::StringRef Word) {
  llvm::StringRef Rest = Text.rtrim();
  if (!Rest.consume_back(Word) || (!Rest.empty() && isAsciiIdentifierContinue(Rest.back())))
    return false;
  Text = Rest.rtrim();
  return true;
}

/// Whether `catch (` or `catch (const ` stands in front of a place.
bool isCaught(const SourceManager &SM, SourceLocation At) {
  if (!At.isFileID())
    return false;
  const auto [File, Offset] = SM.getDecomposedLoc(At);
  llvm::StringRef Before = SM.getBufferData(File).take_front(Offset);
  (void)takeWord(Before, "const");
  Before = Before.rtrim();
  return Before.consume_back("(") && takeWord(Before, "catch");
}

class OlderErrors : public ExternalSemaSource {
  Sema &S;

  /// `sycl::exception`, if the scope sees it and other classes of `sycl`.
  NamedDecl *inScope(Scope *In, SourceLocation Location) {
    Preprocessor &PP = S.getPreprocessor();
    // A class whose name is nobody else's.
    LookupResult Other(S, PP.getIdentifierInfo("nd_item"), Location, Sema::LookupOrdinaryName);
    Other.suppressDiagnostics();
    if (!S.LookupName(Other, In) || !Other.isSingleResult())
      return nullptr;
    const DeclContext *Space = Other.getFoundDecl()->getDeclContext()->getEnclosingNamespaceContext();
    while (Space->isInlineNamespace())
      Space = Space->getParent();
    const auto *Named = dyn_cast<NamespaceDecl>(Space);
    if (!Named || Named->getQualifiedNameAsString() != "sycl")
      return nullptr;
    LookupResult Found(S, PP.getIdentifierInfo("exception"), Location, Sema::LookupOrdinaryName);
    Found.suppressDiagnostics();
    return S.LookupQualifiedName(Found, const_cast<NamespaceDecl *>(Named)) && Found.isSingleResult() ? Found.getFoundDecl() : nullptr;
  }

public:
  explicit OlderErrors(Sema &S) : S(S) {}

  bool LookupUnqualified(LookupResult &R, Scope *In) override {
    const IdentifierInfo *Name = R.getLookupName().getAsIdentifierInfo();
    if (!Name || !In || R.getLookupKind() != Sema::LookupOrdinaryName || R.isForRedeclaration() || !isOlderError(Name->getName()) ||
        !isCaught(S.getSourceManager(), R.getNameLoc()))
      return false;
    NamedDecl *Exception = inScope(In, R.getNameLoc());
    if (!Exception)
      return false;
    R.addDecl(Exception);
    R.resolveKind();
    return true;
  }
};

} // namespace

void knowOlderErrors(Sema &S) { S.addExternalSource(llvm::makeIntrusiveRefCnt<OlderErrors>(S)); }

} // namespace aspen
