// Moves of memory between address spaces, as optimisation makes them of copies by way of a variable. LLVM's NVPTX drops those that are larger than what it
// writes out (128 bytes), without a word: its pass asks for a loop, is told that nobody knows which cast is allowed, and erases the move all the same. Between
// generic addresses, which all others can become, the loop is made. Source: LLVM 22's NVPTXLowerAggrCopies.cpp and LowerMemIntrinsics.cpp.

#include "guard.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

namespace {

// Up to so many bytes of words go by way of registers, as they would if the variable were read.
constexpr uint64_t MostInRegisters = 512;

// All words are read before one is written. False if the move is large, or not of whole words.
bool moveInRegisters(MemMoveInst &Move) {
  auto *Length = dyn_cast<ConstantInt>(Move.getLength());
  if (!Length || Length->getZExtValue() > MostInRegisters || Length->getZExtValue() % 4 != 0 || Move.isVolatile() ||
      Move.getDestAlign().valueOrOne() < Align(4) || Move.getSourceAlign().valueOrOne() < Align(4))
    return false;
  IRBuilder<> B(&Move);
  Type *Word = B.getInt32Ty();
  SmallVector<Value *, 32> Words;
  const auto AlignmentAt = [](MaybeAlign Whole, uint64_t At) { return commonAlignment(*Whole, At); };
  for (uint64_t At = 0; At < Length->getZExtValue(); At += 4)
    Words.push_back(B.CreateAlignedLoad(Word, B.CreatePtrAdd(Move.getRawSource(), B.getInt64(At)), AlignmentAt(Move.getSourceAlign(), At)));
  for (auto [Index, Value] : enumerate(Words))
    B.CreateAlignedStore(Value, B.CreatePtrAdd(Move.getRawDest(), B.getInt64(Index * 4)), AlignmentAt(Move.getDestAlign(), Index * 4));
  Move.eraseFromParent();
  return true;
}

} // namespace

// Null or a message.
extern "C" char *aspen_llvm_expand_moves(LLVMModuleRef Ref, LLVMTargetMachineRef Machine) {
  Module &M = *unwrap(Ref);
  auto *Target = reinterpret_cast<TargetMachine *>(Machine);
  std::string Errors;
  bool Ran = aspen::guarded(
      [&] {
        for (Function &F : M) {
          SmallVector<MemMoveInst *, 4> Moves;
          for (Instruction &I : instructions(F))
            if (auto *Move = dyn_cast<MemMoveInst>(&I); Move && Move->getSourceAddressSpace() != Move->getDestAddressSpace())
              Moves.push_back(Move);
          for (MemMoveInst *Move : Moves) {
            if (moveInRegisters(*Move))
              continue;
            IRBuilder<> B(Move);
            Type *Generic = PointerType::get(M.getContext(), 0);
            auto *Made = cast<MemMoveInst>(B.CreateMemMove(B.CreateAddrSpaceCast(Move->getRawDest(), Generic), Move->getDestAlign(),
                                                           B.CreateAddrSpaceCast(Move->getRawSource(), Generic), Move->getSourceAlign(),
                                                           Move->getLength(), Move->isVolatile()));
            Move->eraseFromParent();
            if (expandMemMoveAsLoop(Made, Target->getTargetTransformInfo(F)))
              Made->eraseFromParent();
          }
        }
      },
      Errors);
  return Ran && Errors.empty() ? nullptr : aspen::copy(Errors);
}
