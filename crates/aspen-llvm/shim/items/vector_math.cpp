// Mathematical functions of whole vectors: glibc's libmvec, which is beside libm on every x86-64 Linux of glibc 2.35 and later.
//
// LLVM would take a vector apart for them. Loops that are to become vectors are told of the form that the function's processor can run, so
// that the vectoriser counts with it; vectors that are there already are cut into it. What would be beyond SYCL's bounds is
// computed by ourselves, or in double, or stays as it is (docs/MATH.md). Source: x86-64 "Vector Function ABI"; glibc, sysdeps/x86_64/fpu; docs/decisions/0041.

#include "items.h"
#include "own_math.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace aspen::items {
namespace {

// How far a function of libmvec is from SYCL's bound: it promises 4 units in the last place, and was measured where less is allowed.
// Own: the logarithm as Double where the processor has no fused products and sums.
enum class Of { Itself, Own, Double, None };

struct Math {
  const char *Name; // of double; that of float ends with f
  Intrinsic::ID Intrinsic; // or not_intrinsic
  unsigned Arguments = 1;
  enum Of Float = Of::Itself, Double = Of::Itself; // by what vectors of each are computed
  enum Of by(const Type *Number) const { return Number->isFloatTy() ? Float : Double; }
};

constexpr Math Functions[] = {
    {"acos", Intrinsic::acos},
    {"acosh", Intrinsic::not_intrinsic},
    {"asin", Intrinsic::asin},
    {"asinh", Intrinsic::not_intrinsic},
    {"atan", Intrinsic::atan},
    {"atan2", Intrinsic::atan2, 2},
    {"atanh", Intrinsic::not_intrinsic},
    {"cbrt", Intrinsic::not_intrinsic, 1, Of::Double}, // 2.84 of 2
    {"cos", Intrinsic::cos},
    {"cosh", Intrinsic::cosh},
    {"erf", Intrinsic::not_intrinsic},
    {"erfc", Intrinsic::not_intrinsic},
    {"exp", Intrinsic::exp, 1, Of::Own, Of::Own},                    // 2.94 and 3.11 of 3; and 30 times as long where a result is tiny
    {"exp2", Intrinsic::exp2, 1, Of::Own, Of::Own},                  // likewise
    {"expm1", Intrinsic::not_intrinsic, 1, Of::Itself, Of::None},    // 2.33 and 2.94 of 3
    {"hypot", Intrinsic::not_intrinsic, 2},
    {"log", Intrinsic::log, 1, Of::Own},                             // 3.84 and 1.4 of 3
    {"log10", Intrinsic::log10, 1, Of::Double},                      // 3.19 and 1.58 of 3
    {"log1p", Intrinsic::not_intrinsic, 1, Of::Double, Of::None},    // 1.95 and 2.12 of 2
    {"log2", Intrinsic::log2},                                       // 2.56 and 1.77 of 3
    {"pow", Intrinsic::pow, 2, Of::Own},                             // two to four times as long; itself where nothing is fused
    {"sin", Intrinsic::sin},
    {"sinh", Intrinsic::sinh},
    {"tan", Intrinsic::tan},
    {"tanh", Intrinsic::tanh},
};

// The function that a call means, of numbers or of vectors.
const Math *mathOf(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return nullptr;
  Type *Element = Callee->getReturnType()->getScalarType();
  if (!Element->isFloatTy() && !Element->isDoubleTy())
    return nullptr;
  auto HasVectors = [&](const Math &F) { return F.by(Element) != Of::None; };
  if (Callee->isIntrinsic()) {
    const auto *Found = find_if(Functions, [&](const Math &F) { return F.Intrinsic != Intrinsic::not_intrinsic && F.Intrinsic == Callee->getIntrinsicID(); });
    return Found != std::end(Functions) && HasVectors(*Found) ? Found : nullptr;
  }
  // What sets errno stays what it is.
  if (!Call.doesNotAccessMemory() || !Call.doesNotThrow())
    return nullptr;
  StringRef Name = Callee->getName();
  if (Element->isFloatTy() && !Name.consume_back("f"))
    return nullptr;
  const auto *Found = find_if(Functions, [&](const Math &F) { return Name == F.Name; });
  const bool Fits = Found != std::end(Functions) && HasVectors(*Found) && Call.arg_size() == Found->Arguments &&
                    all_of(Call.args(), [&](const Use &A) { return A->getType() == Element; });
  return Fits ? Found : nullptr;
}

// What vectors a function's code may use: bits, and the letter that the ABI has for them. One form for all, so that an item has the same result
// in the vectors of a loop and in what is left over at its end: how many those are depends on how a launch is cut.
struct Form {
  unsigned Bits;
  char Letter;
  bool Fuses; // products and sums in one
  unsigned lanes(Type *Number) const { return Bits / Number->getScalarSizeInBits(); }
};

Form formFor(const Function &F, const TargetMachine &Machine) {
  const MCSubtargetInfo &Processor = *Machine.getSubtargetImpl(F);
  // Elsewhere LLVM keeps vectors of 512 bits in two registers, also at calls.
  if (Processor.checkFeatures("+avx512f,+avx512dq") && F.getFnAttribute("prefer-vector-width").getValueAsString() == "512")
    return {512, 'e', true};
  return Processor.checkFeatures("+avx2") ? Form{256, 'd', Processor.checkFeatures("+fma")} : Form{128, 'b', false};
}

std::string shapeOf(unsigned Lanes, const Math &F) { return "N" + std::to_string(Lanes) + std::string(F.Arguments, 'v') + "_"; }

// `_ZGVdN8v_expf`, declared.
FunctionCallee declared(Module &M, const Math &F, Type *Number, Form Form) {
  auto *Vector = FixedVectorType::get(Number, Form.lanes(Number));
  const std::string Name = std::string("_ZGV") + Form.Letter + shapeOf(Vector->getNumElements(), F) + F.Name + (Number->isFloatTy() ? "f" : "");
  FunctionCallee Callee = M.getOrInsertFunction(Name, FunctionType::get(Vector, SmallVector<Type *, 2>(F.Arguments, Vector), false));
  auto *Declared = cast<Function>(Callee.getCallee());
  Declared->setDoesNotThrow();
  Declared->setDoesNotAccessMemory();
  Declared->setWillReturn();
  Declared->setDoesNotFreeMemory();
  return Callee;
}

// The lanes from `First` on; those behind the end repeat the first one, which has a result that nobody reads.
Value *lanesOf(IRBuilder<> &B, Value *Vector, unsigned First, unsigned Lanes) {
  const unsigned Has = cast<FixedVectorType>(Vector->getType())->getNumElements();
  if (First == 0 && Has == Lanes)
    return Vector;
  SmallVector<int, 16> Mask;
  for (unsigned Lane = First; Lane < First + Lanes; ++Lane)
    Mask.push_back(Lane < Has ? static_cast<int>(Lane) : 0);
  return B.CreateShuffleVector(Vector, Mask);
}

// The result for numbers or vectors of them. A number is a vector of one, for which all lanes are the same.
Value *emit(IRBuilder<> &B, const Math &F, Form Form, ArrayRef<Value *> Arguments) {
  Type *T = Arguments.front()->getType(), *Number = T->getScalarType();
  if (F.Intrinsic == Intrinsic::exp || F.Intrinsic == Intrinsic::exp2)
    return emitExp(B, Arguments.front(), F.Intrinsic == Intrinsic::exp2, Form.Fuses);
  if (Number->isFloatTy() && F.Float == Of::Own && Form.Fuses)
    return F.Intrinsic == Intrinsic::log ? emitLog(B, Arguments.front()) : emitPow(B, Arguments[0], Arguments[1]);
  if (Number->isFloatTy() && F.Float != Of::Itself && F.Intrinsic != Intrinsic::pow) {
    SmallVector<Value *, 2> Wider;
    for (Value *Argument : Arguments)
      Wider.push_back(B.CreateFPExt(Argument, T->getWithNewType(B.getDoubleTy())));
    return B.CreateFPTrunc(emit(B, F, Form, Wider), T);
  }
  auto *Vector = dyn_cast<FixedVectorType>(T);
  const unsigned Lanes = Form.lanes(Number), Count = Vector ? Vector->getNumElements() : 1;
  FunctionCallee Callee = declared(*B.GetInsertBlock()->getModule(), F, Number, Form);
  Value *Result = nullptr;
  for (unsigned First = 0; First < Count; First += Lanes) {
    SmallVector<Value *, 2> Parts;
    for (Value *Argument : Arguments)
      Parts.push_back(Vector ? lanesOf(B, Argument, First, Lanes) : B.CreateVectorSplat(Lanes, Argument));
    CallInst *Part = B.CreateCall(Callee, Parts);
    if (!Vector)
      return B.CreateExtractElement(Part, uint64_t(0));
    if (Lanes == Count)
      return Part;
    const unsigned Filled = std::min(Lanes, Count - First);
    SmallVector<int, 16> Widen(Count, PoisonMaskElem), Mix;
    for (unsigned Lane = 0; Lane < Filled; ++Lane)
      Widen[First + Lane] = static_cast<int>(Lane);
    Value *Wide = B.CreateShuffleVector(Part, Widen);
    for (unsigned Lane = 0; Lane < Count; ++Lane)
      Mix.push_back(static_cast<int>(Lane >= First && Lane < First + Filled ? Count + Lane : Lane));
    Result = Result ? B.CreateShuffleVector(Result, Wide, Mix) : Wide;
  }
  return Result;
}

void replaceByVectors(CallInst &Call, const Math &F, Form Form) {
  IRBuilder<> B(&Call);
  Call.replaceAllUsesWith(emit(B, F, Form, SmallVector<Value *, 2>(Call.args())));
  Call.eraseFromParent();
}

// Before the names of functions that stand for what is computed in double while loops become vectors.
constexpr const char *Stands = "aspen.math.";

// What a vector of the form goes to.
Function *functionFor(Function &User, const Math &F, Type *Number, Form Form) {
  Module &M = *User.getParent();
  if (F.by(Number) == Of::Itself)
    return cast<Function>(declared(M, F, Number, Form).getCallee());
  auto *Vector = FixedVectorType::get(Number, Form.lanes(Number));
  const std::string Name = std::string(Stands) + F.Name + (Number->isFloatTy() ? "f." : ".") + Form.Letter;
  if (Function *Made = M.getFunction(Name))
    return Made;
  auto *Made = Function::Create(FunctionType::get(Vector, SmallVector<Type *, 2>(F.Arguments, Vector), false), GlobalValue::InternalLinkage, Name, M);
  Made->setDoesNotThrow();
  Made->setDoesNotAccessMemory();
  Made->setWillReturn();
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Made));
  SmallVector<Value *, 2> Arguments;
  for (Argument &A : Made->args())
    Arguments.push_back(&A);
  B.CreateRet(emit(B, F, Form, Arguments));
  return Made;
}

} // namespace

bool isVectorMath(const IntrinsicInst &Call) { return mathOf(Call) != nullptr; }

unsigned vectorBits(const Function &F, const TargetMachine &Machine) { return formFor(F, Machine).Bits; }

void offerVectorMath(Function &F, const TargetMachine &Machine) {
  const Form Form = formFor(F, Machine);
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Math *Of = Call ? mathOf(*Call) : nullptr;
    if (!Of || Call->getType()->isVectorTy())
      continue;
    Function *Vector = functionFor(F, *Of, Call->getType(), Form);
    const std::string Shape = shapeOf(Form.lanes(Call->getType()), *Of);
    VFABI::setVectorVariantNames(Call, {("_ZGV_LLVM_" + Shape + Call->getCalledFunction()->getName() + "(" + Vector->getName() + ")").str()});
  }
}

void callVectorMathInLoops(Function &F, const TargetMachine &Machine) {
  const Form Form = formFor(F, Machine);
  LoopInfo Loops{DominatorTree(F)};
  SmallVector<std::pair<CallInst *, const Math *>, 16> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Math *Of = Call ? mathOf(*Call) : nullptr;
    // Loops inside are those of lanes, that end after another number of turns in each.
    for (const Loop *L = Of ? Loops.getLoopFor(I.getParent()) : nullptr; L; L = L->getParentLoop())
      if (getBooleanLoopAttribute(L, "llvm.loop.isvectorized")) {
        Calls.push_back({Call, Of});
        break;
      }
  }
  for (auto [Call, Of] : Calls)
    replaceByVectors(*Call, *Of, Form);
}

PreservedAnalyses LoopsOfVectorMath::run(Function &F, FunctionAnalysisManager &) {
  callVectorMathInLoops(F, Machine);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

void callVectorMath(Function &F, const TargetMachine &Machine) {
  callVectorMathInLoops(F, Machine);
  const Form Form = formFor(F, Machine);
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I)) {
      Call->removeFnAttr(VFABI::MappingsAttrName); // nobody chooses any more
      Calls.push_back(Call);
    }
  for (CallInst *Call : Calls) {
    if (Function *Callee = Call->getCalledFunction(); Callee && Callee->getName().starts_with(Stands)) {
      InlineFunctionInfo Inlined;
      InlineFunction(*Call, Inlined);
    } else if (const Math *Of = mathOf(*Call); Of && isa<FixedVectorType>(Call->getType())) {
      replaceByVectors(*Call, *Of, Form);
    }
  }
  if (Form.Bits == 512 && any_of(instructions(F), [](const Instruction &I) {
        auto *Call = dyn_cast<CallInst>(&I);
        return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("_ZGVe");
      }))
    F.addFnAttr("min-legal-vector-width", "512");
}

void endVectorMath(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.getName().starts_with(Stands))
      F.eraseFromParent();
}

bool standsForMath(const Function &F) { return F.getName().starts_with(Stands); }

} // namespace aspen::items
