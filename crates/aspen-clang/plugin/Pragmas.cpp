//! Clang calls a group that it does not know an unknown warning and forgets it, and offers no way to add one. So the two `diagnostic`
//! pragmas are handled here: ours is logged, every other is done exactly as clang's own handler does it (Lex/Pragma.cpp).

#include "Pragmas.h"
#include "Names.h"

#include "clang/Basic/DiagnosticLex.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace aspen {
namespace {

class DiagnosticPragma : public PragmaHandler {
  const char *Namespace;
  std::shared_ptr<PragmaLog> Log;

public:
  DiagnosticPragma(const char *Namespace, std::shared_ptr<PragmaLog> Log)
      : PragmaHandler("diagnostic"), Namespace(Namespace), Log(std::move(Log)) {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer, Token &DiagToken) override {
    const SourceLocation Location = DiagToken.getLocation();
    PPCallbacks *Callbacks = PP.getPPCallbacks();
    Token Tok;
    PP.LexUnexpandedToken(Tok);
    if (Tok.isNot(tok::identifier)) {
      PP.Diag(Tok, diag::warn_pragma_diagnostic_invalid);
      return;
    }
    const IdentifierInfo *Id = Tok.getIdentifierInfo();
    PP.LexUnexpandedToken(Tok);
    if (Id->isStr("pop") || Id->isStr("push")) {
      stack(PP, Id->isStr("pop"), Location, Tok, Callbacks);
      if (Tok.isNot(tok::eod))
        PP.Diag(Tok.getLocation(), diag::warn_pragma_diagnostic_invalid_token);
      return;
    }
    auto Severity = llvm::StringSwitch<diag::Severity>(Id->getName())
                        .Case("ignored", diag::Severity::Ignored)
                        .Case("warning", diag::Severity::Warning)
                        .Case("error", diag::Severity::Error)
                        .Case("fatal", diag::Severity::Fatal)
                        .Default(diag::Severity());
    if (Severity == diag::Severity()) {
      PP.Diag(Tok, diag::warn_pragma_diagnostic_invalid);
      return;
    }
    const SourceLocation NameLocation = Tok.getLocation();
    std::string Option;
    if (!PP.FinishLexStringLiteral(Tok, Option, "pragma diagnostic", /*AllowMacroExpansion=*/false))
      return;
    if (Tok.isNot(tok::eod)) {
      PP.Diag(Tok.getLocation(), diag::warn_pragma_diagnostic_invalid_token);
      return;
    }
    const auto *Ours = llvm::find_if(PragmaLog::Groups, [&](llvm::StringRef Group) { return Option == ("-W" + Group).str(); });
    if (Ours != std::end(PragmaLog::Groups)) {
      Log->set(Location, Ours - std::begin(PragmaLog::Groups), Severity);
      return;
    }
    if (llvm::any_of(PragmaLog::LinkGroups, [&](llvm::StringRef Group) { return Option == ("-W" + Group).str(); }))
      return;
    if (Option.size() < 3 || Option[0] != '-' || (Option[1] != 'W' && Option[1] != 'R')) {
      PP.Diag(NameLocation, diag::warn_pragma_diagnostic_invalid_option);
      return;
    }
    const diag::Flavor Flavor = Option[1] == 'W' ? diag::Flavor::WarningOrError : diag::Flavor::Remark;
    const llvm::StringRef Group = llvm::StringRef(Option).substr(2);
    bool Unknown = false;
    if (Group == "everything") {
      // As in clang: not warnings that are off for this language, but all that can be on.
      for (size_t Index = 0; Flavor == diag::Flavor::WarningOrError && Index < std::size(PragmaLog::Groups); ++Index)
        Log->set(Location, Index, Severity);
      PP.getDiagnostics().setSeverityForAll(Flavor, Severity, Location);
    } else {
      Unknown = PP.getDiagnostics().setSeverityForGroup(Flavor, Group, Severity, Location);
    }
    if (Unknown)
      PP.Diag(NameLocation, diag::warn_pragma_diagnostic_unknown_warning) << Option;
    else if (Callbacks)
      Callbacks->PragmaDiagnostic(Location, Namespace, Severity, Option);
  }

private:
  void stack(Preprocessor &PP, bool Pop, SourceLocation Location, const Token &After, PPCallbacks *Callbacks) {
    if (!Pop) {
      PP.getDiagnostics().pushMappings(Location);
      Log->push();
      if (Callbacks)
        Callbacks->PragmaDiagnosticPush(Location, Namespace);
      return;
    }
    Log->pop(Location);
    if (!PP.getDiagnostics().popMappings(Location))
      PP.Diag(After, diag::warn_pragma_diagnostic_cannot_pop);
    else if (Callbacks)
      Callbacks->PragmaDiagnosticPop(Location, Namespace);
  }
};

class FileWatcher : public PPCallbacks {
  std::shared_ptr<PragmaLog> Log;

public:
  explicit FileWatcher(std::shared_ptr<PragmaLog> Log) : Log(std::move(Log)) {}
  void FileChanged(SourceLocation Location, FileChangeReason, SrcMgr::CharacteristicKind, FileID) override { Log->moved(Location); }
};

llvm::StringRef word(diag::Severity Severity) {
  if (Severity == diag::Severity())
    return "default";
  switch (Severity) {
  case diag::Severity::Ignored:
    return "ignored";
  case diag::Severity::Error:
  case diag::Severity::Fatal:
    return "error";
  default:
    return "warning";
  }
}

} // namespace

void PragmaLog::set(SourceLocation Location, size_t Group, diag::Severity Severity) {
  Current[Group] = Severity;
  Entries.push_back({Location, Group, Severity});
}

void PragmaLog::pop(SourceLocation Location) {
  if (Stack.empty())
    return;
  const Severities Before = Stack.back();
  Stack.pop_back();
  for (size_t Group = 0; Group < Before.size(); ++Group)
    if (Before[Group] != Current[Group])
      set(Location, Group, Before[Group]);
}

void PragmaLog::moved(SourceLocation Location) {
  // Nothing to remember until a pragma has been seen: the default holds everywhere.
  if (!Entries.empty())
    for (size_t Group = 0; Group < Current.size(); ++Group)
      Entries.push_back({Location, Group, Current[Group]});
}

llvm::json::Array PragmaLog::toJson(const SourceManager &SM) const {
  llvm::json::Array Result;
  for (const Entry &E : Entries) {
    llvm::json::Value Where = place(SM, E.Location);
    if (llvm::json::Object *Object = Where.getAsObject()) {
      (*Object)["group"] = Groups[E.Group];
      (*Object)["severity"] = word(E.Severity);
      Result.push_back(std::move(Where));
    }
  }
  return Result;
}

void watchDiagnosticPragmas(CompilerInstance &CI, std::shared_ptr<PragmaLog> Log) {
  Preprocessor &PP = CI.getPreprocessor();
  for (const char *Namespace : {"clang", "GCC"}) {
    // RemovePragmaHandler goes by the name, so this takes clang's own out; the preprocessor then owns ours.
    auto *Handler = new DiagnosticPragma(Namespace, Log);
    PP.RemovePragmaHandler(Namespace, Handler);
    PP.AddPragmaHandler(Namespace, Handler);
  }
  PP.addPPCallbacks(std::make_unique<FileWatcher>(Log));
}

} // namespace aspen
