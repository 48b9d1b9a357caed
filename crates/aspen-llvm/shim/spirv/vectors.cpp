// Step 0: vectors of lengths that SPIR-V lacks. LLVM makes them where memory of one vector type is read as another, and `ext_vector_type`
// has them of any length. Functions that hold such a vector are taken apart into elements, by LLVM's own pass.

#include "legalise.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;
using namespace aspen::spirv;

static bool holdsOddVector(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Variable = dyn_cast<AllocaInst>(&I);
    return isOddVector(I.getType()) || (Variable && isOddVector(Variable->getAllocatedType())) ||
           any_of(I.operands(), [](const Value *V) { return isOddVector(V->getType()); });
  });
}

// Memory for as many elements as the vector takes up with its padding.
static void asArray(AllocaInst &Variable) {
  const auto *Vector = cast<FixedVectorType>(Variable.getAllocatedType());
  const DataLayout &Layout = Variable.getDataLayout();
  const uint64_t Count = Layout.getTypeAllocSize(Variable.getAllocatedType()) / Layout.getTypeAllocSize(Vector->getElementType());
  IRBuilder<> B(&Variable);
  AllocaInst *Array = B.CreateAlloca(ArrayType::get(Vector->getElementType(), Count), Variable.getAddressSpace(), Variable.getArraySize());
  Array->setAlignment(Variable.getAlign());
  Array->takeName(&Variable);
  Variable.replaceAllUsesWith(Array);
  Variable.eraseFromParent();
}

void aspen::spirv::takeApartOddVectors(Function &F, FunctionAnalysisManager &FAM) {
  if (!holdsOddVector(F))
    return;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && isOddVector(Variable->getAllocatedType()))
      asArray(*Variable);
  ScalarizerPassOptions Options;
  Options.ScalarizeLoadStore = true;
  FAM.invalidate(F, ScalarizerPass(Options).run(F, FAM));
  FAM.invalidate(F, DCEPass().run(F, FAM));
}
