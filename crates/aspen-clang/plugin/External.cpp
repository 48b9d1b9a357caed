//! `SYCL_EXTERNAL` as programs write it.

#include "DeviceGlobals.h"
#include "Diagnose.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace aspen {
namespace {

/// `SYCL_EXTERNAL` as `__attribute__` has it, so that it may stand wherever DPC++'s may (`inline SYCL_EXTERNAL int f()`), which is not so of
/// clang's own `[[clang::sycl_external]]`. What it means is that one's, with all checks of it. `sycl_device` is DPC++'s name.
class ExternalInfo : public ParsedAttrInfo {
  static constexpr Spelling Table[] = {{ParsedAttr::AS_GNU, "sycl_external"}, {ParsedAttr::AS_GNU, "sycl_device"}};

public:
  ExternalInfo() { Spellings = Table; }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &A, const Decl *D) const override {
    if (isa<FunctionDecl>(D))
      return true;
    if (const auto *Variable = dyn_cast<VarDecl>(D); Variable && (Variable->getType()->isDependentType() || isDeviceGlobal(Variable->getType())))
      return true;
    error(S.getDiagnostics(), A.getLoc(), "'SYCL_EXTERNAL' only applies to functions and to variables of type 'device_global'");
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &A) const override {
    // Device globals need no word more: units share those of external linkage.
    if (isa<FunctionDecl>(D))
      D->addAttr(SYCLExternalAttr::CreateImplicit(S.Context, A.getRange()));
    return AttributeApplied;
  }
};
ParsedAttrInfoRegistry::Add<ExternalInfo> External("aspen-external", "SYCL_EXTERNAL");

} // namespace
} // namespace aspen
