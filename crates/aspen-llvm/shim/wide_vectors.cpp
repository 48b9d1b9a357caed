// Vectors of more than 128 bits cross calls in memory, whatever processor a function is for.
//
// In which registers x86-64 passes such a vector depends on the features that a function is compiled for. Functions for several levels meet
// in one program: a group's function for level 3 calls one for every processor, and images call each other's exported functions. So there is
// one rule for all: clang's for processors without such registers (an argument by value on the stack), and the same for results (a
// pointer to where the result goes). Functions, calls and declarations are rewritten alike, through pointers too, so that a function's type
// says how it is called. Source: x86-64 psABI, "Parameter Passing"; docs/decisions/0019.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// What glibc defines for vectors is called as its names say, by functions that have the registers (items/vector_math.cpp).
bool isOfLibrary(const Function *F) { return F && F->isDeclaration() && F->getName().starts_with("_ZGV"); }

bool isWide(const Type *T, const DataLayout &Layout) {
  if (isa<FixedVectorType>(T))
    return Layout.getTypeSizeInBits(const_cast<Type *>(T)).getFixedValue() > 128;
  return (isa<StructType>(T) || isa<ArrayType>(T)) && any_of(T->subtypes(), [&](const Type *Part) { return isWide(Part, Layout); });
}

// How a function of a type is called by the rule.
struct Shape {
  Shape(FunctionType *Old, const DataLayout &Layout) : Old(Old) {
    LLVMContext &C = Old->getContext();
    auto *Pointer = PointerType::get(C, 0);
    HasWideResult = isWide(Old->getReturnType(), Layout);
    SmallVector<Type *, 8> Parameters;
    if (HasWideResult)
      Parameters.push_back(Pointer);
    for (Type *T : Old->params()) {
      Wide.push_back(isWide(T, Layout));
      Parameters.push_back(Wide.back() ? Pointer : T);
    }
    New = FunctionType::get(HasWideResult ? Type::getVoidTy(C) : Old->getReturnType(), Parameters, Old->isVarArg());
  }

  bool changes() const { return HasWideResult || is_contained(Wide, true); }

  // Of a function or a call with `Count` arguments.
  AttributeList attributes(const AttributeList &From, unsigned Count, const DataLayout &Layout) const {
    LLVMContext &C = Old->getContext();
    SmallVector<AttributeSet, 8> Parameters;
    auto InMemory = [&](Attribute Kind, Type *T) {
      return AttributeSet::get(C, {Kind, Attribute::getWithAlignment(C, Layout.getABITypeAlign(T)), Attribute::get(C, Attribute::NoUndef)});
    };
    if (HasWideResult)
      Parameters.push_back(InMemory(Attribute::getWithStructRetType(C, Old->getReturnType()), Old->getReturnType()));
    for (unsigned A = 0; A < Count; ++A)
      if (A < Wide.size() && Wide[A])
        Parameters.push_back(InMemory(Attribute::getWithByValType(C, Old->getParamType(A)), Old->getParamType(A)));
      else
        Parameters.push_back(HasWideResult ? From.getParamAttrs(A).removeAttribute(C, Attribute::Returned) : From.getParamAttrs(A));
    AttrBuilder OfFunction(C, From.getFnAttrs());
    if (From.hasFnAttr(Attribute::Memory))
      OfFunction.addMemoryAttr(From.getMemoryEffects() | MemoryEffects::argMemOnly());
    return AttributeList::get(C, AttributeSet::get(C, OfFunction), HasWideResult ? AttributeSet() : From.getRetAttrs(), Parameters);
  }

  FunctionType *Old, *New;
  bool HasWideResult;
  SmallVector<bool, 8> Wide;
};

void rewrite(Function &F, const Shape &Shape) {
  Module &M = *F.getParent();
  const DataLayout &Layout = M.getDataLayout();
  auto *New = Function::Create(Shape.New, F.getLinkage(), F.getAddressSpace());
  M.getFunctionList().insert(F.getIterator(), New);
  New->copyAttributesFrom(&F);
  New->setComdat(F.getComdat());
  New->setAttributes(Shape.attributes(F.getAttributes(), F.arg_size(), Layout));
  New->copyMetadata(&F, 0);
  F.clearMetadata();
  New->takeName(&F);
  New->splice(New->begin(), &F);
  for (Argument &Old : F.args()) {
    Value *Now = New->getArg(Old.getArgNo() + Shape.HasWideResult);
    Now->takeName(&Old);
    if (Shape.Wide[Old.getArgNo()] && !New->empty()) {
      IRBuilder<> B(&*New->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      Now = B.CreateAlignedLoad(Old.getType(), Now, Layout.getABITypeAlign(Old.getType()));
    }
    if (Now->getType() == Old.getType())
      Old.replaceAllUsesWith(Now);
  }
  if (Shape.HasWideResult)
    for (BasicBlock &Block : *New)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        IRBuilder<> B(Return);
        B.CreateAlignedStore(Return->getReturnValue(), New->getArg(0), Layout.getABITypeAlign(Shape.Old->getReturnType()));
        B.CreateRetVoid();
        Return->eraseFromParent();
      }
  F.replaceAllUsesWith(New);
  F.eraseFromParent();
}

void rewrite(CallBase &Call, const Shape &Shape) {
  const DataLayout &Layout = Call.getDataLayout();
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().getFirstInsertionPt()), B(&Call);
  auto Place = [&](Type *T) {
    auto *Slot = Entry.CreateAlloca(T, nullptr, "wide");
    Slot->setAlignment(Layout.getABITypeAlign(T));
    return Slot;
  };
  SmallVector<Value *, 8> Arguments;
  AllocaInst *Result = Shape.HasWideResult ? Place(Shape.Old->getReturnType()) : nullptr;
  if (Result)
    Arguments.push_back(Result);
  for (auto [Index, Argument] : enumerate(Call.args())) {
    if (Index < Shape.Wide.size() && Shape.Wide[Index]) {
      AllocaInst *Slot = Place(Argument->getType());
      B.CreateAlignedStore(Argument, Slot, Slot->getAlign());
      Arguments.push_back(Slot);
    } else {
      Arguments.push_back(Argument);
    }
  }
  SmallVector<OperandBundleDef, 1> Bundles;
  Call.getOperandBundlesAsDefs(Bundles);
  CallBase *New;
  Instruction *Behind;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    if (!Normal->getUniquePredecessor())
      Normal = SplitEdge(Invoke->getParent(), Normal);
    New = B.CreateInvoke(Shape.New, Call.getCalledOperand(), Normal, Invoke->getUnwindDest(), Arguments, Bundles);
    Behind = &*Normal->getFirstInsertionPt();
  } else {
    // Not a tail call: the places are in this function's frame.
    New = B.CreateCall(Shape.New, Call.getCalledOperand(), Arguments, Bundles);
    Behind = &Call;
  }
  New->setCallingConv(Call.getCallingConv());
  New->setAttributes(Shape.attributes(Call.getAttributes(), Call.arg_size(), Layout));
  New->copyMetadata(Call);
  if (Result) {
    IRBuilder<> After(Behind);
    Call.replaceAllUsesWith(After.CreateAlignedLoad(Result->getAllocatedType(), Result, Result->getAlign()));
  } else {
    Call.replaceAllUsesWith(New);
  }
  Call.eraseFromParent();
}

} // namespace

// Rewrites a module for x86-64. Null or a message.
extern "C" char *aspen_llvm_wide_vectors(LLVMModuleRef Ref) {
  Module &M = *unwrap(Ref);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        const DataLayout &Layout = M.getDataLayout();
        SmallVector<CallBase *, 16> Calls;
        for (Function &F : M)
          for (Instruction &I : instructions(F)) {
            auto *Call = dyn_cast<CallBase>(&I);
            if (!Call || Call->isInlineAsm() || (Call->getCalledFunction() && Call->getCalledFunction()->isIntrinsic()) || isOfLibrary(Call->getCalledFunction()))
              continue;
            if (Shape(Call->getFunctionType(), Layout).changes())
              Calls.push_back(Call);
          }
        for (CallBase *Call : Calls)
          rewrite(*Call, Shape(Call->getFunctionType(), Layout));
        for (Function &F : make_early_inc_range(M))
          if (Shape Needed(F.getFunctionType(), Layout); !F.isIntrinsic() && !isOfLibrary(&F) && Needed.changes())
            rewrite(F, Needed);
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
