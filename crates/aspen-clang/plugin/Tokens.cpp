//! Which tokens are edited. Lexing a large unit twice, into a list and out of it again, costs a per cent of its compilation, so only the
//! surroundings of our attributes go through a list.
//!
//!   * A file is searched for the names of our attributes when it is entered. So are the names of macros in whose definitions such a name
//!     stands, as soon as they are defined.
//!   * `Reach` bytes before such a spot, the tokens up to it are lexed into a list, edited and entered into the preprocessor again. An
//!     attribute behind a parameter list moves in front of it, so the list has to begin there; `Reach` is generous.
//!   * The search could miss what no text shows (a name put together by `##`, or with a line splice in it). Attributes that the parser
//!     meets and this stage has not met are errors (`noteAttribute`), so nothing is lost.
//!   * With macros from a precompiled header or one of clang's modules, the whole unit is one list.
//!   * The declarations of modules mean something to the preprocessor only if they come straight from the file: no list of a main file begins
//!     before the last of them.
//!
//! Clang's watcher is called for each token on its way to the parser, exactly once, also when the parser looks ahead or goes back; the token
//! is the last one that has left the lexers, so that what they yield next is what follows it.

#include "Tokens.h"
#include "Attributes.h"
#include "Diagnose.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

using namespace clang;
using llvm::StringRef;

namespace aspen {
namespace {

constexpr llvm::StringLiteral TagName = "__ASPEN_OBJECT_TAG__";
/// What stands for the tag until the last token is known: as source code, and as bytes.
constexpr llvm::StringLiteral TagSource = "\\001aspen-object-ta";
constexpr llvm::StringLiteral TagBytes = "\001aspen-object-ta";
static_assert(TagBytes.size() == 16);

/// Between a parameter list's `(` and an attribute behind it. Source: the longest one in SYCL-CTS has some 300 bytes.
constexpr unsigned Reach = 4096;

/// Parts of our attributes' names that hold all of them, so that a file is searched for few texts. `requires` is a word of C++ too.
/// Attributes of scope `intel` have too many names.
constexpr llvm::StringLiteral NameParts[] = {"device_has", "device_lacks", "uses_aspects", "group_size", "vec_type_hint",
                                             "requires",   "intel::",      "using intel",  TagName,
                                             "sycl = cl::sycl", "sycl=cl::sycl", "sycl = ::cl::sycl"};

/// Parts of the C library and of Linux in the system's folder of headers.
constexpr llvm::StringLiteral FoldersOfC[] = {"asm", "asm-generic", "bits", "gnu", "linux", "sys"};

bool isWordByte(char C) { return llvm::isAlnum(C) || C == '_' || C == '$' || (C & 0x80); }

/// Going into and out of caching is the preprocessor's own business, but LookAhead does it for everybody, in just this way.
template <auto In, auto Exit, auto Enter> struct CachingAccess {
  friend bool isCaching(const Preprocessor &PP) { return (PP.*In)(); }
  friend void exitCaching(Preprocessor &PP) { (PP.*Exit)(); }
  friend void enterCaching(Preprocessor &PP) { (PP.*Enter)(); }
};
bool isCaching(const Preprocessor &PP);
void exitCaching(Preprocessor &PP);
void enterCaching(Preprocessor &PP);

/// Coverage has a watcher too, and has the tokens of directives shown to it.
template <auto Level, auto Watcher> struct WatcherAccess {
  friend bool isForParser(const Preprocessor &PP) { return PP.*Level == 0; }
  friend auto takeWatcher(Preprocessor &PP) -> llvm::unique_function<void(const Token &)> { return std::move(PP.*Watcher); }
};
bool isForParser(const Preprocessor &PP);
llvm::unique_function<void(const Token &)> takeWatcher(Preprocessor &PP);

/// An explicit instantiation may name private members. Source: C++17 [temp.explicit] p12.
template struct CachingAccess<&Preprocessor::InCachingLexMode, &Preprocessor::ExitCachingLexMode, &Preprocessor::EnterCachingLexMode>;
template struct WatcherAccess<&Preprocessor::LexLevel, &Preprocessor::OnToken>;

/// What the tag is made of. In which order SYCL's header and those of C++ come must not matter: the first may be precompiled (0037).
struct TagState {
  uint64_t Ordered = 0, Sum = 0;

  bool isEmpty() const { return Ordered == 0 && Sum == 0; }
  std::string text() const { return digits(Ordered) + digits(Sum); }
  std::string tag() const { return digits(llvm::xxh3_64bits(text())); }
  /// Reads what `text` has written. False: it is something else.
  bool parse(StringRef Text) {
    TagState Read;
    const bool Good =
        Text.size() == 32 && !Text.take_front(16).getAsInteger(16, Read.Ordered) && !Text.drop_front(16).getAsInteger(16, Read.Sum);
    if (Good)
      *this = Read;
    return Good;
  }

private:
  static std::string digits(uint64_t Number) { return llvm::utohexstr(Number, /*LowerCase=*/true, /*Width=*/16); }
};

} // namespace

class TokenWatch {
  Preprocessor &PP;
  const SourceManager &SM;
  const bool MakesTag;
  /// Whether the whole unit is one list.
  const bool Everything;
  bool Runs = false;
  /// Where the last declaration of a module or of an import ends in the main file; 0: there is none.
  unsigned Declared = 0;

  /// Texts to search files for: parts of names, then macros.
  std::vector<std::string> Words;
  /// Identifiers that are or lead to one of our attributes.
  llvm::DenseSet<const IdentifierInfo *> Names;
  const IdentifierInfo *TagId;
  const IdentifierInfo *RequiresId;

  /// A part of a file, by offsets, whose tokens go through a list.
  struct Stretch {
    unsigned Begin, End;
  };
  struct File {
    size_t Searched = 0; ///< how many of the words
    std::vector<unsigned> Spots;
    llvm::SmallVector<Stretch, 0> Stretches;
  };
  llvm::DenseMap<FileID, File> Files;
  FileID Current;
  /// From this place on a token of the current file begins a list; raw encoding.
  static constexpr unsigned Never = ~0u;
  unsigned Trigger = Never;
  bool Listing = false;

  TagState State;
  /// The user's files, and libraries of which we know nothing; those of C++ and SYCL; those of C and clang.
  enum class Part { InOrder, InAnyOrder, None };
  /// The file that has the last token, where no line marker in it says otherwise; raw encodings.
  unsigned PartBegin = 0, PartEnd = 0;
  Part InPart = Part::InOrder;
  /// The folder of clang's own headers.
  const std::string Builtin;
  std::string Buffer;

public:
  TokenWatch(CompilerInstance &CI, bool MakesTag, StringRef Prefix)
      : PP(CI.getPreprocessor()), SM(CI.getSourceManager()), MakesTag(MakesTag),
        Everything(!CI.getPreprocessorOpts().ImplicitPCHInclude.empty() || CI.getHeaderSearchOpts().ImplicitModuleMaps),
        Words(std::begin(NameParts), std::end(NameParts)), TagId(PP.getIdentifierInfo(TagName)), RequiresId(PP.getIdentifierInfo("requires")),
        Builtin(CI.getHeaderSearchOpts().ResourceDir) {
    // What is no state is of an older Aspen; any number tells such units apart from others.
    if (!Prefix.empty() && !State.parse(Prefix))
      State.Ordered = llvm::xxh3_64bits(Prefix);
    for (const std::string &Name : attributeNames())
      Names.insert(PP.getIdentifierInfo(Name));
    for (StringRef Name : {"intel", "intelfpga", "intel_reqd_sub_group_size"})
      Names.insert(PP.getIdentifierInfo(Name));
  }

  bool runs() const { return Runs; }

  void start() {
    if (!PP.getCurrentLexer() || PP.isIncrementalProcessingEnabled() || PP.isCodeCompletionEnabled())
      return;
    Runs = true;
    Declared = endOfModuleDeclarations();
    expectNotedAttributes();
    if (Everything)
      Trigger = 0;
    else
      enter(Current);
  }

  /// The preprocessor goes on in that file.
  void enter(FileID File) {
    Current = File;
    if (Runs && !Everything)
      aim(0);
  }

  void defined(const Token &Name, const MacroInfo &Macro) {
    if (!Runs || Everything || !leadsToOurs(Macro))
      return;
    watch(Name.getIdentifierInfo());
  }

  /// A token on its way to the parser.
  void see(Token &Tok) {
    const bool Waits = Listing || Tok.getLocation().getRawEncoding() < Trigger;
    if (Waits && !MakesTag)
      return;
    if (Tok.isAnnotation() && !tok::isPragmaAnnotation(Tok.getKind()))
      return; // of the parser, made of tokens that have been here
    if (MakesTag)
      add(Tok);
    if (Waits)
      return;
    if (Everything || isInStretch(Tok))
      list(Tok);
  }

  /// Final once the last token has been seen.
  TagState state() const { return Runs && MakesTag ? State : TagState(); }

private:
  /// By what stands on lines of its own, outside of comments and directives. An `import` that is no declaration costs at most the right to put
  /// attributes behind a parameter list before it, which is an error then.
  unsigned endOfModuleDeclarations() const {
    if (!PP.getLangOpts().CPlusPlusModules)
      return 0;
    const FileID Main = SM.getMainFileID();
    const StringRef Text = SM.getBufferOrFake(Main).getBuffer();
    if (!Text.contains("module") && !Text.contains("import"))
      return 0;
    Lexer Raw(Main, SM.getBufferOrFake(Main), SM, PP.getLangOpts());
    unsigned End = 0;
    bool InDeclaration = false, AfterExport = false;
    Token Tok;
    for (Raw.LexFromRawLexer(Tok); Tok.isNot(tok::eof); Raw.LexFromRawLexer(Tok)) {
      const StringRef Word = Tok.is(tok::raw_identifier) ? Tok.getRawIdentifier() : StringRef();
      InDeclaration |= (Tok.isAtStartOfLine() || AfterExport) && (Word == "module" || Word == "import");
      AfterExport = Tok.isAtStartOfLine() && Word == "export";
      if (InDeclaration && Tok.is(tok::semi)) {
        End = SM.getFileOffset(Tok.getLocation()) + 1;
        InDeclaration = false;
      }
    }
    return End;
  }

  // Where lists begin and end.

  bool leadsToOurs(const MacroInfo &Macro) const {
    const Token *Before = nullptr;
    for (const Token &Tok : Macro.tokens()) {
      const IdentifierInfo *Id = Tok.isAnnotation() || Tok.isLiteral() ? nullptr : Tok.getIdentifierInfo();
      // The word of C++ never follows these.
      const bool Ours = Id && (Id != RequiresId || !Before || Before->isOneOf(tok::coloncolon, tok::colon, tok::comma, tok::l_square));
      if (Ours && Names.contains(Id))
        return true;
      Before = &Tok;
    }
    return false;
  }

  /// Uses of that macro are spots, and uses of macros that use it, whichever of them was defined first.
  void watch(const IdentifierInfo *Macro) {
    std::vector<const IdentifierInfo *> Work = {Macro};
    while (!Work.empty()) {
      const IdentifierInfo *Id = Work.back();
      Work.pop_back();
      if (!Names.insert(Id).second)
        continue;
      Words.push_back(Id->getName().str());
      for (const auto &[Other, State] : PP.macros())
        if (const MacroInfo *Info = Names.contains(Other) ? nullptr : PP.getMacroInfo(Other); Info && leadsToOurs(*Info))
          Work.push_back(Other);
    }
    aim(offsetInCurrent());
  }

  /// How far the current file has been read.
  unsigned offsetInCurrent() const {
    auto *Reader = static_cast<Lexer *>(PP.getCurrentFileLexer());
    return Reader && Reader->getFileID() == Current ? Reader->getCurrentBufferOffset() : 0;
  }

  /// Sets the trigger for what follows the offset in the current file.
  void aim(unsigned Offset) {
    const File &F = searched(Current);
    const Stretch *Next = firstNotBefore(F, Offset);
    Trigger = Next == F.Stretches.end() ? Never : SM.getLocForStartOfFile(Current).getRawEncoding() + Next->Begin;
  }

  static const Stretch *firstNotBefore(const File &F, unsigned Offset) {
    return llvm::partition_point(F.Stretches, [=](const Stretch &S) { return S.End < Offset; });
  }

  const File &searched(FileID Id) {
    File &F = Files[Id];
    if (F.Searched == Words.size() || Id.isInvalid())
      return F;
    const StringRef Text = SM.getBufferOrFake(Id).getBuffer();
    if (F.Searched == 0)
      searchErrors(Text, F.Spots);
    for (; F.Searched < Words.size(); ++F.Searched)
      search(Text, Words[F.Searched], F.Searched >= std::size(NameParts), F.Spots);
    llvm::sort(F.Spots);
    F.Stretches.clear();
    const unsigned First = Id == SM.getMainFileID() ? Declared : 0;
    for (unsigned Spot : F.Spots) {
      if (Spot < First)
        continue;
      const unsigned Begin = std::max(First, Spot < Reach ? 0 : Spot - Reach);
      if (!F.Stretches.empty() && Begin <= F.Stretches.back().End)
        F.Stretches.back().End = Spot;
      else
        F.Stretches.push_back({Begin, Spot});
    }
    return F;
  }

  static void search(StringRef Text, StringRef Word, bool Whole, std::vector<unsigned> &Spots) {
    const char *Begin = Text.begin(), *End = Text.end();
    while (const void *Found = memmem(Begin, End - Begin, Word.data(), Word.size())) {
      const char *At = static_cast<const char *>(Found);
      Begin = At + Word.size();
      if (Whole && ((At > Text.begin() && isWordByte(At[-1])) || (Begin < End && isWordByte(*Begin))))
        continue;
      if (Word == "requires" && !mayBeAttribute(Text.take_front(At - Text.begin())))
        continue;
      Spots.push_back(At - Text.begin());
    }
  }

  /// Classes of errors of SYCL 1.2.1, named as `sycl::…`; the spots are their names.
  static void searchErrors(StringRef Text, std::vector<unsigned> &Spots) {
    constexpr llvm::StringLiteral Scope = "sycl::";
    for (size_t At = Text.find(Scope); At != StringRef::npos; At = Text.find(Scope, At)) {
      At += Scope.size();
      if (isOlderError(Text.substr(At).take_while(isWordByte)))
        Spots.push_back(At);
    }
  }

  /// What stands before `requires`: a scope, another attribute, or a comment, whatever that holds.
  static bool mayBeAttribute(StringRef Before) {
    if (Before.ends_with("__"))
      return true;
    const StringRef Code = Before.rtrim(" \t\r\n\v\f\\");
    return Code.ends_with(":") || Code.ends_with(",") || Code.ends_with("/") || Code.ends_with("[");
  }

  /// What macros make counts as all of their use, since they may turn round what they are given.
  bool isInStretch(const Token &Tok) {
    const SourceLocation Place = Tok.getLocation();
    const CharSourceRange Use = Place.isMacroID() ? SM.getExpansionRange(Place) : CharSourceRange();
    const auto [Id, Begin] = SM.getDecomposedLoc(Place.isMacroID() ? Use.getBegin() : Place);
    const unsigned End = Place.isMacroID() ? std::max(Begin, SM.getDecomposedLoc(Use.getEnd()).second) : Begin;
    const Stretch *Next = firstNotBefore(searched(Id), Begin);
    if (Next != searched(Id).Stretches.end() && Next->Begin <= End)
      return true;
    if (Id == Current && Place.isFileID())
      aim(Begin);
    return false;
  }

  /// Makes a list of what follows, as long as there are spots in reach and in specifiers that have begun, and edits it.
  void list(Token &First) {
    Listing = true;
    const bool Caching = isCaching(PP);
    if (Caching)
      exitCaching(PP);
    TokenList List = {First};
    const tok::TokenKind FirstKind = First.getKind();
    /// Where an outermost `[[` or `__attribute__((` stands, while it is open, and the brackets that are open in it.
    std::optional<size_t> Specifier;
    llvm::SmallVector<tok::TokenKind, 8> Open;
    /// Where `namespace sycl =` stands, as long as its `;` has not come.
    std::optional<size_t> Alias;
    note(List, false);
    // A list is empty where a faulty attribute was all of it.
    while (List.empty() || (List.back().isNot(tok::eof) && (Everything || Specifier || Alias || isInStretch(List.back())))) {
      List.emplace_back();
      PP.Lex(List.back());
      const Token &Tok = List.back();
      note(List, Specifier.has_value());
      if (Alias && Tok.isOneOf(tok::semi, tok::eof)) {
        editAlias(PP, List, *Alias);
        Alias.reset();
        continue;
      }
      if (beginsAlias(List))
        Alias = List.size() - 3;
      if (!Specifier) {
        const size_t Size = List.size();
        if (Size > 1 && Tok.is(tok::l_square) && List[Size - 2].is(tok::l_square)) {
          Specifier = Size - 2;
          Open = {tok::r_square, tok::r_square};
        } else if (Size > 2 && Tok.is(tok::l_paren) && List[Size - 2].is(tok::l_paren) && List[Size - 3].is(tok::kw___attribute)) {
          Specifier = Size - 3;
          Open = {tok::r_paren, tok::r_paren};
        }
      } else if (opens(Tok)) {
        Open.push_back(Tok.is(tok::l_paren) ? tok::r_paren : Tok.is(tok::l_square) ? tok::r_square : tok::r_brace);
      } else if (Tok.is(tok::eof) || (closes(Tok) && (Open.pop_back_val() != Tok.getKind() || Open.empty()))) {
        editAttributes(PP, List, *Specifier);
        Specifier.reset();
      }
    }
    const bool Changed = List.front().getKind() != FirstKind || List.front().getLocation() != First.getLocation();
    First = List.front();
    if (List.size() > 1) {
      auto Rest = std::make_unique<Token[]>(List.size() - 1);
      std::copy(List.begin() + 1, List.end(), Rest.get());
      PP.EnterTokenStream(std::move(Rest), List.size() - 1, /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
    }
    if (Caching) {
      enterCaching(PP);
      if (Changed)
        PP.ReplacePreviousCachedToken(First);
    }
    Listing = false;
  }

  /// The last token: the tag becomes a literal; attributes are known to have been here, by where clang says that they begin.
  void note(TokenList &List, bool InSpecifier) {
    Token &Tok = List.back();
    if (Tok.isAnnotation() || Tok.isLiteral())
      return;
    const IdentifierInfo *Id = Tok.getIdentifierInfo();
    if (Id && Id == TagId) {
      Tok = textToken(PP, MakesTag ? StringRef(TagSource) : StringRef("0000000000000000"), Tok.getLocation());
    } else if (Id && Tok.is(tok::identifier)) {
      editError(PP, List);
    }
    if (Id && InSpecifier && Names.contains(Id)) {
      const bool Scoped = List.size() > 2 && List[List.size() - 2].is(tok::coloncolon);
      noteAttribute(List[List.size() - (Scoped ? 3 : 1)].getLocation());
    }
  }

  // The tag.

  /// Kind and spelling. `__FILE__` is the one way by which a path becomes a token; it is left out, so that a build in another folder gives
  /// the same tag. In preprocessed text nobody sees that a macro made it, so a file's own name never counts. Neither do the ends of files,
  /// which only main files have, nor the headers of C and of clang, which declare this or that depending on what came before.
  void add(const Token &Tok) {
    if (Tok.is(tok::eof))
      return;
    const Part Where = partAt(SM.getExpansionLoc(Tok.getLocation()));
    if (Where == Part::None)
      return;
    StringRef Spelling;
    llvm::SmallString<64> Space;
    if (Tok.isLiteral()) {
      Spelling = PP.getSpelling(Tok, Space);
      if (Tok.is(tok::string_literal) && isFileName(Spelling, Tok))
        return;
    } else if (!Tok.isAnnotation()) {
      if (const IdentifierInfo *Id = Tok.getIdentifierInfo())
        Spelling = Id->getName();
    }
    Buffer.resize(2 + Spelling.size());
    Buffer[0] = char(Tok.getKind() & 0xff);
    Buffer[1] = char(Tok.getKind() >> 8);
    std::memcpy(Buffer.data() + 2, Spelling.data(), Spelling.size());
    const uint64_t Hash = llvm::xxh3_64bits(Buffer);
    if (Where == Part::InAnyOrder)
      State.Sum += Hash;
    else
      State.Ordered = State.Ordered * 0x9e3779b97f4a7c15 + Hash; // an odd number, so nothing of what came before is lost
  }

  /// What tokens of a file mean to the tag. By where a token is, not how far the preprocessor has come: the parser may have asked for tokens
  /// ahead.
  Part partAt(SourceLocation Place) {
    const unsigned Raw = Place.getRawEncoding();
    if (Raw >= PartBegin && Raw < PartEnd)
      return InPart;
    if (Place.isInvalid())
      return Part::InOrder;
    const FileID Id = SM.getFileID(Place);
    const SrcMgr::SLocEntry &Entry = SM.getSLocEntry(Id);
    PartBegin = Entry.getOffset();
    PartEnd = Entry.getFile().hasLineDirectives() ? PartBegin : PartBegin + SM.getFileIDSize(Id);
    InPart = SM.isInSystemHeader(Place) ? partOfSystemHeader(SM.getPresumedLoc(Place).getFilename()) : Part::InOrder;
    return InPart;
  }

  /// By its name: whether clang takes a file for one of C's depends on who included it first.
  Part partOfSystemHeader(StringRef File) const {
    if (File.starts_with(Builtin))
      return Part::None;
    for (StringRef Library : {"/c++/", "/sycl/", "/CL/"})
      if (File.contains(Library))
        return Part::InAnyOrder;
    if (!File.consume_front("/usr/include/"))
      return Part::InOrder;
    auto [Folder, Rest] = File.split('/');
    if (Folder.ends_with("-linux-gnu"))
      std::tie(Folder, Rest) = Rest.split('/');
    const bool IsC = Rest.empty() ? Folder.ends_with(".h") : llvm::is_contained(FoldersOfC, Folder);
    return IsC ? Part::None : Part::InOrder;
  }

  /// Whether a string is what `__FILE__` or `__BASE_FILE__` gives there; -fmacro-prefix-map may have changed its folder.
  bool isFileName(StringRef Literal, const Token &Tok) const {
    const StringRef Name = llvm::sys::path::filename(Literal.trim('"'));
    for (SourceLocation L : {SM.getExpansionLoc(Tok.getLocation()), SM.getLocForStartOfFile(SM.getMainFileID())})
      if (PresumedLoc Place = SM.getPresumedLoc(L); Place.isValid() && Name == llvm::sys::path::filename(Place.getFilename()))
        return true;
    return false;
  }
};

namespace {

class WatchCallbacks : public PPCallbacks {
  const SourceManager &SM;
  std::shared_ptr<TokenWatch> Watch;

public:
  WatchCallbacks(const SourceManager &SM, std::shared_ptr<TokenWatch> Watch) : SM(SM), Watch(std::move(Watch)) {}
  void FileChanged(SourceLocation Location, FileChangeReason Reason, SrcMgr::CharacteristicKind, FileID) override {
    if (Reason == EnterFile || Reason == ExitFile)
      Watch->enter(SM.getFileID(Location));
  }
  void MacroDefined(const Token &Name, const MacroDirective *Macro) override {
    if (Macro && Macro->getMacroInfo())
      Watch->defined(Name, *Macro->getMacroInfo());
  }
};

} // namespace

TokenStage::TokenStage(CompilerInstance &CI, bool MakesTag, StringRef Prefix)
    : Watch(std::make_shared<TokenWatch>(CI, MakesTag, Prefix)) {
  CI.getPreprocessor().addPPCallbacks(std::make_unique<WatchCallbacks>(CI.getSourceManager(), Watch));
}

TokenStage::~TokenStage() = default;

void TokenStage::start(Preprocessor &PP) {
  Watch->start();
  if (!Watch->runs())
    return;
  // The other one first: the last token is the one that it sees, whatever comes of it.
  PP.setTokenWatcher([&PP, Watch = Watch, Other = takeWatcher(PP)](const Token &Tok) mutable {
    if (Other)
      Other(Tok);
    if (isForParser(PP))
      Watch->see(const_cast<Token &>(Tok));
  });
}

std::string TokenStage::tag() const {
  const TagState State = Watch->state();
  return State.isEmpty() ? std::string() : State.tag();
}

std::string TokenStage::tagState() const {
  const TagState State = Watch->state();
  return State.isEmpty() ? std::string() : State.text();
}

void TokenStage::insertTag(llvm::Module &Module) const {
  const std::string Tag = tag();
  if (Tag.empty())
    return;
  for (llvm::GlobalVariable &G : Module.globals()) {
    auto *Bytes = G.hasInitializer() ? llvm::dyn_cast<llvm::ConstantDataArray>(G.getInitializer()) : nullptr;
    if (Bytes && Bytes->isCString() && Bytes->getAsCString() == TagBytes)
      G.setInitializer(llvm::ConstantDataArray::getString(Module.getContext(), Tag));
  }
}

} // namespace aspen
