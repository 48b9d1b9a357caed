//! Walks over classes as the AST has them, whatever their layout.

#include "TypeAspects.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace aspen {

Values TypeAspects::of(QualType Type) {
  if (Type.isNull() || Type->isDependentType())
    return {};
  Type = Context.getBaseElementType(Type.getCanonicalType());
  if (const auto *Atomic = Type->getAs<AtomicType>())
    return of(Atomic->getValueType());
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record ? of(Record) : Values();
}

Values TypeAspects::of(const CXXRecordDecl *Record) {
  Record = Record->getDefinition();
  if (!Record || Record->isDependentContext() || Record->isInvalidDecl())
    return {};
  if (auto Found = Known.find(Record); Found != Known.end())
    return Found->second;
  Values Result = readTypeAspects(Context, Record).value_or(Values());
  for (const CXXBaseSpecifier &Base : Record->bases())
    unite(Result, of(Base.getType()));
  for (const FieldDecl *Field : Record->fields())
    unite(Result, of(Field->getType()));
  return Known[Record] = std::move(Result);
}

void unite(Values &To, const Values &From) {
  for (uint64_t V : From)
    if (!llvm::is_contained(To, V))
      To.push_back(V);
}

} // namespace aspen
