// Work-item loops for x86-64: what the steps share. item_loops.cpp says what is made; each step has a file of its own.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class IntrinsicInst;
class Loop;
class TargetMachine;
}

#include <array>
#include <optional>
#include <string>

namespace aspen::items {

// Functions and variables of the headers that the transform knows. Source: include/sycl/detail/work_item.hpp.
struct Names {
  const char *Enter;           // begins a work-item of an ND-range
  const char *Barrier;         // waits for the group
  const char *SubGroupBarrier; // waits for the sub-group
  const char *OneOfGroup;      // waits for the group, and tells who does for all what is to be done once
  const char *OneOfSubGroup;   // the same of the sub-group
  const char *Ended;           // whether an item has ended
  const char *AskedEnded;      // tells that a broadcast asks for the value of one that has
  const char *Take32;          // answers what another lane of the sub-group passes in
  const char *Take64;
  const char *Fold32;          // makes one value of those of all lanes
  const char *Fold64;
  const char *Current;         // the variable that knows the running item
  unsigned Lanes;              // of a sub-group that code is to be best for
  uint64_t WorkGroup[3];       // that all kernels require, as local ids are ordered; zeroes if they require none
  bool KeepLines;              // what is made keeps debug information: lines, no variables

  // The functions, which are opened when nothing has to be told apart any more.
  std::array<const char *, 9> functions() const {
    return {Enter, Barrier, SubGroupBarrier, OneOfGroup, OneOfSubGroup, Ended, AskedEnded, Take32, Take64};
  }
};

// aspen_cpu_item_t: where its members are. Source: include/aspen/native_cpu.h; aspen-backend-cpu asserts the same numbers.
namespace layout {
constexpr unsigned LocalMemory = 8, GroupSlots = 16, SubGroupSlots = 24, GlobalId = 32, LocalId = 56, GroupId = 80, GlobalRange = 104, LocalRange = 128,
                   Offset = 176, LocalLinearId = 200, SubGroupId = 204, SubGroupSize = 212, SubGroupMaxSize = 216, Lane = 220,
                   Scheduler = 224, ScratchMemory = 248, Size = 256;
// Bytes of a slot of exchange memory (ASPEN_CPU_SLOT_SIZE).
constexpr unsigned Slot = 64, SlotsOfItem = 2;
// aspen_cpu_range_t: the innermost dimension's first item, and the one behind its last.
constexpr unsigned RowBegin = 16, RowEnd = 40;
// ASPEN_CPU_ASKED_ENDED
constexpr unsigned AskedEnded = 0x80000000u;
// ASPEN_CPU_SKIPPED
constexpr unsigned Skipped = 0xc0000000u;
// ASPEN_CPU_MAY_WAIT, ASPEN_CPU_WHOLE_BOXES, ASPEN_CPU_JOINED
constexpr unsigned MayWait = 1, WholeBoxes = 2, Joined = 4;
} // namespace layout

// What differs from item to item, before there is a loop that says it: calls of functions without effects.
// Those from Lane on are of items that run a sub-group at a time; the last four are the same for all lanes.
enum class Id { Local0, Local1, Local2, Linear, Lane, First, SubGroup, SubGroupSize, SubGroupMaxSize };
constexpr unsigned Ids = 9;
std::optional<Id> idOf(const llvm::Value *V);
constexpr bool isOfSubGroup(Id Which) { return Which >= Id::First; }

// Whether a function that runs an item or a group, whose second argument is the group's structure, has the group's local memory from there.
bool isLocalMemory(const llvm::Value &V, const llvm::Function &Group);

// Whether it is arithmetic that costs next to nothing.
bool isCheap(const llvm::Instruction &I);

// Whether the item is the one that does something for all: a call, with whether it is for the sub-group.
bool asksWhoIsOne(const llvm::Value *V);

// Whether it is true for any of the items that run together: a call, with whether it is for the one that asks. A piece ends with the question.
bool asksAny(const llvm::Value *V);
llvm::CallInst *askAny(llvm::IRBuilder<> &B, llvm::Value *Own);

// What concerns items that have ended, by their linear id: calls as well, until it is known whether any has.
enum class AboutEnded { Has, Asked };
std::optional<AboutEnded> aboutEnded(const llvm::Value *V);

// Which lane's value another one takes. Source: sycl::detail::lane_way.
enum class LaneWay : uint64_t { Mask, After, Before, Number, Broadcast, Fold };

// What a fold makes of two values. Source: sycl::detail::lane_fold.
enum class LaneFold : uint64_t {
  Add, AddFloat, Multiply, MultiplyFloat, And, Or, Xor, Least, LeastUnsigned, LeastFloat, Most, MostUnsigned, MostFloat
};

// The most lanes that a sub-group can have. Source: SYCL on this device, 1 to 64.
constexpr unsigned MaxLanes = 64;

// Whether it is a take: a call without effects, of the value, the way and the amount.
bool isTake(const llvm::Value *V);
// Whether it is what all lanes have taken, behind the cut.
bool isCommonTaken(const llvm::Value *V);

// What a work-group's range is in a dimension. Programs index by 32 bits of ids: with this, LLVM knows that nothing is cut off.
void boundRange(llvm::LoadInst &Load);

// Puts that call in the place of the header's function.
void makeTake(llvm::CallInst &Call);

// What lanes of a sub-group take from each other between two pieces.
struct Take {
  unsigned Number, Bits; // which value of those that are given before one cut, and its size
  LaneWay Way;
  llvm::ConstantInt *Amount; // null if it is not constant
  bool IsAlike;              // whether all lanes have the same amount
};

// One work-item as a function of the closure and the group's template, with everything inlined that reaches a barrier.
//
// The entry block holds what depends on nothing but ids and the launch, and ends with a jump to the code proper.
struct Item {
  llvm::Function *Body = nullptr;
  // Whether the second argument is an aspen_cpu_range_t: the items are those of a row of the box.
  bool IsRow = false;
  // Whether it waits for its sub-group: then the sub-group is what runs together.
  bool BySubGroups = false;
  // Whether it asks nothing of its group (joined.cpp).
  bool AsksNoGroup = false;
  // Whether some items of a row run together, to the end, before the next ones begin: what they keep stays in registers.
  bool ByStrips = false;
  // The lanes of a sub-group that is full, or of a strip.
  unsigned Lanes = 0;
  // The only work-group that it runs in, as is required or as the source says; zeroes if any may come.
  std::array<uint64_t, 3> WorkGroup{};
  llvm::Argument *closure() const { return Body->getArg(0); }
  llvm::Argument *group() const { return Body->getArg(1); }
};

// Where instructions stand in the user's files, by the line tables that all passes have; an image without debug info loses them when
// functions for whole groups have been made.
class Lines {
public:
  Lines(const llvm::Module &M, const Names &Names);
  // `file:line:column` of the innermost call outside of our headers; empty if that is not known.
  std::string of(const llvm::Instruction &I) const;
  // The same, to follow a reason.
  std::string in(const llvm::Instruction &I) const;

private:
  bool isOurs(const llvm::DIFile &File) const;
  std::string Headers; // the folder that they lie in
  mutable llvm::DenseMap<const llvm::DIFile *, bool> Known;
};

// A place that an instruction keeps when debug info has gone.
void setPlace(llvm::Instruction &I, const std::string &Place);
llvm::StringRef placeOf(const llvm::Instruction &I);

// What can be said of an entry without making an item of it: whether it is that of an ND-range's kernel, and whether its items may wait for
// each other.
struct Kind {
  bool OfNdRange = false, Waits = false;
};
Kind kindOf(llvm::Function &Entry, const Names &Names);

// Makes these entries, and what they call, tell the backend where they are before they may come to a barrier.
void tellPlaces(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Entries, const Names &Names, const Lines &Lines);

// Puts short functions that an entry calls, and has no order not to, into it (calls.cpp).
void openShortCalls(llvm::Function &Entry);

// Whether the body of an item, in which all is inlined, would be the same if groups were larger (joined.cpp).
bool asksNoGroup(const llvm::Function &Body, const Names &Names);

// Null, with the reason in Why, if the kernel cannot be run this way; without one if it is no kernel of an ND-range.
Item makeItem(llvm::Function &Entry, const Names &Names, const Lines &Lines, llvm::FunctionAnalysisManager &Analyses, std::string &Why);

// The same of a kernel that already loops over the items of a box: one item of the innermost dimension. Only for kernels that have loops of
// their own, which keep that loop from being vectorised.
Item makeRow(llvm::Function &Entry, bool KeepLines, llvm::FunctionAnalysisManager &Analyses, std::string &Why);

// Removes what makeItem made.
void discard(Item &I);

// Computes once, in front of the ways to a block, what is computed alike on each of them.
void computeOnce(llvm::Function &F);

// Vectors that the source has become the numbers that they are of.
void takeVectorsApart(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);

// Takes away what the compiler's pass marks blocks with volatile memory by, so that no pass copies them into several ways, where lanes are no longer together
// (aspen-clang/plugin/LanesTogether.h). Source: steps.cpp, docs/decisions/0066.
void eraseMarksOfSteps(llvm::Function &F);

// Pointers that grow from turn to turn become where the item begins and how far they have come (pointers.cpp).
void measurePointers(llvm::Function &Body, llvm::FunctionAnalysisManager &Analyses);

// A choice between two halves is one between whole numbers: of what the processor has no registers for, LLVM makes a branch.
void chooseHalvesByBits(llvm::Function &F);

// The function for whole boxes of a kernel that loops over them by itself: the entry's code with the type of a group's function. Null for
// others.
llvm::Function *makeBoxes(llvm::Function &Entry, const llvm::Twine &Name);
// From now on the loops over rows may become vectors, all that is inlined being there.
void openRows(llvm::Function &F);
// Loops over rows do not promise any more that items do not meet in memory that is each item's own.
void keepPrivateMemoryApart(llvm::Function &F);

// Items of which it is asked together whether one is at an edge, where there is no other number: a row of a picture has two edges. Quotients by less differ among them.
constexpr uint64_t ItemsTogether = 128;

// Gives loops over items a copy for where none of them is at an edge.
struct InteriorItems : llvm::PassInfoMixin<InteriorItems> {
  static constexpr const char *Name = "aspen-interior";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Runs items of which each has a partner at a power of two (`i ^ step`) in runs that have theirs on one side.
struct PartnerItems : llvm::PassInfoMixin<PartnerItems> {
  static constexpr const char *Name = "aspen-partners";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Has several items go together through loops in which each waits for itself.
struct JammedItems : llvm::PassInfoMixin<JammedItems> {
  static constexpr const char *Name = "aspen-jam";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};
// LLVM's SLP vectoriser, but where several items go together: it would put vectors together from what each reads, number by number, for one chain of vectors.
struct JoinNumbers : llvm::PassInfoMixin<JoinNumbers> {
  static constexpr const char *Name = "aspen-slp";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Makes one of two variables of a loop that always hold the same.
struct AlikeStates : llvm::PassInfoMixin<AlikeStates> {
  static constexpr const char *Name = "aspen-alike";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Sums in a loop over items what all of them add to one place atomically.
struct CommonSums : llvm::PassInfoMixin<CommonSums> {
  static constexpr const char *Name = "aspen-common-sums";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Makes plain what is atomic on the group's local memory, which nobody else sees.
struct LocalAtomics : llvm::PassInfoMixin<LocalAtomics> {
  static constexpr const char *Name = "aspen-local-atomics";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Keeps the order of an item's own accesses, and conditions of its divisions, in loops that are about to become vectors.
struct SafeLoops : llvm::PassInfoMixin<SafeLoops> {
  static constexpr const char *Name = "aspen-safe-loops";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Whether LLVM gathers on the processor that a function is for; and whether a function that is prepared for vectors gathers more in a loop over items than it computes.
bool mayGather(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
bool gathersMore(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Reads what items kept where they begin, and has loops over the lanes of full sub-groups become one vector each.
struct WholeLanes : llvm::PassInfoMixin<WholeLanes> {
  static constexpr const char *Name = "aspen-whole-lanes";
  const llvm::TargetMachine &Machine;
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};
// Has what is left of loops over the lanes of a full strip or sub-group, when they are vectors, become one piece of code.
struct UnrollStrips : llvm::PassInfoMixin<UnrollStrips> {
  static constexpr const char *Name = "aspen-unroll-strips";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};
// Marks a load of what the item kept in an earlier piece: it may be done wherever the item is.
void markKept(llvm::LoadInst &Load);
// What a loop over all lanes of a full sub-group says of itself.
llvm::MDNode *lanesOf(llvm::LLVMContext &C, unsigned Count);
// How many it says; none if it is no such loop.
std::optional<int> lanesOf(const llvm::Loop &L);

// Has what all items of a loop read in one place read in front of it.
struct ReadOnce : llvm::PassInfoMixin<ReadOnce> {
  static constexpr const char *Name = "aspen-read-once";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Has items that go through memory in steps of a group or more do so turn after turn.
struct ItemsInTurns : llvm::PassInfoMixin<ItemsInTurns> {
  static constexpr const char *Name = "aspen-turns";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Gives loops over items the bounds by which only those run that pass the guard before all that they do.
struct GuardedItems : llvm::PassInfoMixin<GuardedItems> {
  static constexpr const char *Name = "aspen-guards";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Has loops over items call what their inner loops compute, in as many lanes as become a vector.
struct LaneLoops : llvm::PassInfoMixin<LaneLoops> {
  static constexpr const char *Name = "aspen-lane-loops";
  const llvm::TargetMachine &Machine;
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};
// Puts those loops, or what runs them for a vector, into the place of the calls.
struct OpenLaneLoops : llvm::PassInfoMixin<OpenLaneLoops> {
  static constexpr const char *Name = "aspen-open-lane-loops";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};
// The vectoriser of loops, whose code is verified where functions of vectors give several values.
struct CheckedVectors : llvm::PassInfoMixin<CheckedVectors> {
  static constexpr const char *Name = "aspen-vectorize";
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};
// Removes the functions that nobody calls any more.
void endLaneLoops(llvm::Module &M);

// The bits of the vectors that a function's code may use.
unsigned vectorBits(const llvm::Function &F, const llvm::TargetMachine &Machine);

// callVectorMathInLoops as a pass.
struct LoopsOfVectorMath : llvm::PassInfoMixin<LoopsOfVectorMath> {
  static constexpr const char *Name = "aspen-vector-math";
  const llvm::TargetMachine &Machine;
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

// Whether it is a mathematical function that there is for vectors.
bool isVectorMath(const llvm::IntrinsicInst &Call);
// Tells the loops of a function of vector functions for the mathematical ones that they call, as far as its processor can run them.
void offerVectorMath(llvm::Function &F, const llvm::TargetMachine &Machine);
// Has what became a loop of vectors, and what is left over at its end, go to such functions. Before loops are unrolled: nobody knows afterwards.
void callVectorMathInLoops(llvm::Function &F, const llvm::TargetMachine &Machine);
// Has all vectors of a function go to such functions, and ends what was told.
void callVectorMath(llvm::Function &F, const llvm::TargetMachine &Machine);
// Functions that stood for vector functions in between: whether one is such, and that they go when all functions are done.
bool standsForMath(const llvm::Function &F);
void endVectorMath(llvm::Module &M);

// Private arrays whose elements can lie apart, each with those of other items, with the bytes of an element (arrays.cpp).
using Elements = llvm::MapVector<llvm::AllocaInst *, uint64_t>;
bool mayLieApart(llvm::AllocaInst &Array);
// Finds them, and has each access to one say how far from its begin it is.
Elements layArrays(llvm::Function &Body);
// That distance, in bytes; null if it is no address in one.
llvm::Value *offsetIn(const Elements &Of, llvm::Value *Address);

// The item cut into pieces: between two pieces all items that run together, of the group or of the sub-group, wait for each other, or could.
struct Pieces {
  // Where a piece begins: the first is the beginning of the item. Those at barriers come in the order of the barriers.
  llvm::SmallSetVector<llvm::BasicBlock *, 8> Starts;
  // Values that live from one piece to the next, in memory: one for each item, or one for all.
  llvm::SmallVector<llvm::AllocaInst *, 8> PerItem, PerGroup;
  // Private arrays that must outlive a piece, or whose elements lie apart.
  llvm::SmallVector<llvm::AllocaInst *, 4> Arrays;
  // Those of all private arrays whose elements can.
  Elements Apart;
  // Starts behind barriers of the group.
  llvm::SmallSetVector<llvm::BasicBlock *, 8> AtGroup;
  // Where the barriers in front of starts stand, as far as that is known. Their numbers count from 1.
  llvm::MapVector<llvm::BasicBlock *, std::string> Places;
  unsigned numberOf(llvm::BasicBlock *Start) const {
    auto Found = Places.find(Start);
    return Found == Places.end() ? 0 : Found - Places.begin() + 1;
  }
  // Starts to which all go as soon as one does.
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> ForAny;
  // Starts behind cuts at which lanes take values from each other, and which.
  llvm::DenseMap<llvm::BasicBlock *, llvm::SmallVector<Take, 8>> Takes;
  // The header's functions that fold values of 32 and of 64 bits; null if nobody does.
  std::array<llvm::Function *, 2> Folds{};
  // Whether there would be more pieces, were they not too many or too long.
  bool Bounded = false;
  // Pieces (by their starts) of which not all items may leave by the same way: some may end there, or come to another barrier.
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> MayPart;
};

// The blocks of a piece, its start first.
llvm::SmallSetVector<llvm::BasicBlock *, 16> blocksOf(llvm::BasicBlock *Start, const Pieces &P);

// The instructions of all pieces, each counted as often as it is in one.
size_t lengthOf(const Pieces &P);

// The bytes that each item keeps, at least.
uint64_t keptBytes(const Pieces &P, const llvm::DataLayout &Layout);

// Cuts an item where lanes take values from each other; those of a block that do not need each other's results together. Blocks hold no
// barriers any more.
void cutAtTakes(llvm::Function &F, llvm::function_ref<bool(const llvm::Use &)> IsAlike, Pieces &Out);

// Cuts an item at its barriers, behind branches that end some items before a barrier, and around loops that all items run alike, so that the
// loop over items becomes the innermost one. Without MayLieApart arrays stay as they are.
Pieces cut(Item &I, const Names &Names, bool MayLieApart = true);

// Whether items can run strip by strip, were they cut.
bool mayBeStrips(const Item &I, const Pieces &P);
// How many items a strip is best made of; 0 if there are to be none.
unsigned lanesOfStrip(const Item &I, const Pieces &P);

// What a group's function uses of its frame.
struct Frame {
  uint64_t Bytes = 0; // for each item
  llvm::Align Alignment{128};
};

// uint32_t (const void *closure, const aspen_cpu_item_t *group, char *frame): runs all items of a group (aspen_cpu_group_entry).
llvm::Function *makeGroup(const Item &I, const Pieces &P, llvm::StringRef Name, Frame &Frame);

} // namespace aspen::items
