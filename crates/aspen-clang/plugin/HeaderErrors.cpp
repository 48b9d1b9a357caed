//! Stands between clang and whoever shows its diagnostics. Sema knows which instantiations are going on; after Sema, notes tell, so an error
//! is held until the last of them is there. (Clang leaves these notes out where it has just shown them.)
//!
//! Errors and warnings of the user's own code that a header of ours instantiates stay where they are, without the steps through the headers. These ask of a
//! kernel's function with which kind of item it can be called, and the body of a generic lambda is instantiated for each kind: what is wrong in it is
//! said of the first alone, and that no kind fits is not said at all.

#include "HeaderErrors.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/SYCLKernelInfo.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include <set>

using namespace clang;
using llvm::StringRef;

namespace aspen {
namespace {

class HeaderErrors : public DiagnosticConsumer {
  using Level = DiagnosticsEngine::Level;
  CompilerInstance &CI;
  DiagnosticsEngine &Diags;
  std::unique_ptr<DiagnosticConsumer> Owned;
  DiagnosticConsumer *Next;
  /// An error in a system header and its notes so far, and the place in the user's code that it is about, if Sema knows.
  std::vector<StoredDiagnostic> Held;
  FullSourceLoc Asked;
  /// What is said instead of its own words, if those are of the headers' insides, and the place that explains it.
  std::string Instead;
  FullSourceLoc Because;
  /// Places with what was said of them.
  std::set<std::pair<unsigned, std::string>> Shown;
  /// Places where an assertion of the headers has failed.
  std::set<unsigned> Asserted;
  /// Function templates with an error in their body that were asked whether they can be called, by the instantiation with which this came to light.
  llvm::DenseMap<const FunctionTemplateDecl *, const FunctionDecl *> Broken;
  /// What becomes of the notes of an error that is not held.
  enum class Kept { All, OfUsers, None } Notes = Kept::All;

public:
  HeaderErrors(CompilerInstance &CI, std::unique_ptr<DiagnosticConsumer> Owned, DiagnosticConsumer *Next)
      : CI(CI), Diags(CI.getDiagnostics()), Owned(std::move(Owned)), Next(Next) {}
  ~HeaderErrors() override { release(); }

  void BeginSourceFile(const LangOptions &Options, const Preprocessor *PP) override { Next->BeginSourceFile(Options, PP); }
  void EndSourceFile() override {
    release();
    Next->EndSourceFile();
  }
  void finish() override {
    release();
    Next->finish();
  }
  bool IncludeInDiagnosticCounts() const override { return Next->IncludeInDiagnosticCounts(); }

  void HandleDiagnostic(Level L, const Diagnostic &Info) override {
    if (L == DiagnosticsEngine::Note) {
      if (!Held.empty())
        Held.emplace_back(L, Info);
      else if (Notes == Kept::All || (Notes == Kept::OfUsers && !isStepOfHeaders(Info)))
        pass(L, Info);
      return;
    }
    release();
    Notes = Kept::All;
    if (L >= DiagnosticsEngine::Warning && CI.hasSema() && Info.hasSourceManager()) {
      if (L == DiagnosticsEngine::Error && isRepeated(Info.getSourceManager())) {
        Notes = Kept::None;
        return;
      }
      if (isThroughOurs(Info.getSourceManager()))
        Notes = Kept::OfUsers;
    }
    if (L == DiagnosticsEngine::Error && Info.hasSourceManager() && isInSystemHeader(Info.getSourceManager(), Info.getLocation())) {
      Held.emplace_back(L, Info);
      Asked = askedFor(Info.getSourceManager());
      Instead.clear();
      if (Info.getID() == diag::err_sycl_kernel_name_conflict)
        nameTwice(Info.getSourceManager());
      return;
    }
    pass(L, Info);
  }

private:
  void pass(Level L, const Diagnostic &Info) {
    DiagnosticConsumer::HandleDiagnostic(L, Info);
    Next->HandleDiagnostic(L, Info);
  }

  void pass(const StoredDiagnostic &D, StringRef Message) {
    DiagnosticStorage Storage;
    Storage.DiagRanges.append(D.range_begin(), D.range_end());
    Storage.FixItHints.append(D.fixit_begin(), D.fixit_end());
    pass(D.getLevel(), Diagnostic(&Diags, D.getLocation(), D.getID(), Storage, Message));
  }

  /// Of the same kind as `D`, but elsewhere.
  void passAt(const StoredDiagnostic &D, FullSourceLoc Location, StringRef Message, unsigned ID) {
    const DiagnosticStorage Storage{};
    pass(ID == D.getID() ? D.getLevel() : DiagnosticsEngine::Note, Diagnostic(&Diags, Location, ID, Storage, Message));
  }

  static bool isInSystemHeader(const SourceManager &SM, SourceLocation Location) {
    return Location.isValid() && SM.isInSystemHeader(SM.getExpansionLoc(Location));
  }

  /// Whether a header of SYCL's asked for what is being instantiated now.
  bool isThroughOurs(const SourceManager &SM) const {
    return llvm::any_of(CI.getSema().CodeSynthesisContexts,
                        [&](const Sema::CodeSynthesisContext &C) { return isOurs(SM, C.PointOfInstantiation); });
  }

  /// A step of clang's way out that lies in a header, or several that are left out there.
  static bool isStepOfHeaders(const Diagnostic &Note) {
    llvm::SmallString<128> Text;
    Note.FormatDiagnostic(Text);
    return Note.hasSourceManager() && isInSystemHeader(Note.getSourceManager(), Note.getLocation()) &&
           (isStep(Text) || Text.starts_with("(skipping ") || Text.starts_with("expanded from macro"));
  }

  /// Whether an error tells nothing that was not told of the same function.
  bool isRepeated(const SourceManager &SM) {
    bool IsAsked = false;
    for (const Sema::CodeSynthesisContext &Context : CI.getSema().CodeSynthesisContexts) {
      const auto *Called = dyn_cast_or_null<CXXMethodDecl>(Context.Entity);
      if (Called && Called->getPrimaryTemplate() && IsAsked)
        return Broken.try_emplace(Called->getPrimaryTemplate(), Called).first->second != Called;
      const auto *Asks = dyn_cast_or_null<NamedDecl>(Context.Entity); // in sycl/detail/call_kernel.hpp
      IsAsked |= Asks && Asks->getDeclName().isIdentifier() && Asks->getName() == "calls_or_not" && isOurs(SM, Asks->getLocation());
    }
    return IsAsked ? false : isOfBroken(SM);
  }

  /// Whether a launch is refused whose function could not be asked.
  bool isOfBroken(const SourceManager &SM) const {
    const auto IsBroken = [&](const TemplateArgument &One) {
      const CXXRecordDecl *Of = One.getKind() == TemplateArgument::Type ? One.getAsType()->getAsCXXRecordDecl() : nullptr;
      return Of && llvm::any_of(Broken, [&](const auto &Known) { return Known.first->getDeclContext() == Of; });
    };
    if (CI.getSema().CodeSynthesisContexts.empty())
      return false;
    const auto *Launch = dyn_cast_or_null<FunctionDecl>(CI.getSema().CodeSynthesisContexts.back().Entity);
    const TemplateArgumentList *Arguments = Launch && isOurs(SM, Launch->getLocation()) ? Launch->getTemplateSpecializationArgs() : nullptr;
    return Arguments && llvm::any_of(Arguments->asArray(), IsBroken);
  }

  /// In a header of SYCL's.
  static bool isOurs(const SourceManager &SM, SourceLocation Location) {
    if (!isInSystemHeader(SM, Location))
      return false;
    const StringRef File = SM.getFilename(SM.getExpansionLoc(Location));
    return File.contains("/sycl/") || File.contains("/CL/");
  }
  static bool isOurs(const StoredDiagnostic &D) { return D.getLocation().isValid() && isOurs(D.getLocation().getManager(), D.getLocation()); }
  static bool isUsers(const StoredDiagnostic &D) {
    return D.getLocation().isValid() && !isInSystemHeader(D.getLocation().getManager(), D.getLocation());
  }

  /// The innermost place in the user's code that asked for what is being instantiated now, if that goes through a header of ours.
  FullSourceLoc askedFor(const SourceManager &SM) const {
    if (!CI.hasSema())
      return {};
    for (const Sema::CodeSynthesisContext &Context : llvm::reverse(CI.getSema().CodeSynthesisContexts))
      if (const SourceLocation At = Context.PointOfInstantiation; At.isValid() && !isInSystemHeader(SM, At))
        return Context.Entity && isOurs(SM, Context.Entity->getLocation()) ? FullSourceLoc(At, SM) : FullSourceLoc();
    return {};
  }

  /// The user's function object of an entry's arguments, which come with a number of dimensions or without; properties wrap it in classes of ours.
  static const CXXRecordDecl *functionObject(const TemplateArgumentList &Arguments, const SourceManager &SM) {
    const CXXRecordDecl *Found = nullptr;
    for (const TemplateArgument &One : llvm::reverse(Arguments.asArray()))
      if (One.getKind() == TemplateArgument::Type && (Found = One.getAsType()->getAsCXXRecordDecl()))
        break;
    const auto *Wrapper = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Found);
    if (!Wrapper || !isOurs(SM, Wrapper->getLocation()))
      return Found;
    for (const TemplateArgument &Inner : Wrapper->getTemplateArgs().asArray())
      if (const CXXRecordDecl *Of = Inner.getKind() == TemplateArgument::Type ? Inner.getAsType()->getAsCXXRecordDecl() : nullptr;
          Of && !isOurs(SM, Of->getLocation()))
        return Of;
    return Found;
  }

  /// Two kernels of one name: clang names neither it nor the other one. Both are instantiations of the headers' entry for a name and a
  /// function object.
  void nameTwice(const SourceManager &SM) {
    if (!CI.hasSema() || CI.getSema().CodeSynthesisContexts.empty())
      return;
    const auto *Entry = dyn_cast_or_null<FunctionDecl>(CI.getSema().CodeSynthesisContexts.back().Entity);
    const TemplateArgumentList *Arguments = Entry ? Entry->getTemplateSpecializationArgs() : nullptr;
    if (!Arguments || Arguments->size() < 2 || Arguments->get(0).getKind() != TemplateArgument::Type)
      return;
    const SYCLKernelInfo *Known = CI.getASTContext().findSYCLKernelInfo(Arguments->get(0).getAsType());
    const TemplateArgumentList *Others = Known ? Known->getKernelEntryPointDecl()->getTemplateSpecializationArgs() : nullptr;
    const CXXRecordDecl *Other = Others ? functionObject(*Others, SM) : nullptr;
    if (!Other)
      return;
    const std::string Name = Arguments->get(0).getAsType().getAsString(CI.getASTContext().getPrintingPolicy());
    Instead = "two kernels of this file have the name '" + Name + "'; each needs a name of its own, or none";
    Because = FullSourceLoc(Other->getLocation(), SM);
  }

  /// A step of clang's way from an error out to the code that asked for it.
  static bool isStep(StringRef Note) {
    return Note.starts_with("in ") || Note.starts_with("while ") || Note.starts_with("during ") || Note.ends_with("requested here") || Note.ends_with("required here");
  }

  void release() {
    const std::vector<StoredDiagnostic> All = std::exchange(Held, {});
    if (All.empty())
      return;
    const StoredDiagnostic &Error = All.front();
    const auto Step =
        llvm::find_if(llvm::drop_begin(All), [](const StoredDiagnostic &D) { return isUsers(D) && isStep(D.getMessage()); });
    const FullSourceLoc At = Asked.isValid() ? Asked : Step != All.end() && std::any_of(All.begin(), Step, [](const StoredDiagnostic &D) { return isOurs(D); }) ? Step->getLocation() : Asked;
    if (At.isInvalid()) {
      for (const StoredDiagnostic &D : All)
        pass(D, D.getMessage());
      return;
    }
    const unsigned Place = At.getRawEncoding();
    if (Asserted.count(Place) || !Shown.emplace(Place, Error.getMessage().str()).second)
      return;
    if (Error.getMessage().starts_with("static assertion failed"))
      Asserted.insert(Place);
    passAt(Error, At, Instead.empty() ? Error.getMessage() : StringRef(Instead), Error.getID());
    if (!Instead.empty()) {
      passAt(Error, Because, "the other one is here", Diags.getCustomDiagID(DiagnosticsEngine::Note, "%0"));
      return;
    }
    passAt(Error, Error.getLocation(), "the error arises here, in the header", Diags.getCustomDiagID(DiagnosticsEngine::Note, "%0"));
    for (const StoredDiagnostic &Note : llvm::drop_begin(All))
      if (isUsers(Note) && !(isStep(Note.getMessage()) && Note.getLocation() == At))
        pass(Note, Note.getMessage());
  }
};

} // namespace

void showErrorsAtUsersLines(CompilerInstance &CI) {
  DiagnosticsEngine &Diags = CI.getDiagnostics();
  DiagnosticConsumer *Next = Diags.getClient();
  std::unique_ptr<DiagnosticConsumer> Owned = Diags.ownsClient() ? Diags.takeClient() : nullptr;
  Diags.setClient(new HeaderErrors(CI, std::move(Owned), Next), /*ShouldOwnClient=*/true);
}

} // namespace aspen
