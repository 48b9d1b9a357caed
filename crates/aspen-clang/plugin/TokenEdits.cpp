//! Why tokens: clang's parser has no hook for plugin attributes in these places, all of which SYCL allows and tests:
//!
//!   * after a parameter list, `[=]() [[sycl::device_has(A)]] {}`: "cannot be applied to types". Moved before the list.
//!   * a lone identifier as first argument, `device_has(A)`: parsed as a name, not an expression. Put in parentheses.
//!   * a lone identifier as a number, `reqd_sub_group_size(n)`: a lambda without a default would have to capture a local constant. Made `+n`.
//!   * packs and `vec_type_hint(T)`: closed tables in the parser. Written as `clang::annotate`; behind that of a pack the attribute follows
//!     with a mark for its arguments, so that what is checked of every attribute is checked of this one.
//!   * `named_sub_group_size(automatic)`: no such expression. Made a string.
//!   * `requires(has(A))`: an older spelling of the same list. `has()` is dropped.
//!   * `__attribute__((reqd_work_group_size(X, Y, Z)))` and relatives: clang takes them on kernels of OpenCL only. Written as `annotate`.
//!   * `namespace sycl = cl::sycl;` of programs for SYCL 1.2.1: no alias may have the name of a namespace. Made `using namespace cl;`.
//!   * `sycl::runtime_error` and the other classes of errors of SYCL 1.2.1, which DPC++ had until 2024: `sycl::exception`. Their names are nobody
//!     else's to have in `sycl` (aliases there would clash with `std::runtime_error` where both namespaces are used).
//!   * `[[intel::ivdep]]` and others that mean nothing here (OlderSpellings.h): left out, since clang would complain of some where they stand.
//!
//! The edits are a strict subset of C++'s grammar, and only attributes of ours are touched. It runs after macro expansion, so macros are no
//! special case.

#include "TokenEdits.h"
#include "Attributes.h"
#include "Diagnose.h"
#include "OlderSpellings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <optional>

using namespace clang;
using llvm::StringRef;
using llvm::Twine;

namespace aspen {
namespace {

tok::TokenKind partner(tok::TokenKind Kind) {
  switch (Kind) {
  case tok::l_paren:
    return tok::r_paren;
  case tok::l_square:
    return tok::r_square;
  case tok::l_brace:
    return tok::r_brace;
  default:
    return tok::unknown;
  }
}

/// One attribute of a `[[…]]`.
struct Item {
  size_t Begin;            ///< its first token
  size_t End;              ///< one past its last
  size_t Name;             ///< the attribute's name
  size_t Open = 0;         ///< its parentheses, if it has them
  size_t Close = 0;
  const AttributeSpec *Spec = nullptr; ///< ours
  const IdleAttribute *Idle = nullptr; ///< known, and without a meaning
};

class Editor {
  Preprocessor &PP;
  TokenList &T;
  struct Edit {
    size_t Begin, End;
    TokenList With;
  };
  std::vector<Edit> Edits;

public:
  Editor(Preprocessor &PP, TokenList &Tokens) : PP(PP), T(Tokens) {}

  void editAttributes(size_t From) {
    for (size_t I = From; I + 4 < T.size(); ++I) {
      size_t End = 0;
      if (T[I].is(tok::l_square) && T[I + 1].is(tok::l_square))
        End = specifierEnd(I);
      else if (T[I].is(tok::kw___attribute) && T[I + 1].is(tok::l_paren) && T[I + 2].is(tok::l_paren))
        editGnu(I + 2);
      if (End && editSpecifier(I, End))
        I = End;
    }
  }

  /// All edits stand near the end of the list, so what comes before them is not copied.
  void apply() {
    if (Edits.empty())
      return;
    std::stable_sort(Edits.begin(), Edits.end(), [](const Edit &A, const Edit &B) { return A.Begin < B.Begin; });
    const size_t First = Edits.front().Begin;
    TokenList Result;
    size_t Position = First;
    for (const Edit &E : Edits) {
      Result.append(T.begin() + Position, T.begin() + E.Begin);
      Result.append(E.With.begin(), E.With.end());
      Position = E.End;
    }
    Result.append(T.begin() + Position, T.end());
    T.truncate(First);
    T.append(Result.begin(), Result.end());
  }

private:
  /// The identifier or keyword there, or nothing.
  StringRef word(size_t I) const {
    if (I >= T.size() || T[I].isAnnotation() || T[I].isLiteral())
      return {};
    const IdentifierInfo *Id = T[I].getIdentifierInfo();
    return Id ? Id->getName() : StringRef();
  }
  bool is(size_t I, tok::TokenKind Kind) const { return I < T.size() && T[I].is(Kind); }

  /// The bracket that closes the one at `I`, or 0 if they do not nest.
  size_t forward(size_t I) const {
    llvm::SmallVector<tok::TokenKind, 8> Expected;
    for (; I < T.size(); ++I) {
      if (opens(T[I]))
        Expected.push_back(partner(T[I].getKind()));
      else if (closes(T[I])) {
        if (Expected.pop_back_val() != T[I].getKind())
          return 0;
        if (Expected.empty())
          return I;
      }
    }
    return 0;
  }

  /// The bracket that opens the one closed at `I`, or 0.
  size_t backward(size_t I) const {
    llvm::SmallVector<tok::TokenKind, 8> Expected;
    for (; I > 0; --I) {
      if (closes(T[I]))
        Expected.push_back(T[I].getKind());
      else if (opens(T[I])) {
        if (Expected.empty() || Expected.pop_back_val() != partner(T[I].getKind()))
          return 0;
        if (Expected.empty())
          return I;
      }
    }
    return 0;
  }

  /// The last `]` of the attribute specifier at `I`, or 0 if it is none.
  size_t specifierEnd(size_t I) const {
    if (word(I + 2).empty())
      return 0;
    size_t End = forward(I);
    return End && forward(I + 1) == End - 1 ? End : 0;
  }

  Token make(tok::TokenKind Kind, SourceLocation Location, unsigned Length = 1) const {
    Token R;
    R.startToken();
    R.setKind(Kind);
    R.setLocation(Location);
    R.setLength(Length);
    return R;
  }
  Token name(StringRef Name, SourceLocation Location) const {
    IdentifierInfo *Id = PP.getIdentifierInfo(Name);
    Token R = make(Id->getTokenID(), Location, Name.size());
    R.setIdentifierInfo(Id);
    return R;
  }
  Token text(StringRef Text, SourceLocation Location) const { return textToken(PP, Text, Location); }

  /// If `I` stands behind a parameter list, the list's `(`, or behind the specifiers of a lambda that has none, the first of those; else 0.
  size_t parameterList(size_t I) const {
    for (size_t P = I == 0 ? 0 : I - 1; P > 0;) {
      if (T[P].isOneOf(tok::kw_mutable, tok::kw_constexpr, tok::kw_consteval, tok::kw_static, tok::kw_noexcept, tok::kw_const, tok::kw_volatile,
                       tok::amp, tok::ampamp)) {
        --P;
        continue;
      }
      if (T[P].is(tok::r_square)) { // another attribute specifier
        size_t Open = backward(P);
        if (!Open || !is(Open + 1, tok::l_square) || forward(Open + 1) != P - 1)
          return Open && P + 1 < I ? P + 1 : 0; // the introducer of a lambda without a list: in front of its specifiers
        P = Open - 1;
        continue;
      }
      if (T[P].isNot(tok::r_paren))
        return 0;
      size_t Open = backward(P);
      if (Open < 2)
        return 0;
      if (T[Open - 1].is(tok::kw_operator) && Open + 1 == P)
        return 0; // the name `operator()`
      if (T[Open - 1].isOneOf(tok::kw_noexcept, tok::kw_throw, tok::kw___attribute)) {
        P = Open - 2;
        continue;
      }
      if (T[Open - 1].isOneOf(tok::ampamp, tok::pipepipe) && T[Open - 2].isNot(tok::kw_operator))
        return 0; // an operand of a requires-clause
      // The parentheses of something else; an attribute behind them belongs to the statement or declaration that follows.
      if (T[Open - 1].isOneOf(tok::kw_if, tok::kw_while, tok::kw_for, tok::kw_switch, tok::kw_decltype, tok::kw_alignas, tok::kw_requires,
                              tok::kw_typeof, tok::kw_explicit, tok::kw___declspec, tok::kw__BitInt))
        return 0;
      return Open;
    }
    return 0;
  }

  /// `operator T() const [[…]]`: before the list an attribute would belong to the type `T`, so it goes to the declaration's start.
  size_t beforeConversion(size_t List) const {
    size_t Operator = List;
    while (T[Operator].isNot(tok::kw_operator)) {
      if (Operator-- == 0)
        return List; // the file's first declaration
      if (closes(T[Operator]) || opens(T[Operator]) || T[Operator].isOneOf(tok::semi, tok::equal, tok::comma))
        return List;
    }
    const Token &First = T[Operator + 1];
    const bool NamesType = First.is(tok::coloncolon) || !word(Operator + 1).empty();
    if (!NamesType || First.isOneOf(tok::kw_new, tok::kw_delete, tok::kw_co_await))
      return List; // an operator of another kind, or none at all
    size_t Start = Operator;
    while (Start > 0 && !T[Start - 1].isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::colon) &&
           !(T[Start - 1].is(tok::greater) && T[Start].isNot(tok::coloncolon)))
      --Start;
    return Start;
  }

  /// Splits a specifier into its attributes; nothing if it is not well-formed, which is then clang's to report.
  std::optional<std::vector<Item>> items(size_t Begin, size_t End, StringRef &Using) const {
    std::vector<Item> Result;
    size_t I = Begin + 2;
    if (word(I) == "using" && is(I + 2, tok::colon)) {
      Using = word(I + 1);
      I += 3;
    }
    while (I < End - 1) {
      if (T[I].is(tok::comma)) {
        ++I;
        continue;
      }
      Item Next{I, 0, I};
      StringRef Scope = Using;
      if (is(I + 1, tok::coloncolon)) {
        Scope = word(I);
        Next.Name = I + 2;
      }
      if (word(Next.Name).empty())
        return std::nullopt;
      I = Next.Name + 1;
      if (is(I, tok::l_paren)) {
        Next.Open = I;
        Next.Close = forward(I);
        if (!Next.Close || Next.Close >= End - 1)
          return std::nullopt;
        I = Next.Close + 1;
      }
      if (is(I, tok::ellipsis))
        ++I;
      Next.End = I;
      Next.Spec = findAttribute(Scope, word(Next.Name));
      Next.Idle = findIdleAttribute(Scope, word(Next.Name));
      Result.push_back(Next);
    }
    return Result;
  }

  bool editSpecifier(size_t Begin, size_t End) {
    StringRef Using;
    std::optional<std::vector<Item>> Items = items(Begin, End, Using);
    if (!Items || llvm::none_of(*Items, [](const Item &I) { return I.Spec || I.Idle; }))
      return false;
    const size_t Parameters = parameterList(Begin);
    const size_t List = Parameters ? beforeConversion(Parameters) : 0; // which may be the file's first token
    TokenList Stay, Move;
    bool Emptied = false; // then brackets stay: where a statement begins matters to clang's warnings
    for (const Item &I : *Items) {
      if (I.Idle && !I.Spec) {
        Emptied = true;
        if (I.Idle->Warning && !PP.getDiagnostics().getIgnoreAllWarnings())
          warning(PP.getDiagnostics(), T[I.Begin].getLocation(), I.Idle->Warning) << ("intel::" + Twine(I.Idle->Name)).str();
        continue;
      }
      TokenList &To = I.Spec && Parameters ? Move : Stay;
      TokenList Attribute;
      if (I.Spec) {
        Attribute = rewrite(I, Using);
        if (Attribute.empty())
          continue; // an error, reported
      } else {
        if (!Using.empty())
          Attribute = {name(Using, T[I.Begin].getLocation()), make(tok::coloncolon, T[I.Begin].getLocation(), 2)};
        Attribute.append(T.begin() + I.Begin, T.begin() + I.End);
      }
      if (!To.empty())
        To.push_back(make(tok::comma, Attribute.front().getLocation()));
      To.append(Attribute.begin(), Attribute.end());
    }
    if (!Move.empty())
      Edits.push_back({List, List, bracketed(Begin, End, Move)});
    Edits.push_back({Begin, End + 1, Stay.empty() && !Emptied ? TokenList() : bracketed(Begin, End, Stay)});
    return true;
  }

  /// The list of `__attribute__((…))`, whose inner parenthesis is at `Open`.
  void editGnu(size_t Open) {
    const size_t Close = forward(Open);
    for (size_t I = Open + 1; I < Close;) {
      size_t End = I;
      while (End < Close && T[End].isNot(tok::comma)) {
        const size_t Last = opens(T[End]) ? forward(End) : End;
        if (!Last)
          return;
        End = Last + 1;
      }
      if (const GnuAttribute *Known = findGnuAttribute(word(I)))
        Edits.push_back({I, End, Known->Annotation ? annotated(I, End, Known->Annotation) : TokenList()});
      I = End + 1;
    }
  }

  /// `name(…)` as `annotate("…", …)`.
  TokenList annotated(size_t Begin, size_t End, StringRef Annotation) const {
    const SourceLocation Start = T[Begin].getLocation();
    TokenList Result = {name("annotate", Start), make(tok::l_paren, Start), text(Annotation, Start)};
    if (End > Begin + 3) {
      Result.push_back(make(tok::comma, Start));
      Result.append(T.begin() + Begin + 2, T.begin() + End - 1);
    }
    Result.push_back(make(tok::r_paren, T[End - 1].getLocation()));
    return Result;
  }

  /// The tokens between the specifier's own brackets.
  TokenList bracketed(size_t Begin, size_t End, const TokenList &Inner) const {
    TokenList Result = {T[Begin], T[Begin + 1]};
    Result.append(Inner.begin(), Inner.end());
    Result.push_back(T[End - 1]);
    Result.push_back(T[End]);
    return Result;
  }

  /// One attribute of ours in the form that the parser accepts.
  TokenList rewrite(const Item &I, StringRef Using) const {
    const AttributeSpec &Spec = *I.Spec;
    const SourceLocation Start = T[I.Begin].getLocation();
    if (!I.Open && Spec.Takes == Arguments::Aspects) {
      error(PP.getDiagnostics(), Start, "'%0' attribute needs a list of aspects in parentheses; an empty one, '%0()', means no aspect")
          << Spec.spelling() << SourceRange(Start, T[I.Name].getLocation());
      return {};
    }
    size_t First = I.Open + 1, Last = I.Close; // the arguments: [First, Last)
    if (I.Open && StringRef(Spec.Name) == "requires")
      stripHas(First, Last);
    TokenList Args(T.begin() + First, T.begin() + std::max(First, Last));
    bool Annotate = false, Pack = false;
    StringRef Annotation = Spec.Annotation;
    if (!I.Open)
      Args.clear();
    else if (Spec.Takes == Arguments::SubGroupName) {
      if (Args.size() == 1 && Args[0].is(tok::identifier)) {
        if (word(First) != "automatic" && word(First) != "primary") {
          error(PP.getDiagnostics(), Args[0].getLocation(), "'%0' attribute takes 'automatic' or 'primary'") << Spec.spelling();
          return {};
        }
        Args = {text(word(First), Args[0].getLocation())};
      }
    } else if (Spec.Takes == Arguments::Type) {
      if (!Args.empty()) {
        Annotate = true;
        Args = nullPointerTo(Args);
      }
    } else if (StringRef(Spec.Name) == "sub_group_size" && Args.size() == 1 && (word(First) == "automatic" || word(First) == "primary")) {
      Annotate = true;
      Annotation = "aspen.named_sub_group_size";
      Args = {text(word(First), Args[0].getLocation())};
    } else if (hasPack(First, Last)) {
      Annotate = Pack = true;
    } else if (Spec.Takes == Arguments::Sizes) {
      Args = asValues(Args);
    } else if (!Args.empty() && Args[0].is(tok::identifier) && (Args.size() == 1 || Args[1].is(tok::comma))) {
      const SourceLocation L = Args[0].getLocation();
      Args.insert(Args.begin() + 1, make(tok::r_paren, L));
      Args.insert(Args.begin(), make(tok::l_paren, L));
    }
    TokenList Spelled;
    if (!Using.empty())
      Spelled = {name(Using, Start), make(tok::coloncolon, Start, 2)};
    Spelled.append(T.begin() + I.Begin, T.begin() + I.Name + 1);
    TokenList Result = Spelled;
    if (Annotate)
      Result = {name("clang", Start), make(tok::coloncolon, Start, 2), name("annotate", T[I.Name].getLocation())};
    else if (!I.Open)
      return Result;
    Result.push_back(T[I.Open]);
    if (Annotate)
      Result.push_back(text(Annotation, Start));
    if (Annotate && !Args.empty())
      Result.push_back(make(tok::comma, Args.front().getLocation()));
    Result.append(Args.begin(), Args.end());
    Result.push_back(T[I.Close]);
    Result.append(T.begin() + I.Close + 1, T.begin() + I.End);
    if (Pack) {
      Result.push_back(make(tok::comma, Start));
      Result.append(Spelled.begin(), Spelled.end());
      for (const Token &Tok : {T[I.Open], text(InAnnotation, Start), T[I.Close]})
        Result.push_back(Tok);
    }
    return Result;
  }

  /// `requires(has(A, B))` or `requires(sycl::has(A, B))`: the list is what stands in `has`. Source: S1.
  void stripHas(size_t &First, size_t &Last) const {
    size_t I = First;
    while (is(I, tok::coloncolon) || is(I + 1, tok::coloncolon))
      ++I;
    if (word(I) == "has" && is(I + 1, tok::l_paren) && forward(I + 1) == Last - 1) {
      First = I + 2;
      --Last;
    }
  }

  bool hasPack(size_t First, size_t Last) const {
    int Depth = 0;
    for (size_t I = First; I < Last; ++I) {
      Depth += opens(T[I]) - closes(T[I]);
      if (Depth == 0 && T[I].is(tok::ellipsis))
        return true;
    }
    return false;
  }

  /// Arguments of which those that are an identifier alone are values and not variables: `+n`, which uses the variable no further.
  TokenList asValues(const TokenList &Args) const {
    TokenList Result;
    int Depth = 0;
    for (size_t I = 0; I < Args.size(); ++I) {
      Depth += opens(Args[I]) - closes(Args[I]);
      if (Depth == 0 && Args[I].is(tok::identifier) && (I == 0 || Args[I - 1].is(tok::comma)) &&
          (I + 1 == Args.size() || Args[I + 1].is(tok::comma)))
        Result.push_back(make(tok::plus, Args[I].getLocation()));
      Result.push_back(Args[I]);
    }
    return Result;
  }

  /// `T` as an expression: `static_cast<T*>(nullptr)`.
  TokenList nullPointerTo(const TokenList &Type) const {
    const SourceLocation L = Type.front().getLocation();
    TokenList Result = {name("static_cast", L), make(tok::less, L)};
    Result.append(Type.begin(), Type.end());
    for (const Token &Tok : {make(tok::star, L), make(tok::greater, L), make(tok::l_paren, L), name("nullptr", L), make(tok::r_paren, L)})
      Result.push_back(Tok);
    return Result;
  }
};

} // namespace

bool opens(const Token &T) { return T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace); }
bool closes(const Token &T) { return T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace); }

Token textToken(Preprocessor &PP, StringRef Text, SourceLocation Location) {
  Token R;
  R.startToken();
  R.setKind(tok::string_literal);
  PP.CreateString(("\"" + Text + "\"").str(), R, Location, Location);
  return R;
}

static bool isWord(const Token &T, StringRef Word) { return T.is(tok::identifier) && T.getIdentifierInfo()->isStr(Word); }

bool beginsAlias(const TokenList &T) {
  const size_t Size = T.size();
  return Size > 2 && T[Size - 1].is(tok::equal) && isWord(T[Size - 2], "sycl") && T[Size - 3].is(tok::kw_namespace);
}

void editAlias(Preprocessor &PP, TokenList &T, size_t From) {
  const size_t Of = From + (T.size() > From + 3 && T[From + 3].is(tok::coloncolon) ? 4 : 3);
  if (T.size() != Of + 4 || !isWord(T[Of], "cl") || T[Of + 1].isNot(tok::coloncolon) || !isWord(T[Of + 2], "sycl") || T[Of + 3].isNot(tok::semi))
    return;
  Token Using = T[From];
  Using.setKind(tok::kw_using);
  Using.setIdentifierInfo(PP.getIdentifierInfo("using"));
  const Token All[] = {Using, T[From], T[Of], T[Of + 3]};
  T.truncate(From);
  T.append(std::begin(All), std::end(All));
}

bool isOlderError(StringRef Name) {
  static constexpr StringRef All[] = {"accessor_error",       "compile_program_error", "device_error",     "event_error",
                                      "feature_not_supported", "invalid_object_error",  "invalid_parameter_error", "kernel_error",
                                      "link_program_error",   "memory_allocation_error", "nd_range_error", "platform_error",
                                      "profiling_error",      "runtime_error"};
  return llvm::is_contained(All, Name);
}

void editError(Preprocessor &PP, TokenList &T) {
  const size_t Size = T.size();
  if (Size < 3 || T[Size - 1].isNot(tok::identifier) || T[Size - 2].isNot(tok::coloncolon) || !isWord(T[Size - 3], "sycl") ||
      !isOlderError(T[Size - 1].getIdentifierInfo()->getName()) || PP.isMacroDefined("__ASPEN_OLDER_NAMES"))
    return;
  // Another library's namespace of that name.
  if (Size > 4 && T[Size - 4].is(tok::coloncolon) && T[Size - 5].is(tok::identifier) && !isWord(T[Size - 5], "cl"))
    return;
  T[Size - 1].setIdentifierInfo(PP.getIdentifierInfo("exception"));
}

void editAttributes(Preprocessor &PP, TokenList &Tokens, size_t From) {
  Editor Edit(PP, Tokens);
  Edit.editAttributes(From);
  Edit.apply();
}

} // namespace aspen
