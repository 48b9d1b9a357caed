// Work-item loops: kernels of ND-ranges as functions that run a whole group, for x86-64.
//
// A kernel's entry runs one work-item, and a barrier in it would have to suspend it. Here the item is cut at its barriers, and each piece
// becomes a loop over the group's items; what lives across a barrier is kept in a frame, an array for each value. Loops that all items run
// alike are cut too, so that the loop over items is the innermost, which LLVM's vectoriser works on. The way is known from pocl ("work-item
// loops", Jääskeläinen et al., 2015) and AdaptiveCpp ("continuation-based synchronization", Meyer et al., 2023).
//
// What cannot be cut keeps its entry for single items alone: functions with barriers that cannot be inlined, calls that may come to a barrier
// unseen.

#include "../guard.h"
#include "items.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace aspen::items;

namespace {

// The levels of the x86-64 psABI that a group's function is made for besides the kernel's own; aspen_cpu_group_t has a place for each.
constexpr const char *Levels[] = {nullptr, nullptr, "x86-64-v3", "x86-64-v4"};

// A frame that is larger is not worth its memory traffic.
constexpr uint64_t MaxFrame = 16 << 10;

// A function for groups has several versions of its pieces, and code of a million instructions takes minutes to make.
constexpr size_t MaxWhole = 100000;

// What simplifies the loops, once for all levels, and what makes vectors of them: of nothing that is dead, which LLVM follows by every way (docs/decisions/0042).
constexpr const char *Simplified =
    "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,loop-mssa(licm),simplifycfg,early-cse<memssa>";
constexpr const char *LoopsSimplified = "loop(indvars,loop-idiom,loop-deletion)";
constexpr const char *Cleaned = "gvn,instcombine<no-verify-fixpoint>,simplifycfg";
constexpr const char *Prepared =
    "aspen-alike,loop-simplify,aspen-read-once,aspen-turns,loop-simplify,aspen-guards,instsimplify,simplifycfg,loop-simplify,aspen-read-once,aspen-partners,simplifycfg,loop-simplify,aspen-interior,simplifycfg,aspen-lane-loops,loop-simplify,aspen-jam,loop-simplify,lcssa,aspen-whole-lanes,aspen-common-sums,aspen-local-atomics,aspen-safe-loops,dce";
constexpr const char *Vectorized =
    "aspen-vectorize,aspen-open-lane-loops,aspen-vector-math,instcombine<no-verify-fixpoint>,simplifycfg,aspen-slp,early-cse<memssa>,loop-simplify,loop-mssa(licm)";
// Opens what told the barriers apart, which has done its work.
constexpr const char *Opened = "always-inline,globaldce";
constexpr const char *Unrolled = "aspen-unroll-strips,loop-unroll<O2>";
// What lanes keep and give becomes registers, where the loops over them are gone.
constexpr const char *Settled = "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg";

// Unrolling forgets for each loop what is known of the function's other loops, and what simplifies a loop's variables looks through all
// loops before it: in a function of more loops they take most of the time.
constexpr size_t MaxUnrolled = 64;

Constant *constant(Module &M, Constant *Value) {
  auto *Variable = new GlobalVariable(M, Value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Value, "aspen.places");
  return Variable;
}

// Null for no text.
Constant *textOf(Module &M, const std::string &Text) {
  return Text.empty() ? ConstantPointerNull::get(PointerType::get(M.getContext(), 0)) : constant(M, ConstantDataArray::getString(M.getContext(), Text));
}

// aspen_cpu_group_t. Source: include/aspen/native_cpu.h.
void describe(Module &M, StringRef Name, const Frame &Frame, ArrayRef<Constant *> Entries, ArrayRef<std::string> Places,
              uint64_t Flags, ArrayRef<uint64_t> WorkGroup) {
  LLVMContext &C = M.getContext();
  Type *Half = Type::getInt32Ty(C), *Word = Type::getInt64Ty(C), *Pointer = PointerType::get(C, 0);
  auto *Table = ConstantArray::get(ArrayType::get(Pointer, Entries.size()), Entries);
  const uint64_t Size = 56 + 8 * Entries.size();
  Constant *Known = ConstantPointerNull::get(PointerType::get(C, 0));
  if (!Places.empty()) {
    SmallVector<Constant *, 8> Texts;
    for (const std::string &Place : Places)
      Texts.push_back(textOf(M, Place));
    Known = constant(M, ConstantArray::get(ArrayType::get(Pointer, Texts.size()), Texts));
  }
  auto *Record = ConstantStruct::getAnon({ConstantInt::get(Half, Size), ConstantInt::get(Half, Frame.Alignment.value()),
                                            ConstantInt::get(Word, Frame.Bytes), Table, Known,
                                            ConstantInt::get(Word, Flags), ConstantDataArray::get(C, WorkGroup)});
  new GlobalVariable(M, Record->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage, Record, Name);
}

// Planning vectors takes more than linear time in a loop's length, and in bodies of this length the spills cost what vectors gain.
constexpr size_t MaxPlanned = 4000;

// Loops that do not promise that their items are independent (they keep private arrays in one place) have each write compared with each
// access, by arithmetic on their distance. With this many pairs it is tens of milliseconds a loop, and what it finds is that they depend.
constexpr size_t MaxCompared = 1 << 15;

bool isTooLong(const Loop &L) {
  size_t Length = 0, Accesses = 0, Writes = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      ++Length;
      Accesses += I.mayReadOrWriteMemory();
      Writes += I.mayWriteToMemory();
    }
  return Length > MaxPlanned || (Accesses * Writes > MaxCompared && !L.isAnnotatedParallel());
}

// Leaves loops that are too long as they are. Whether there are such.
bool boundPlanning(Function &F, FunctionAnalysisManager &FAM) {
  bool Found = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !isTooLong(*L))
      continue;
    addStringMetadataToLoop(L, "llvm.loop.vectorize.enable", 0);
    Found = true;
  }
  return Found;
}

bool hasFewLoops(Function &F, FunctionAnalysisManager &FAM) {
  return FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder().size() <= MaxUnrolled;
}

// Nor is anything of a function of more loops made of vectors: what is known of a loop is asked of those in front of it, and one of oneDPL's scans, with 2480 loops
// between takes, did not link in minutes.
constexpr size_t MaxVectorised = 512;

bool hasTooManyLoops(Function &F, FunctionAnalysisManager &FAM) {
  return FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder().size() > MaxVectorised;
}

// Functions of more instructions get no copy for a level: what is short is mostly loops, in which the levels pay; what is long is mostly scalar.
constexpr size_t MaxCopied[std::size(Levels)] = {0, 0, 4000, 1500};

// To make a copy's vectors and code takes 150 to 250 microseconds an instruction, more than the function that it is of. Copies of an image
// bring it to so many instructions at most; but one long kernel must not cost all others theirs.
constexpr size_t MaxOfImage = 16000, LeastCopies = 8000;

// Nor are copies longer than so many times what the image holds without them, for which SPIR-V takes 18 microseconds an instruction. An image
// that is short may have this much. Both copies of what runs in strips come on top: it is mostly vectors, and several times as long as its code.
constexpr size_t CopiedToCode = 4, SmallCopies = 2500;

// A function for whole groups, and the levels that it gets copies for.
struct Whole {
  Function *Entry, *Group;
  struct Frame Frame;
  SmallVector<std::string, 4> Places; // of its barriers
  uint64_t Flags; // ASPEN_CPU_…
  bool TooLong; // what has no vectors gains nothing from the levels
  bool ByStrips = false; // what has is mostly vectors however long it is
  std::array<uint64_t, 3> WorkGroup{}; // the only one that it runs
  std::array<bool, std::size(Levels)> HasLevel{};
};

// Instructions up to which a function gets a copy for a level.
size_t mostFor(const Whole &W, size_t Level) { return MaxCopied[W.ByStrips && Level > 2 ? 2 : Level]; }

size_t mostCopied(size_t Code, ArrayRef<Whole> Made) {
  size_t Functions = 0, OfStrips = 0;
  for (const Whole &W : Made) {
    const size_t Size = W.Group->getInstructionCount();
    Functions += Size;
    OfStrips += W.ByStrips ? 2 * Size : 0;
  }
  return std::min(std::max(CopiedToCode * Code, SmallCopies) + OfStrips, std::max(LeastCopies, MaxOfImage - std::min(MaxOfImage, Functions)));
}

// Each conversion of a half is a call of a function at the first level, and an instruction from this one on.
constexpr size_t LevelOfHalves = 2;

bool convertsHalves(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return I.getType()->getScalarType()->isHalfTy() || any_of(I.operands(), [](const Value *V) { return V->getType()->getScalarType()->isHalfTy(); });
  });
}

// A level for all before the next one, since without any a kernel takes six times as long as with the highest, and twice with the one below; the
// shortest first. `Left` is what all copies may have together; kernels with halves have one that converts them in any case.
void chooseLevels(MutableArrayRef<Whole> Made, size_t Left, std::string &Lines) {
  SmallVector<std::pair<size_t, size_t>, 8> Order;
  for (auto [Place, W] : enumerate(Made))
    if (W.Entry->getFnAttribute("target-cpu").getValueAsString() == "x86-64")
      Order.push_back({W.Group->getInstructionCount(), Place});
  sort(Order);
  for (size_t Level = 1; Level < std::size(Levels); ++Level)
    for (auto [Size, Place] : Order)
      if (Levels[Level] && !Made[Place].TooLong && Size <= mostFor(Made[Place], Level) &&
          (Size <= Left || (Level == LevelOfHalves && convertsHalves(*Made[Place].Group)))) {
        Made[Place].HasLevel[Level] = true;
        Left -= std::min(Left, Size);
      }
  const size_t Highest = std::size(Levels) - 1;
  for (auto [Size, Place] : Order)
    if (const Whole &W = Made[Place]; !W.HasLevel[Highest])
      Lines += ("less " + W.Entry->getName() + ": with " + Twine(Size) + " instructions for a group it is too long for copies for all levels of the processor" +
                (Size <= mostFor(W, Highest) && !W.TooLong ? " beside the other copies of the image" : "") + "\n").str();
}

// Whether an item may wait in a loop for what items of other groups write, here or in what is called. Barriers wait for the own group only.
bool mayWaitForOthers(Function &Body, const Names &Names, SmallDenseMap<Function *, bool> &Open) {
  if (auto [Place, New] = Open.try_emplace(&Body, true); !New)
    return Place->second; // recursion is a loop
  LoopInfo Loops{DominatorTree(Body)};
  for (const BasicBlock &B : Body) {
    const bool InLoop = Loops.getLoopFor(&B);
    for (const Instruction &I : B) {
      if (InLoop && (I.isAtomic() || I.isVolatile()))
        return true;
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      Function *Callee = Call->getCalledFunction();
      if (Callee && is_contained(Names.functions(), Callee->getName()))
        continue;
      if (!Callee || (!Callee->isDeclaration() && (InLoop || mayWaitForOthers(*Callee, Names, Open))))
        return true;
    }
  }
  Open[&Body] = false;
  return false;
}
bool mayWaitForOthers(Function &Body, const Names &Names) {
  SmallDenseMap<Function *, bool> Open;
  return mayWaitForOthers(Body, Names, Open);
}

// Calls of functions with debug information must have a place in functions that have it.
void giveLines(Function &Group) {
  DISubprogram *Own = Group.getSubprogram();
  for (Instruction &I : instructions(Group))
    if (Own && isa<CallBase>(I) && !I.getDebugLoc())
      I.setDebugLoc(DILocation::get(Group.getContext(), 0, 0, Own));
}

void compileFor(Function &F, const char *Level) {
  F.addFnAttr("target-cpu", Level);
  F.removeFnAttr("target-features");
  F.removeFnAttr("tune-cpu");
}

void drop(Function &F, FunctionAnalysisManager &FAM) {
  FAM.clear(F, F.getName());
  F.eraseFromParent();
}

Function *copyFor(Function &Group, const char *Level) {
  ValueToValueMapTy Map;
  Function *Copy = CloneFunction(&Group, Map);
  // As debuggers and profilers show it: `.group.v3`.
  Copy->setName(Group.getName() + "." + StringRef(Level).rsplit('-').second);
  compileFor(*Copy, Level);
  return Copy;
}

// The one of that name. False if it is none of them.
template <class... Passes> bool addNamed(StringRef Name, FunctionPassManager &Pipeline) {
  return ((Name == Passes::Name && (Pipeline.addPass(Passes()), true)) || ...);
}

bool isEntry(const Function &F) { return F.getCallingConv() == CallingConv::SPIR_KERNEL && !F.isDeclaration(); }

} // namespace

// Makes aspen_cpu_group_t records with the functions they name for the kernels of a module; `Prefix` and the kernel's symbol are their
// names. Optimises these functions, and by the pipeline `Alone` all others but the entries that they replace. `Report` gets a line for each
// kernel that keeps its entry alone, or has less than it could, if it is not null: `waits`, `alone` or `less`, the symbol and why. With
// `Instead`, which says why no kernel is to have a record, nothing is done but that. Null or a message.
extern "C" char *aspen_llvm_item_loops(LLVMModuleRef Ref, LLVMTargetMachineRef MachineRef, const Names *Names, const char *Prefix,
                                       const char *Alone, const char *Instead, char **Report) {
  Module &M = *unwrap(Ref);
  auto *Machine = reinterpret_cast<TargetMachine *>(MachineRef);
  std::string Errors, Lines;
  raw_string_ostream Said(Errors);
  bool Ran = aspen::guarded(
      [&] {
        PassBuilder Passes(Machine);
        LoopAnalysisManager LAM;
        FunctionAnalysisManager FAM;
        CGSCCAnalysisManager CAM;
        ModuleAnalysisManager MAM;
        Passes.registerPipelineParsingCallback([&](StringRef Name, FunctionPassManager &Pipeline, ArrayRef<PassBuilder::PipelineElement>) {
          if (Name == WholeLanes::Name)
            Pipeline.addPass(WholeLanes{{}, *Machine});
          else if (Name == LoopsOfVectorMath::Name)
            Pipeline.addPass(LoopsOfVectorMath{{}, *Machine});
          else if (Name == LaneLoops::Name)
            Pipeline.addPass(LaneLoops{{}, *Machine});
          else
            return addNamed<AlikeStates, ReadOnce, SafeLoops, ItemsInTurns, GuardedItems, PartnerItems, JammedItems, JoinNumbers, InteriorItems, CommonSums, LocalAtomics, UnrollStrips, OpenLaneLoops, CheckedVectors>(Name, Pipeline);
          return true;
        });
        Passes.registerModuleAnalyses(MAM);
        Passes.registerCGSCCAnalyses(CAM);
        Passes.registerFunctionAnalyses(FAM);
        Passes.registerLoopAnalyses(LAM);
        Passes.crossRegisterProxies(LAM, FAM, CAM, MAM);
        FunctionPassManager Simplify, SimplifyLoops, Clean, Prepare, Vectorize, Unroll, Settle, Rest;
        ModulePassManager Open;
        Error Unread = *Alone ? Passes.parsePassPipeline(Rest, Alone) : Error::success();
        const std::pair<FunctionPassManager *, const char *> Pipelines[] = {
            {&Simplify, Simplified}, {&SimplifyLoops, LoopsSimplified}, {&Clean, Cleaned}, {&Prepare, Prepared}, {&Vectorize, Vectorized}, {&Unroll, Unrolled}, {&Settle, Settled}};
        for (auto [Pipeline, Text] : Pipelines)
          Unread = joinErrors(std::move(Unread), Passes.parsePassPipeline(*Pipeline, Text));
        if (auto Error = joinErrors(std::move(Unread), Passes.parsePassPipeline(Open, Opened))) {
          Said << toString(std::move(Error));
          return;
        }
        const class Lines Places(M, *Names);
        SmallSetVector<Function *, 8> OneByOne; // kernels whose items wait for each other and run one by one
        auto Tell = [&](Function &Entry, const Twine &Why) {
          const Kind Of = kindOf(Entry, *Names);
          if (Of.OfNdRange && Of.Waits)
            OneByOne.insert(&Entry);
          if (Of.OfNdRange)
            Lines += ((Of.Waits ? "waits " : "alone ") + Entry.getName() + ": " + Why + "\n").str();
        };
        SmallVector<Function *, 8> Entries;
        SmallVector<Whole, 8> Made;
        for (Function &F : M)
          if (isEntry(F))
            Entries.push_back(&F);
        for (Function *Entry : Entries)
          openShortCalls(*Entry);
        const size_t Code = M.getInstructionCount();
        auto EraseMarks = [&] {
          for (Function &F : M)
            eraseMarksOfSteps(F);
        };
        if (Instead) {
          EraseMarks();
          for (Function *Entry : Entries) {
            Tell(*Entry, Instead);
            openRows(*Entry);
            // Whoever debugs steps through one item; a loop over a row is none of the source's.
            if (*Alone && !kindOf(*Entry, *Names).OfNdRange && !Entry->hasFnAttribute(Attribute::OptimizeNone))
              FAM.invalidate(*Entry, Prepare.run(*Entry, FAM)), Vectorize.run(*Entry, FAM);
          }
          tellPlaces(M, OneByOne.getArrayRef(), *Names, Places);
          return;
        }
        auto KeepBoxes = [&](Function &Entry) {
          if (Function *Boxes = makeBoxes(Entry, Entry.getName() + ".boxes")) {
            takeVectorsApart(*Boxes, FAM);
            openRows(*Boxes);
            Made.push_back({&Entry, Boxes, {}, {}, layout::WholeBoxes, boundPlanning(*Boxes, FAM)});
            FAM.clear(*Boxes, Boxes->getName());
          }
        };
        for (Function *Entry : Entries) {
          std::string Why;
          Item I = makeItem(*Entry, *Names, Places, FAM, Why);
          // A kernel of a range loops over its items by itself: nothing is lost if that stays as it is.
          std::string Same;
          if (!I.Body && Why.empty())
            I = makeRow(*Entry, Names->KeepLines, FAM, Same);
          if (!I.Body) {
            if (!Why.empty())
              Tell(*Entry, Why);
            else
              KeepBoxes(*Entry);
            continue;
          }
          const bool Waits = mayWaitForOthers(*I.Body, *Names);
          // For a debugger items run one by one.
          if (const Kind Of = kindOf(*Entry, *Names); Names->KeepLines && Of.OfNdRange && Of.Waits)
            OneByOne.insert(Entry);
          Pieces P = cut(I, *Names);
          // Better than no group at all.
          if (!I.IsRow && !P.Apart.empty() && keptBytes(P, M.getDataLayout()) > MaxFrame) {
            discard(I);
            I = makeItem(*Entry, *Names, Places, FAM, Why);
            P = cut(I, *Names, /*MayLieApart=*/false);
          }
          // The loops of a box are in order as they are.
          if (I.IsRow && P.Starts.size() == 1) {
            discard(I);
            KeepBoxes(*Entry);
            continue;
          }
          // Known before anything is made of it: such functions are long.
          if (uint64_t Bytes = keptBytes(P, M.getDataLayout()); Bytes > MaxFrame || lengthOf(P) > MaxWhole) {
            if (I.IsRow)
              KeepBoxes(*Entry);
            else if (Bytes > MaxFrame)
              Tell(*Entry, "it keeps " + Twine(Bytes) + " bytes for each item across barriers, more than " + Twine(MaxFrame));
            else
              Tell(*Entry, "between its barriers it has " + Twine(lengthOf(P)) + " instructions, more than " + Twine(MaxWhole));
            discard(I);
            continue;
          }
          if (unsigned Lanes = lanesOfStrip(I, P); Lanes != 0) {
            I.ByStrips = true;
            I.Lanes = Lanes;
          }
          if (P.Bounded)
            Lines += ("less " + Entry->getName() + ": with " + Twine(lengthOf(P)) +
                      " instructions between barriers it is too long for all of its loops to become vectors\n").str();
          struct Frame Frame;
          Function *Group = makeGroup(I, P, (Entry->getName() + (I.IsRow ? ".rows" : ".group")).str(), Frame);
          giveLines(*Group);
          // As long as there is what it may have kept of the item by mistake.
          if (verifyFunction(*Group, &Said)) {
            Said << " (the loops over the items of " << Entry->getName() << ")";
            return;
          }
          discard(I);
          if (Frame.Bytes > MaxFrame) {
            Tell(*Entry, "it keeps " + Twine(Frame.Bytes) + " bytes for each item");
            Group->eraseFromParent();
            continue;
          }
          FAM.invalidate(*Group, Simplify.run(*Group, FAM));
          if (hasFewLoops(*Group, FAM))
            FAM.invalidate(*Group, SimplifyLoops.run(*Group, FAM));
          FAM.invalidate(*Group, Clean.run(*Group, FAM));
          if (!I.IsRow)
            Lines += ("whole " + Entry->getName() + ": a group at once\n").str();
          const bool TooMany = hasTooManyLoops(*Group, FAM);
          const bool Joined = I.AsksNoGroup && !I.BySubGroups && !Waits && P.Starts.size() == 1 && Frame.Bytes == 0;
          Made.push_back({Entry, Group, Frame, {}, (Waits ? layout::MayWait : 0u) | (Joined ? layout::Joined : 0u), boundPlanning(*Group, FAM) || TooMany});
          if (TooMany)
            Lines += ("less " + Entry->getName() + ": it has more than " + Twine(MaxVectorised) + " loops between barriers, too many for vectors\n").str();
          Made.back().WorkGroup = I.WorkGroup;
          Made.back().ByStrips = I.ByStrips;
          for (const auto &[Start, Place] : P.Places)
            Made.back().Places.push_back(Place);
          // What is known of the processor changes with the attributes.
          FAM.clear(*Group, Group->getName());
        }
        EraseMarks();
        tellPlaces(M, OneByOne.getArrayRef(), *Names, Places);
        if (!Names->KeepLines)
          StripDebugInfo(M);
        FAM.clear();
        SmallPtrSet<const Function *, 16> Finished;
        chooseLevels(Made, mostCopied(Code, Made), Lines);
        for (const Whole &W : Made) {
          SmallVector<Constant *, 4> Table(std::size(Levels), ConstantPointerNull::get(PointerType::get(M.getContext(), 0)));
          Table[0] = W.Group;
          for (size_t Level = 1; Level < std::size(Levels); ++Level)
            if (W.HasLevel[Level])
              Table[Level] = copyFor(*W.Group, Levels[Level]);
          for (Constant *&Of : Table) {
            auto *F = dyn_cast<Function>(Of);
            if (!F)
              continue;
            // LLVM's own choice for the level is half of that; loops over items are long and do little else.
            if (F->getFnAttribute("target-cpu").getValueAsString() == Levels[3])
              F->addFnAttr("prefer-vector-width", "512");
            Finished.insert(F);
            if (hasTooManyLoops(*F, FAM))
              continue;
            if (F == W.Group && mayGather(*F, FAM)) {
              // Made for level 4 alone: what is prepared for that level has its vectors, so a copy tells.
              ValueToValueMapTy Map;
              Function *Trial = CloneFunction(F, Map);
              offerVectorMath(*Trial, *Machine);
              FAM.invalidate(*Trial, Prepare.run(*Trial, FAM));
              if (gathersMore(*Trial, FAM))
                compileFor(*F, Levels[2]);
              drop(*Trial, FAM);
              FAM.clear(*F, F->getName());
            }
            offerVectorMath(*F, *Machine);
            FAM.invalidate(*F, Prepare.run(*F, FAM));
            if (F != W.Group && gathersMore(*F, FAM)) { // the level below runs in its place
              Finished.erase(F);
              Of = ConstantPointerNull::get(PointerType::get(M.getContext(), 0));
              drop(*F, FAM);
              continue;
            }
            FAM.invalidate(*F, Vectorize.run(*F, FAM));
            if (hasFewLoops(*F, FAM))
              FAM.invalidate(*F, Unroll.run(*F, FAM));
            FAM.invalidate(*F, Settle.run(*F, FAM));
          }
          Finished.insert(W.Entry);
          describe(M, (Prefix + W.Entry->getName()).str(), W.Frame, Table, W.Places, W.Flags, W.WorkGroup);
        }
        endLaneLoops(M);
        for (Function &F : M)
          if (!F.isDeclaration())
            boundPlanning(F, FAM);
        // What told the barriers apart has done its work.
        for (const char *Name : Names->functions())
          if (Function *F = M.getFunction(Name); F && !F->isDeclaration()) {
            F->removeFnAttr(Attribute::NoInline);
            if (!F->hasFnAttribute(Attribute::OptimizeNone))
              F->addFnAttr(Attribute::AlwaysInline);
          }
        Open.run(M, MAM);
        for (Function *Entry : Entries)
          openRows(*Entry);
        for (Function &F : M)
          if (!F.isDeclaration() && !Finished.contains(&F) && !standsForMath(F)) {
            offerVectorMath(F, *Machine);
            FAM.invalidate(F, Rest.run(F, FAM));
          }
        for (Function &F : M)
          if (!F.isDeclaration() && !standsForMath(F)) {
            callVectorMath(F, *Machine);
            chooseHalvesByBits(F);
          }
        endVectorMath(M);
        // What was inlined into functions that have none brought its own.
        for (Function &F : M)
          if (Names->KeepLines && !F.isDeclaration() && !F.getSubprogram())
            stripDebugInfo(F);
      },
      Errors);
  if (!Ran || !Errors.empty())
    return aspen::copy(Errors);
  if (Report)
    *Report = Lines.empty() ? nullptr : aspen::copy(Lines);
  return nullptr;
}
