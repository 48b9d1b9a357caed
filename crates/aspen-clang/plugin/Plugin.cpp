//! The plugin's life in one compilation: arguments, the token stage, what the AST shows, the module before its passes, and the report.
//!
//! Registered as `aspen`; loaded in host and device passes with `-fplugin`. Source: ARCHITECTURE "The plugin's arguments".

#include "AbsentHeaders.h"
#include "Attributes.h"
#include "Bridge.h"
#include "CallerMemory.h"
#include "Captures.h"
#include "DeviceArithmetic.h"
#include "DeviceGlobals.h"
#include "Diagnose.h"
#include "Facts.h"
#include "HeaderErrors.h"
#include "HostExceptions.h"
#include "HostOnly.h"
#include "HostVariables.h"
#include "Kernels.h"
#include "KnownRanges.h"
#include "LanesTogether.h"
#include "Module.h"
#include "ModuleOrder.h"
#include "Names.h"
#include "OlderErrors.h"
#include "OtherBuiltins.h"
#include "OwnObjects.h"
#include "Pragmas.h"
#include "Redirected.h"
#include "Reach.h"
#include "Tokens.h"
#include "VirtualCalls.h"
#include "WholeLoops.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
namespace json = llvm::json;
using llvm::StringRef;

namespace aspen {
namespace {

enum class Pass { Host, Analysis, Code };

struct Options {
  std::optional<Pass> Which;
  std::string Report;
  std::string Dialect = "seed";
  std::string FactsFile;
  std::string Prefix;
  /// Where to write all identifiers of a header that is precompiled, a line each.
  std::string Names;
  /// What the source is called, where it is read under another name.
  std::string Source;
  bool Optimized = false;
  bool MakesCode = true;
  /// Whether a pass for code is the only one, and so derives what kernels need.
  bool Metadata = false;
  bool AllowsHost = false;
  /// Whether the host's pass reads the same ranges of local accessors as this one.
  bool KnowsRanges = true;
  /// Whether square roots of `float` are rounded to nearest on GPUs that have a faster one.
  bool ExactRoots = false;
  /// The sub-group size of kernels that name none; 0: the device chooses.
  uint32_t SubGroupSize = 0;
};

std::string text(json::Value Value) {
  std::string Result;
  llvm::raw_string_ostream(Result) << Value;
  return Result;
}

/// What SYCL's header declares at its end.
constexpr const char *END_OF_HEADER = "__aspen_end_of_header";

/// One translation unit.
class Session {
  CompilerInstance &CI;
  const Options Opts;
  const Pass Which;
  TokenStage Tokens;
  KernelCollector Collector;
  std::vector<Kernel> Kernels;
  std::shared_ptr<PragmaLog> Pragmas = std::make_shared<PragmaLog>();
  CodeGenerator *Generator = nullptr;
  /// The whole of SYCL's header was read, as text or precompiled.
  bool HasHeader = false;
  bool ModuleDone = false;

public:
  Session(CompilerInstance &CI, const Options &Opts)
      : CI(CI), Opts(Opts), Which(Opts.Which.value_or(defaultPass(CI))), Tokens(CI, Which == Pass::Host, Opts.Prefix) {
    resetAttributes();
    watchDiagnosticPragmas(CI, Pragmas);
    nameAbsentHeaders(CI);
    hideExceptionsFromLibrary(CI);
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    showErrorsAtUsersLines(CI);
    // SYCL's own position for attributes on lambdas is what C++23 made standard.
    Diags.setSeverityForGroup(diag::Flavor::WarningOrError, "c++23-lambda-attributes", diag::Severity::Ignored);
    // The host pass has shown clang's warnings; errors, also errors by default, stay. Source: DESIGN §2.
    if (Which != Pass::Host)
      Diags.setIgnoreAllWarnings(true);
  }

  void start(Sema &S) {
    Tokens.start(S.getPreprocessor());
    knowOlderErrors(S);
  }

  void see(DeclGroupRef Group) { Collector.see(Group); }

  /// The parser is done with a declaration.
  void declared(DeclGroupRef Group) {
    see(Group);
    keepFromEvaluation(CI.getASTContext(), Group);
    for (Decl *D : Group)
      markAsDeclared(CI.getASTContext(), D);
    if (library() != DeviceLibrary::Host)
      redirectAsserts(CI.getASTContext(), Group);
    instantiateAtEndOfHeader(Group);
  }

  /// At the end of SYCL's header, what it needs of templates is instantiated and not at the unit's end: a precompiled one brings it along,
  /// and one that is read as text leads to the same order of functions. Source: decision 0037.
  void instantiateAtEndOfHeader(DeclGroupRef Group) {
    const auto *Last = Group.isSingleDecl() ? dyn_cast<RecordDecl>(Group.getSingleDecl()) : nullptr;
    if (Last && Last->getIdentifier() && Last->getName() == END_OF_HEADER)
      CI.getSema().PerformPendingInstantiations(/*LocalOnly=*/false, /*AtEndOfTU=*/false);
  }

  /// The outermost instantiation that is going on was asked for by code that is no template.
  void instantiated(const FunctionDecl *Function) {
    for (const Sema::CodeSynthesisContext &Context : CI.getSema().CodeSynthesisContexts)
      if (Context.PointOfInstantiation.isValid())
        return Collector.instantiated(Function, Context.PointOfInstantiation);
  }

  /// Sema is done, no code has been generated.
  void finishAst() {
    ASTContext &Context = CI.getASTContext();
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    HasHeader = !Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(END_OF_HEADER)).empty();
    if (!Opts.Names.empty())
      writeNames();
    Kernels = Collector.finish(Context, [&](const CXXRecordDecl *Record) { return isSpecialisedFor(CI.getSema(), Record); });
    checkConflicts(Context);
    checkReferences(CI.getSema(), Kernels);
    if (Which != Pass::Host)
      checkCopies(CI.getSema(), Kernels);
    if (Which == Pass::Host || (Opts.KnowsRanges && CI.getCodeGenOpts().OptimizationLevel > 0))
      findKnownRanges(Context, Kernels);
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    Generator = findGenerator(CI);
    emitDeviceGlobals(Context, Generator, Which == Pass::Host);
    if (Which != Pass::Host)
      exportFunctions(Context, Generator, Collector.functionsForOthers());
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    if (!analyses() || !Generator)
      reportLaunches();
  }

  /// Code has been generated, nothing has been optimised or written.
  void onModule() {
    if (ModuleDone || !Generator || !Generator->GetModule())
      return;
    ModuleDone = true;
    llvm::Module &Module = *Generator->GetModule();
    if (!Opts.Source.empty()) {
      Module.setModuleIdentifier(Opts.Source);
      Module.setSourceFileName(Opts.Source);
    }
    stripAnnotations(Module);
    Tokens.insertTag(Module);
    if (HasHeader)
      order(Module);
    if (Which == Pass::Host)
      registerDeviceGlobals(*Generator, Tokens.tag());
    if (Which == Pass::Host || CI.getDiagnostics().hasErrorOccurred())
      return;
    forgetBuiltins(Module);
    noteClasses(Module, unit());
    replaceAliases(Module);
    // Those of the host, for which no SPIR-V is made (aspen-driver/src/passes.rs).
    if (Which == Pass::Analysis)
      for (llvm::Function &F : Module)
        F.removeFnAttr("target-features");
    setKernelLinkage(Module, Kernels);
    if (CI.getCodeGenOpts().OptimizationLevel > 0)
      stateKnownRanges(*Generator, CI.getASTContext(), Kernels);
    markDeviceGlobals(*Generator);
    keepReachable(Module, entryPoints(*Generator, Kernels));
    if (Which == Pass::Analysis)
      checkHostVariables(CI.getASTContext(), *Generator);
    checkHostOnly(CI.getASTContext(), *Generator, Kernels, library(), Opts.AllowsHost);
    if (library() == DeviceLibrary::Nvidia && !Opts.ExactRoots)
      approximateSquareRoots(Module);
    std::string Facts;
    if (analyses())
      Facts = moduleFacts(CI.getASTContext(), unit(), *Generator, Kernels, Opts.SubGroupSize);
    if (CI.getDiagnostics().hasErrorOccurred()) {
      // Something of the host, or an attribute that only an instantiation has shown to be wrong: LLVM need not be able to take the module.
      keepReachable(*Generator->GetModule(), {});
      return;
    }
    if (analyses()) {
      std::string Settings = settings();
      show(aspen_clang_on_module(llvm::wrap(&Module), Facts.data(), Facts.size(), Settings.data(), Settings.size()));
    }
    if (Which == Pass::Code) {
      if (library() == DeviceLibrary::Host || library() == DeviceLibrary::Nvidia)
        giveOwnObjects(Module);
      copyForEachCaller(*Generator);
      forgetClasses(Module);
      return;
    }
    copyForEachCaller(*Generator);
    if (Opts.Optimized)
      internalise(Module, entryPoints(*Generator, Kernels));
    else
      forgetClasses(Module);
  }

  /// Whether the pass derives what kernels need, says so in metadata and reports it.
  bool analyses() const { return Which == Pass::Analysis || (Which == Pass::Code && Opts.Metadata); }

  /// Whether code is made for a GPU's processor.
  bool isForGpu() const { return library() == DeviceLibrary::Nvidia || library() == DeviceLibrary::Amd; }

  /// Whether code is made for the embedded CPU device.
  bool isForCpu() const { return Which == Pass::Code && library() == DeviceLibrary::Host; }

  /// The optimiser is done.
  void onOptimized(llvm::Module &Module) {
    if (Which != Pass::Analysis || !ModuleDone || CI.getDiagnostics().hasErrorOccurred())
      return;
    std::string Settings = settings();
    show(aspen_clang_on_optimized(llvm::wrap(&Module), Settings.data(), Settings.size()));
    forgetClasses(Module);
  }

private:
  static Pass defaultPass(const CompilerInstance &CI) {
    if (!CI.getLangOpts().SYCLIsDevice)
      return Pass::Host;
    return CI.getTarget().getTriple().isSPIROrSPIRV() ? Pass::Analysis : Pass::Code;
  }

  /// What the module's code is linked with.
  DeviceLibrary library() const {
    const llvm::Triple &Triple = CI.getTarget().getTriple();
    if (Triple.isNVPTX())
      return DeviceLibrary::Nvidia;
    if (Triple.isAMDGCN())
      return DeviceLibrary::Amd;
    return Triple.isSPIROrSPIRV() && Opts.MakesCode ? DeviceLibrary::SpirV : DeviceLibrary::Host;
  }

  /// The main file as named on clang's command line, or by who knows better.
  std::string unit() const {
    if (!Opts.Source.empty())
      return Opts.Source;
    const auto &Inputs = CI.getFrontendOpts().Inputs;
    return Inputs.empty() || !Inputs.front().isFile() ? "<stdin>" : Inputs.front().getFile().str();
  }

  std::string settings() const {
    // Whoever uses a precompiled header goes on from its state.
    const bool MakesHeader = CI.getFrontendOpts().ProgramAction == frontend::GeneratePCH;
    const std::string Tag = MakesHeader ? Tokens.tagState() : Tokens.tag();
    return text(json::Object{{"report", utf8(Opts.Report)},
                             {"facts", utf8(Opts.FactsFile)},
                             {"dialect", Opts.Dialect},
                             {"tag", !Tag.empty() ? json::Value(Tag) : json::Value(nullptr)},
                             {"system_headers", !CI.getDiagnostics().getSuppressSystemWarnings()},
                             {"pragmas", Pragmas->toJson(CI.getSourceManager())}});
  }

  /// Those that macros have put together are in no text.
  void writeNames() {
    std::error_code Failed;
    llvm::raw_fd_ostream Out(Opts.Names, Failed);
    for (const auto &Entry : CI.getPreprocessor().getIdentifierTable())
      Out << Entry.getKey() << '\n';
    Out.close();
    if (!Failed)
      Failed = Out.error();
    Out.clear_error();
    if (Failed)
      error(CI.getDiagnostics(), SourceLocation(), "cannot write '%0': %1") << Opts.Names << Failed.message();
  }

  /// Debug information says of a built-in function that it was declared where the unit first used it, which may be in a header that was
  /// precompiled.
  static void forgetBuiltins(llvm::Module &Module) {
    for (llvm::Function &F : Module)
      if (const llvm::DISubprogram *Described = F.isDeclaration() ? F.getSubprogram() : nullptr; Described && Described->isArtificial())
        F.setSubprogram(nullptr);
  }

  void reportLaunches() {
    const std::string Facts = launchFacts(CI.getASTContext(), unit(), Kernels);
    if (Opts.Report.empty() && Opts.FactsFile.empty())
      return;
    std::string Settings = settings();
    show(aspen_clang_on_launches(Facts.data(), Facts.size(), Settings.data(), Settings.size()));
  }

  void show(char *Message) {
    if (!Message)
      return;
    error(CI.getDiagnostics(), SourceLocation(), "%0") << StringRef(Message);
    aspen_clang_free_message(Message);
  }
};

class Consumer : public SemaConsumer {
  std::shared_ptr<Session> S;
  const ASTContext *Context = nullptr;

public:
  explicit Consumer(std::shared_ptr<Session> S) : S(std::move(S)) {}

  void Initialize(ASTContext &C) override { Context = &C; }
  /// Runs after the main file has been entered and before its first token is read.
  void InitializeSema(Sema &Sema) override { S->start(Sema); }
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    S->declared(Group);
    return true;
  }
  /// What clang has to emit of files that it has built before. Kernels of a module are the module's own unit's.
  void HandleInterestingDecl(DeclGroupRef Group) override {
    if (llvm::none_of(Group, [](const Decl *D) { return D->isFromASTFile() && D->getOwningModule(); }))
      S->see(Group);
  }
  void HandleInlineFunctionDefinition(FunctionDecl *Function) override { S->see(DeclGroupRef(Function)); }
  void HandleCXXImplicitFunctionInstantiation(FunctionDecl *Function) override {
    checkInstantiated(Function->getASTContext(), Function);
    S->instantiated(Function);
  }
  void HandleTagDeclDefinition(TagDecl *Tag) override {
    if (const auto *Record = dyn_cast<CXXRecordDecl>(Tag); Record && !Record->isDependentContext())
      checkInstantiated(Record->getASTContext(), Record);
  }
  void HandleTranslationUnit(ASTContext &) override { S->finishAst(); }
};

/// Stands in for a session while clang compiles a module of its module map, in the middle of a unit: headers of the system are nobody's kernels.
class BesideUnit : public ASTConsumer {
  const std::function<void()> GiveBack = setAttributesAside();
  void HandleTranslationUnit(ASTContext &) override { GiveBack(); }
};

/// "clang version 22.1.8" → 22; 0 if the text is another one.
unsigned runningMajor() {
  StringRef Rest = StringRef(getClangFullVersion()).split("clang version ").second;
  unsigned Major = 0;
  Rest.consumeInteger(10, Major);
  return Major;
}

/// Hands over the module at the end of the optimiser's pipeline.
struct AfterOptimizer : llvm::PassInfoMixin<AfterOptimizer> {
  std::shared_ptr<Session> S;
  explicit AfterOptimizer(std::shared_ptr<Session> S) : S(std::move(S)) {}
  llvm::PreservedAnalyses run(llvm::Module &Module, llvm::ModuleAnalysisManager &) {
    S->onOptimized(Module);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

class Action : public PluginASTAction {
  Options Opts;

public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    if (CI.getLangOpts().getCompilingModule() == LangOptions::CMK_ModuleMap)
      return std::make_unique<BesideUnit>();
    auto S = std::make_shared<Session>(CI, Opts);
    CodeGenOptions &CodeGen = CI.getCodeGenOpts();
    CodeGen.ClearASTBeforeBackend = false; // the module stage reads it
    const bool Piped = !CodeGen.DisableLLVMPasses;
    CodeGen.PassBuilderCallbacks.push_back([S, Optimized = Opts.Optimized, Piped](llvm::PassBuilder &Builder) {
      if (Optimized)
        Builder.registerOptimizerLastEPCallback([S](llvm::ModulePassManager &Passes, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
          Passes.addPass(AfterOptimizer(S));
        });
      Builder.registerPipelineStartEPCallback([S](llvm::ModulePassManager &, llvm::OptimizationLevel) { S->onModule(); });
      Builder.registerPeepholeEPCallback([S](llvm::FunctionPassManager &Passes, llvm::OptimizationLevel) {
        Passes.addPass(PutKnownRanges());
        if (S->isForGpu())
          Passes.addPass(NarrowCounters());
      });
      if (S->isForCpu()) {
        Builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &Passes, llvm::OptimizationLevel Level) {
          if (Level != llvm::OptimizationLevel::O0)
            Passes.addPass(llvm::createModuleToFunctionPassAdaptor(MarkSteps()));
        });
        Builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager &Passes, llvm::OptimizationLevel) { Passes.addPass(KeepLoopsWhole()); });
      }
      if (llvm::PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks(); Callbacks && S->isForCpu())
        keepLanesTogether(*Callbacks);
      // Without a pipeline (-disable-llvm-passes) the first pass is the one that writes the module.
      if (llvm::PassInstrumentationCallbacks *Callbacks = Builder.getPassInstrumentationCallbacks(); Callbacks && !Piped)
        Callbacks->registerBeforeNonSkippedPassCallback([S](StringRef, llvm::Any) { S->onModule(); });
    });
    return std::make_unique<Consumer>(S);
  }

  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Arguments) override {
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    if (unsigned Running = runningMajor(); Running != CLANG_VERSION_MAJOR) {
      error(Diags, SourceLocation(), "this Aspen plugin is made for clang %0, but is loaded into clang %1; use 'aspen++' or 'clang++-%0'")
          << CLANG_VERSION_MAJOR << Running;
      return false;
    }
    for (const std::string &Argument : Arguments) {
      auto [Key, Value] = StringRef(Argument).split('=');
      bool Good = true;
      if (Key == "pass") {
        Opts.Which = Value == "host" ? Pass::Host : Value == "analysis" ? Pass::Analysis : Pass::Code;
        Good = Value == "host" || Value == "analysis" || Value == "code";
      } else if (Key == "report") {
        Opts.Report = Value.str();
      } else if (Key == "dialect") {
        Opts.Dialect = Value.str();
        Good = Value == "seed" || Value == "dpcpp";
      } else if (Key == "requirements") {
        Opts.Optimized = Value == "optimized";
        Good = Value == "source" || Value == "optimized";
      } else if (Key == "code") {
        Opts.MakesCode = Value == "yes";
        Good = Value == "yes" || Value == "no";
      } else if (Key == "metadata") {
        Opts.Metadata = Value == "yes";
        Good = Value == "yes" || Value == "no";
      } else if (Key == "host") {
        Opts.AllowsHost = Value == "yes";
        Good = Value == "yes" || Value == "no";
      } else if (Key == "ranges") {
        Opts.KnowsRanges = Value == "source";
        Good = Value == "source" || Value == "launch";
      } else if (Key == "roots") {
        Opts.ExactRoots = Value == "nearest";
        Good = Value == "nearest" || Value == "allowed";
      } else if (Key == "sub-group-size") {
        Good = !Value.getAsInteger(10, Opts.SubGroupSize);
      } else if (Key == "prefix") {
        Opts.Prefix = Value.str();
      } else if (Key == "names") {
        Opts.Names = Value.str();
      } else if (Key == "source") {
        Opts.Source = Value.str();
      } else if (Key == "facts") {
        Opts.FactsFile = Value.str();
      } else {
        Good = false;
      }
      if (!Good) {
        error(Diags, SourceLocation(), "invalid argument '%0' to the plugin 'aspen'; it takes pass=host|analysis|code, report=FILE, "
                                       "dialect=seed|dpcpp, requirements=source|optimized, code=yes|no, metadata=yes|no, "
                                       "host=yes|no, ranges=source|launch, roots=allowed|nearest, sub-group-size=NUMBER, prefix=STATE, "
                                       "source=NAME, names=FILE and facts=FILE")
            << Argument;
        return false;
      }
    }
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<Action> Registration("aspen", "SYCL 2020 optional kernel features");

} // namespace
} // namespace aspen
