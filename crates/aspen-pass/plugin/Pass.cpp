//! The pass `sycl-propagate-aspects-usage` as LLVM's pass builder knows it, with options named as DPC++'s. The work is done in src/lib.rs.

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// src/lib.rs
extern "C" bool aspen_pass_run(LLVMModuleRef Module, bool Dpcpp, const char *Excluded, size_t Length, const char *Fixed, size_t FixedLength,
                               char **Text);
extern "C" void aspen_pass_free(char *Text);

namespace {

enum class Dialect { Seed, Dpcpp };

cl::opt<std::string> ExcludedAspects("sycl-propagate-aspects-usage-exclude-aspects",
                                     cl::desc("Aspects that the pass does not add to any function"), cl::value_desc("a,b"), cl::Hidden);

cl::opt<std::string> FixedTargets("sycl-propagate-aspects-usage-fixed-targets",
                                  cl::desc("Aspects of the devices that the program is meant for"), cl::value_desc("a,b"), cl::Hidden);

cl::opt<Dialect> WrittenDialect("sycl-propagate-aspects-usage-dialect", cl::desc("Whose names of metadata the pass writes"), cl::Hidden,
                                cl::init(Dialect::Seed),
                                cl::values(clEnumValN(Dialect::Seed, "seed", "the design documents'"),
                                           clEnumValN(Dialect::Dpcpp, "dpcpp", "DPC++'s")));

struct PropagateAspectsUsage : PassInfoMixin<PropagateAspectsUsage> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    char *Text = nullptr;
    const std::string &Excluded = ExcludedAspects;
    bool Good = aspen_pass_run(wrap(&M), WrittenDialect == Dialect::Dpcpp, Excluded.data(), Excluded.size(),
                               FixedTargets.getNumOccurrences() ? FixedTargets.data() : nullptr, FixedTargets.size(), &Text);
    if (Good)
      errs() << Text;
    else
      M.getContext().emitError(Text);
    aspen_pass_free(Text);
    return PreservedAnalyses::all(); // only metadata was written
  }
  static bool isRequired() { return true; }
};

} // namespace

extern "C" void aspen_pass_register(PassBuilder &Builder) {
  Builder.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name != "sycl-propagate-aspects-usage")
      return false;
    Passes.addPass(PropagateAspectsUsage());
    return true;
  });
}

// The structure that src/lib.rs hands out.
static_assert(LLVM_PLUGIN_API_VERSION == 2 && sizeof(PassPluginLibraryInfo) == 5 * sizeof(void *));
