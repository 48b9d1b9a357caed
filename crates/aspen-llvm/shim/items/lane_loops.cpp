// Loops of an item that end after another number of turns in each: `while (|z| < 2) z = z * z + c`.
//
// LLVM's vectoriser takes innermost loops, and such a loop keeps the one over items from being one. If it does nothing but compute, it
// becomes a function of numbers, and a function of vectors that runs as long as any lane does. Both are told to the vectoriser, which then
// decides as it does about mathematical functions, masks and what is left over at the end included. What it has called is opened again.
// The way is ISPC's "varying" loops and the masks of Allen et al., "Conversion of control dependence to data dependence" (1983).

#include "items.h"
#include "lanes.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace aspen::items {
namespace {

// Of functions made here: of what loop, as the name of its function of numbers.
constexpr const char *LanesOf = "aspen-lanes-of";

// What a loop says that is to become vectors whatever LLVM thinks of the costs.
constexpr const char *WantsVectors = "llvm.loop.vectorize.enable";

// Ways out of a loop that what follows tells apart: `break` in an unrolled one.
constexpr size_t MaxExits = 4;

const Function *laneFunction(const Value *V) {
  const auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->hasFnAttribute(LanesOf) ? Callee : nullptr;
}

// Functions that have the same result for a number and in a vector, to the last bit; mathematical ones are those of vectors in either case.
bool isExact(Intrinsic::ID Of) {
  switch (Of) {
  case Intrinsic::abs:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::ctpop:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::roundeven:
  case Intrinsic::sadd_sat:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::sqrt:
  case Intrinsic::ssub_sat:
  case Intrinsic::trunc:
  case Intrinsic::uadd_sat:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::usub_sat:
    return true;
  default:
    return false;
  }
}

// What `__restrict` leaves.
bool isRestriction(const Instruction &I) { return isa<NoAliasScopeDeclInst>(I); }

// What a lane may compute with: a pointer is a number to it, too.
bool isWord(const Type *T) { return isNumber(T) || (T->isPointerTy() && T->getPointerAddressSpace() == 0); }

// Whether lanes may do it that would not: nothing traps, nothing is written, and what is read is so for the lanes that come there.
bool isComputation(const Instruction &I) {
  if (I.isDebugOrPseudoInst() || isRestriction(I) || laneFunction(&I))
    return true;
  if (const auto *Part = dyn_cast<ExtractValueInst>(&I))
    return laneFunction(Part->getAggregateOperand()) && Part->getNumIndices() == 1;
  if (const auto *Branch = dyn_cast<BranchInst>(&I))
    return !Branch->isConditional() || Branch->getCondition()->getType()->isIntegerTy(1);
  if (const auto *Switch = dyn_cast<SwitchInst>(&I))
    return isNumber(Switch->getCondition()->getType());
  if (!isWord(I.getType()) || !all_of(I.operands(), [](const Use &Of) { return isWord(Of->getType()); }))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return isGathered(*Load);
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    return (isExact(Call->getIntrinsicID()) || isVectorMath(*Call)) && !Call->hasOperandBundles();
  switch (I.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::SRem:
  case Instruction::UDiv:
  case Instruction::URem: {
    const auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
    return By && !By->isZero() && !By->isMinusOne();
  }
  default:
    return isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, FreezeInst, PHINode, GetElementPtrInst>(I);
  }
}

SmallVector<BasicBlock *, 4> exitsOf(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  return Exits;
}

// Whether the loop could become a function of what it reads, once the loops in it have.
bool isOpen(const Loop &L, const LoopInfo &LI) {
  const auto Exits = exitsOf(L);
  if (Exits.empty() || Exits.size() > MaxExits || !L.isLoopSimplifyForm() || (Exits.size() == 1 && Exits[0]->phis().empty()))
    return false;
  for (const Loop *Inner : L)
    if (!isOpen(*Inner, LI))
      return false;
  // A cycle with two entries is no loop, and has no order.
  LoopBlocksRPO Order(const_cast<Loop *>(&L));
  Order.perform(&LI);
  if (containsIrreducibleCFG<const BasicBlock *>(Order, LI))
    return false;
  for (const BasicBlock *Block : L.blocks()) {
    const SmallSetVector<const BasicBlock *, 4> Next(succ_begin(Block), succ_end(Block));
    if (!all_of(*Block, isComputation) || count_if(Next, [&](const BasicBlock *To) { return !L.contains(To); }) > 1)
      return false;
  }
  return all_of(Exits, [](BasicBlock *Exit) { return all_of(Exit->phis(), [](PHINode &Out) { return isNumber(Out.getType()); }); });
}

// A loop of computations, with none in it, in a loop over items that becomes an innermost one if all such go.
Loop *find(LoopInfo &LI, const ItemLoops &Of) {
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !isOpen(*L, LI))
      continue;
    const Loop *Items = itemsOf(*L);
    if (Items && Of.contains(Items->getHeader()) && all_of(*Items, [&](const Loop *Inner) { return isOpen(*Inner, LI); }))
      return L;
  }
  return nullptr;
}

// Several results are of one type, which LLVM's vectoriser wants (22): whole numbers of as many bits as the widest has, if they are not.
Type *commonType(ArrayRef<Type *> Types) {
  unsigned Bits = 32;
  for (Type *T : Types)
    Bits = std::max<unsigned>(Bits, T->getScalarSizeInBits());
  return all_equal(Types) ? Types.front() : IntegerType::get(Types.front()->getContext(), Bits);
}

Type *bitsOf(Type *T) { return T->getWithNewType(IntegerType::get(T->getContext(), T->getScalarSizeInBits())); }

// A number, or a vector, as one of that type, and back again.
Value *toCommon(IRBuilder<> &B, Value *V, Type *Common) {
  return V->getType() == Common ? V : B.CreateZExt(B.CreateBitCast(V, bitsOf(V->getType())), Common);
}
Value *fromCommon(IRBuilder<> &B, Value *V, Type *T) { return V->getType() == T ? V : B.CreateBitCast(B.CreateTrunc(V, bitsOf(T)), T); }

Type *together(LLVMContext &Context, ArrayRef<Type *> Types) { return Types.size() == 1 ? Types.front() : StructType::get(Context, Types); }

void describeAs(Function &Made, const Function &Scalar, const Function &Like, bool Reads) {
  for (Attribute A : Like.getAttributes().getFnAttrs())
    if (A.isStringAttribute())
      Made.addFnAttr(A);
  Made.addFnAttr(LanesOf, Scalar.getName());
  Made.setDoesNotThrow();
  if (Reads)
    Made.setOnlyReadsMemory();
  else
    Made.setDoesNotAccessMemory();
  Made.setWillReturn();
  Made.addFnAttr(Attribute::NoFree);
  Made.addFnAttr(Attribute::NoSync);
  Made.addFnAttr(Attribute::MustProgress);
}

// The function that the loop becomes, declared for vectors of up to so many lanes, too; a call of it stands in the loop's place.
void outline(Loop &L, unsigned MaxLanes) {
  BasicBlock *Header = L.getHeader(), *Before = L.getLoopPreheader();
  Function &F = *Header->getParent();
  LLVMContext &Context = F.getContext();
  const auto Exits = exitsOf(L);
  SmallSetVector<Value *, 8> Ins;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      for (Value *Of : I.operands())
        if (const auto *Made = dyn_cast<Instruction>(Of); isa<Argument>(Of) || (Made && !L.contains(Made)))
          Ins.insert(Of);
  SmallVector<PHINode *, 8> Outs;
  for (BasicBlock *Exit : Exits)
    for (PHINode &Out : Exit->phis()) {
      Outs.push_back(&Out);
      for (Value *Of : Out.incoming_values())
        if (const auto *Made = dyn_cast<Instruction>(Of); isa<Argument>(Of) || (Made && !L.contains(Made)))
          Ins.insert(Of);
    }
  // The vectoriser asks of calls with pointers what they do there: pointers go as whole numbers.
  Type *const Word = Type::getInt64Ty(Context);
  SmallVector<Type *, 8> Takes, Gives;
  for (Value *In : Ins)
    Takes.push_back(In->getType()->isPointerTy() ? Word : In->getType());
  for (PHINode *Out : Outs)
    Gives.push_back(Out->getType());
  if (Exits.size() > 1)
    Gives.push_back(Type::getInt32Ty(Context)); // by which of them it left
  const SmallVector<Type *, 8> Results(Gives);
  Type *const Common = commonType(Results);
  Gives.assign(Gives.size(), Common);
  IRBuilder<> B(Before->getTerminator());
  SmallVector<Value *, 8> Arguments;
  for (auto [In, Taken] : zip(Ins, Takes))
    Arguments.push_back(In->getType()->isPointerTy() ? B.CreatePtrToInt(In, Taken) : In);
  MDNode *Access = nullptr; // what says that a read is independent of other items: the loop over them promises it of all (itemsOf)
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (I.mayReadFromMemory())
        Access = I.getMetadata(LLVMContext::MD_access_group);
  if (Arguments.empty()) { // the name of a vector's function has a letter at least
    Arguments.push_back(ConstantInt::getFalse(Context));
    Takes.push_back(Arguments.front()->getType());
  }
  auto *Of = FunctionType::get(together(Context, Gives), Takes, false);
  Function *Scalar = Function::Create(Of, GlobalValue::InternalLinkage, F.getName() + ".lane", F.getParent());
  describeAs(*Scalar, *Scalar, F, Access);

  auto *Enter = BasicBlock::Create(Context, "", Scalar);
  IRBuilder<> First(Enter);
  SmallVector<Value *, 8> Known;
  for (auto [In, Of] : zip_first(Ins, Scalar->args()))
    Known.push_back(In->getType()->isPointerTy() ? First.CreateIntToPtr(&Of, In->getType()) : &Of);
  SmallVector<BasicBlock *, 8> Blocks(L.blocks());
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Ways; // out of the loop
  L.getExitEdges(Ways);
  for (BasicBlock *Block : Blocks) {
    Block->removeFromParent();
    Block->insertInto(Scalar);
  }
  auto *Leave = BasicBlock::Create(Context, "", Scalar);
  IRBuilder<> Inside(Leave);
  SmallVector<PHINode *, 8> Given;
  for (Type *Out : Results)
    Given.push_back(Inside.CreatePHI(Out, Ways.size()));
  for (auto [From, Exit] : Ways) {
    for (auto [Out, To] : zip(Outs, Given))
      To->addIncoming(Out->getParent() == Exit ? Out->getIncomingValueForBlock(From) : Constant::getNullValue(Out->getType()), From);
    if (Exits.size() > 1)
      Given.back()->addIncoming(Inside.getInt32(llvm::find(Exits, Exit) - Exits.begin()), From);
    From->getTerminator()->replaceSuccessorWith(Exit, Leave);
  }
  Value *Result = Given.size() == 1 ? static_cast<Value *>(Given.front()) : PoisonValue::get(Scalar->getReturnType());
  for (unsigned N = 0; Given.size() > 1 && N < Given.size(); ++N)
    Result = Inside.CreateInsertValue(Result, toCommon(Inside, Given[N], Common), N);
  Inside.CreateRet(Result);
  for (BasicBlock &Block : *Scalar)
    for (Instruction &I : Block) {
      I.dropDbgRecords();
      I.setDebugLoc({});
      for (Use &Operand : I.operands())
        if (const auto *At = llvm::find(Ins, Operand.get()); At != Ins.end())
          Operand.set(Known[At - Ins.begin()]);
    }
  First.CreateBr(Header);
  Header->replacePhiUsesWith(Before, Enter);

  CallInst *Call = B.CreateCall(Scalar, Arguments);
  if (Access)
    Call->setMetadata(LLVMContext::MD_access_group, Access);
  auto Part = [&](unsigned N) { return Gives.size() == 1 ? static_cast<Value *>(Call) : fromCommon(B, B.CreateExtractValue(Call, N), Results[N]); };
  SmallVector<Value *, 8> Parts;
  for (unsigned N = 0; N < Outs.size(); ++N)
    Parts.push_back(Part(N));
  // One branch after the other: a switch would have several ways out of a loop around this one, which could not be told apart.
  Instruction *End = Before->getTerminator();
  for (unsigned N = 0; N + 1 < Exits.size(); ++N) {
    auto *Next = N + 2 < Exits.size() ? BasicBlock::Create(Context, "", &F, Exits.front()) : Exits.back();
    B.CreateCondBr(B.CreateICmpEQ(Part(Outs.size()), B.getInt32(N)), Exits[N], Next);
    B.SetInsertPoint(Next);
  }
  if (Exits.size() == 1)
    B.CreateBr(Exits.front());
  End->eraseFromParent();
  // Without gathers the vectoriser (LLVM 22) has what addresses are made of computed a lane at a time, calls too. It does not look through these.
  for (auto [Out, Now] : zip(Outs, Parts)) {
    BasicBlock *Exit = Out->getParent();
    PHINode *Behind = PHINode::Create(Out->getType(), 1, "", Exit->begin());
    Behind->addIncoming(Now, Exit->getSinglePredecessor());
    Out->replaceAllUsesWith(Behind);
    Out->eraseFromParent();
  }

  SmallVector<std::string, 4> Variants;
  for (unsigned Lanes = 2; Lanes <= MaxLanes; Lanes *= 2) {
    auto Wide = [&](Type *T) -> Type * { return FixedVectorType::get(T, Lanes); };
    SmallVector<Type *, 8> WideTakes(map_range(Takes, Wide)), WideGives(map_range(Gives, Wide));
    WideTakes.push_back(Wide(Type::getInt1Ty(Context)));
    Function *Vector = Function::Create(FunctionType::get(together(Context, WideGives), WideTakes, false), GlobalValue::ExternalLinkage,
                                        Scalar->getName() + "." + Twine(Lanes), F.getParent());
    describeAs(*Vector, *Scalar, F, Access);
    Variants.push_back(
        ("_ZGV_LLVM_M" + Twine(Lanes) + std::string(Takes.size(), 'v') + "_" + Scalar->getName() + "(" + Vector->getName() + ")").str());
  }
  VFABI::setVectorVariantNames(Call, Variants);
}

// Makes the function of vectors: the loop's blocks one behind the other, each for the lanes that its mask has.
class Widened {
  Function &Vector, &Scalar;
  const unsigned Lanes;
  const bool HasGathers;
  IRBuilder<> B;
  DenseMap<const Value *, Value *> Values;
  DenseMap<const BasicBlock *, Value *> Masks;                                      // of lanes that come there
  DenseMap<std::pair<const BasicBlock *, const BasicBlock *>, Value *> Ways;        // of lanes that go from one to the other

public:
  Widened(Function &Vector, Function &Scalar, bool HasGathers)
      : Vector(Vector), Scalar(Scalar), Lanes(cast<FixedVectorType>(Vector.getArg(Scalar.arg_size())->getType())->getNumElements()),
        HasGathers(HasGathers), B(Vector.getContext()) {
    for (Argument &Of : Scalar.args())
      Values[&Of] = Vector.getArg(Of.getArgNo());
  }

  void make() {
    DominatorTree DT(Scalar);
    LoopInfo LI(DT);
    Loop &L = **LI.begin();
    BasicBlock *Header = L.getHeader(), *Exit = L.getUniqueExitBlock(), *Enter = &Scalar.getEntryBlock();
    LLVMContext &Context = Vector.getContext();
    auto *Begin = BasicBlock::Create(Context, "", &Vector), *Turn = BasicBlock::Create(Context, "", &Vector),
         *End = BasicBlock::Create(Context, "", &Vector);
    B.SetInsertPoint(Begin);
    for (Instruction &I : *Enter)
      if (auto *Pointer = dyn_cast<IntToPtrInst>(&I))
        Values[Pointer] = B.CreateIntToPtr(of(Pointer->getOperand(0)), wide(Pointer->getType()));
    B.CreateBr(Turn);
    B.SetInsertPoint(Turn);
    // Masks go around as vectors of whole numbers, which every level keeps in a register as they are.
    Type *Bits = wide(IntegerType::get(Context, wordOf(L)));
    PHINode *Running = B.CreatePHI(Bits, 2);
    SmallVector<PHINode *, 8> States, Results;
    for (PHINode &State : Header->phis())
      Values[&State] = States.emplace_back(B.CreatePHI(wide(State.getType()), 2));
    SmallVector<Value *, 4> Outs;
    for (PHINode &Out : Exit->phis())
      Outs.push_back(Results.emplace_back(B.CreatePHI(wide(Out.getType()), 2)));
    Masks[Header] = B.CreateICmpNE(Running, Constant::getNullValue(Bits));
    LoopBlocksDFS Order(&L);
    Order.perform(&LI);
    for (BasicBlock *Block : make_range(Order.beginRPO(), Order.endRPO())) {
      if (Block != Header)
        join(*Block);
      for (Instruction &I : *Block)
        if (!isa<PHINode>(I) && !I.isTerminator() && !isRestriction(I))
          Values[&I] = widen(I);
      leave(*Block->getTerminator());
      if (Value *Done = Ways.lookup({Block, Exit}))
        for (auto [Out, Now] : zip_equal(Exit->phis(), Outs))
          Now = B.CreateSelect(Done, of(Out.getIncomingValueForBlock(Block)), Now);
    }
    Value *Goes = Ways.lookup({L.getLoopLatch(), Header});
    for (auto [State, Wide] : zip_equal(Header->phis(), States)) {
      Wide->addIncoming(of(State.getIncomingValueForBlock(Enter)), Begin);
      Wide->addIncoming(of(State.getIncomingValueForBlock(L.getLoopLatch())), Turn);
    }
    for (auto [Wide, Now] : zip_equal(Results, Outs)) {
      Wide->addIncoming(Constant::getNullValue(Wide->getType()), Begin);
      Wide->addIncoming(Now, Turn);
    }
    Running->addIncoming(B.CreateSExt(Goes, Bits), Turn);
    B.CreateCondBr(B.CreateOrReduce(Goes), Turn, End);
    B.SetInsertPoint(Begin->getTerminator());
    Running->addIncoming(B.CreateSExt(Vector.getArg(Scalar.arg_size()), Bits), Begin);
    B.SetInsertPoint(End);
    Value *Result = Outs.size() == 1 ? Outs.front() : PoisonValue::get(Vector.getReturnType());
    for (unsigned N = 0; Outs.size() > 1 && N < Outs.size(); ++N)
      Result = B.CreateInsertValue(Result, toCommon(B, Outs[N], cast<StructType>(Result->getType())->getElementType(N)), N);
    B.CreateRet(Result);
  }

private:
  Type *wide(Type *T) const { return FixedVectorType::get(T, Lanes); }

  // What most of the loop computes with.
  static unsigned wordOf(const Loop &L) {
    unsigned Words[2] = {};
    for (const BasicBlock *Block : L.blocks())
      for (const Instruction &I : *Block)
        if (isNumber(I.getType()) && !I.getType()->isIntegerTy(1))
          ++Words[I.getType()->getScalarSizeInBits() == 64];
    return Words[1] > Words[0] ? 64 : 32;
  }

  Value *of(Value *V) {
    if (auto *Known = dyn_cast<Constant>(V))
      return ConstantVector::getSplat(ElementCount::getFixed(Lanes), Known);
    return Values.lookup(V);
  }

  // Lanes come to the block from some of those before it, each with its own values.
  void join(BasicBlock &Block) {
    Value *Mask = nullptr;
    for (BasicBlock *From : predecessors(&Block)) {
      Value *Way = Ways.lookup({From, &Block});
      Mask = Mask ? (Mask == Way ? Mask : B.CreateOr(Mask, Way)) : Way;
    }
    Masks[&Block] = Mask;
    for (PHINode &Phi : Block.phis()) {
      Value *Now = of(Phi.getIncomingValue(0));
      for (unsigned N = 1; N < Phi.getNumIncomingValues(); ++N)
        Now = B.CreateSelect(Ways.lookup({Phi.getIncomingBlock(N), &Block}), of(Phi.getIncomingValue(N)), Now);
      Values[&Phi] = Now;
    }
  }

  // What lanes that have ended compute may be poison, which a mask must not become.
  void leave(Instruction &End) {
    const BasicBlock *From = End.getParent();
    Value *Mask = Masks.lookup(From);
    if (auto *Switch = dyn_cast<SwitchInst>(&End)) {
      Value *Rest = Mask, *On = of(Switch->getCondition());
      for (auto &Case : Switch->cases()) {
        Value *Is = B.CreateICmpEQ(On, of(Case.getCaseValue())), *Now = B.CreateLogicalAnd(Mask, Is);
        Value *&Way = Ways[{From, Case.getCaseSuccessor()}];
        Way = Way ? B.CreateOr(Way, Now) : Now;
        Rest = B.CreateLogicalAnd(Rest, B.CreateNot(Is));
      }
      Value *&Way = Ways[{From, Switch->getDefaultDest()}];
      Way = Way ? B.CreateOr(Way, Rest) : Rest;
      return;
    }
    auto &Branch = cast<BranchInst>(End);
    if (!Branch.isConditional() || Branch.getSuccessor(0) == Branch.getSuccessor(1)) {
      Ways[{From, Branch.getSuccessor(0)}] = Mask;
      return;
    }
    Value *If = of(Branch.getCondition());
    Ways[{From, Branch.getSuccessor(0)}] = B.CreateLogicalAnd(Mask, If);
    Ways[{From, Branch.getSuccessor(1)}] = B.CreateLogicalAnd(Mask, B.CreateNot(If));
  }

  Value *widen(Instruction &I) {
    if (auto *Part = dyn_cast<ExtractValueInst>(&I))
      return B.CreateExtractValue(of(Part->getAggregateOperand()), Part->getIndices());
    SmallVector<Value *, 4> Operands;
    for (Value *Operand : I.operands())
      if (!isa<Function>(Operand))
        Operands.push_back(of(Operand));
    Value *Made = nullptr;
    if (laneFunction(&I)) {
      Operands.push_back(Masks.lookup(I.getParent()));
      auto Fits = [&](const VFInfo &Of) { return Of.Shape.VF == ElementCount::getFixed(Lanes); };
      return B.CreateCall(Vector.getParent()->getFunction(find_if(VFDatabase::getMappings(cast<CallInst>(I)), Fits)->VectorName), Operands);
    }
    if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
      // Lanes that do not come here have numbers that functions may take long for.
      if (isVectorMath(*Call))
        for (Value *&Operand : Operands)
          Operand = B.CreateSelect(Masks.lookup(I.getParent()), Operand, ConstantFP::get(Operand->getType(), 1));
      Made = callOf(*Call, Operands);
    } else if (auto *Binary = dyn_cast<BinaryOperator>(&I))
      Made = B.CreateBinOp(Binary->getOpcode(), Operands[0], Operands[1]);
    else if (auto *Unary = dyn_cast<UnaryOperator>(&I))
      Made = B.CreateUnOp(Unary->getOpcode(), Operands[0]);
    else if (auto *Compare = dyn_cast<CmpInst>(&I))
      Made = B.CreateCmp(Compare->getPredicate(), Operands[0], Operands[1]);
    else if (auto *Cast = dyn_cast<CastInst>(&I))
      Made = B.CreateCast(Cast->getOpcode(), Operands[0], wide(I.getType()));
    else if (isa<SelectInst>(I))
      Made = B.CreateSelect(Operands[0], Operands[1], Operands[2]);
    else if (auto *Load = dyn_cast<LoadInst>(&I))
      return readByLanes(B, *Load, Operands[0], Masks.lookup(I.getParent()), HasGathers);
    else if (auto *Place = dyn_cast<GetElementPtrInst>(&I)) {
      // Members of a structure are constants, which must be the same for all lanes.
      SmallVector<Value *, 4> Indices;
      for (auto [Index, Wide] : zip(Place->indices(), ArrayRef(Operands).drop_front()))
        Indices.push_back(isa<Constant>(Index) ? Index : Wide);
      Made = B.CreateGEP(Place->getSourceElementType(), Operands[0], Indices);
    } else
      Made = B.CreateFreeze(Operands[0]);
    if (auto *New = dyn_cast<Instruction>(Made))
      New->copyIRFlags(&I);
    return Made;
  }

  Value *callOf(IntrinsicInst &Call, MutableArrayRef<Value *> Operands) {
    const Intrinsic::ID Of = Call.getIntrinsicID();
    for (unsigned N = 0; N < Operands.size(); ++N)
      if (isVectorIntrinsicWithScalarOpAtArg(Of, N, nullptr))
        Operands[N] = Call.getArgOperand(N);
    return B.CreateIntrinsic(wide(Call.getType()), Of, Operands);
  }
};

} // namespace

PreservedAnalyses LaneLoops::run(Function &F, FunctionAnalysisManager &FAM) {
  const ItemLoops Of = worthwhileInLanes(F, FAM.getResult<TargetIRAnalysis>(F), vectorBits(F, Machine));
  while (!Of.empty()) {
    DominatorTree DT(F);
    LoopInfo LI(DT);
    // What left two loops at once is told by the call now, in the outer one.
    simplifyLoops(DT, LI);
    Loop *L = find(LI, Of);
    if (!L)
      break;
    // To the vectoriser a call is as much as any; that what is in it gains has been weighed.
    if (Loop *Items = const_cast<Loop *>(itemsOf(*L)); !findOptionMDForLoop(Items, WantsVectors))
      addStringMetadataToLoop(Items, WantsVectors, 1);
    // The vectoriser goes by what the loop over items reads and writes, and takes as many lanes as there are bytes in a vector where that is
    // bytes. There must be a function for each number of lanes: calls made one by one, under a condition, lose all results but the first
    // (LLVM 22).
    outline(*L, vectorBits(F, Machine) / 8);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses OpenLaneLoops::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<CallInst *, 8> Calls;
  auto Collect = [&] {
    for (Instruction &I : instructions(F))
      if (laneFunction(&I))
        Calls.push_back(cast<CallInst>(&I));
    return !Calls.empty();
  };
  bool Changed = false;
  while (Collect()) {
    for (CallInst *Call : Calls) {
      Function *Callee = Call->getCalledFunction();
      if (Callee->isDeclaration()) {
        Widened(*Callee, *F.getParent()->getFunction(Callee->getFnAttribute(LanesOf).getValueAsString()), mayGather(F, FAM)).make();
        Callee->setLinkage(GlobalValue::InternalLinkage);
      }
      InlineFunctionInfo Inlined;
      InlineFunction(*Call, Inlined);
    }
    Calls.clear();
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void endLaneLoops(Module &M) {
  SmallVector<Function *, 8> Made;
  for (Function &F : M)
    if (F.hasFnAttribute(LanesOf))
      Made.push_back(&F);
  // They call each other only.
  for (Function *F : Made)
    F->deleteBody();
  for (Function *F : Made)
    F->eraseFromParent();
}

} // namespace aspen::items
