// The loops and accesses of a module, as all rivals number them.

#ifndef IPDA_RIVALS_MODULE_H
#define IPDA_RIVALS_MODULE_H

#include "rivals.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include <chrono>
#include <functional>
#include <vector>

// LLVM's analyses, without plugins and with its default options.
struct Analyses {
  llvm::LoopAnalysisManager Loops;
  llvm::FunctionAnalysisManager Functions;
  llvm::CGSCCAnalysisManager Components;
  llvm::ModuleAnalysisManager Modules;
  llvm::PassBuilder Builder;

  Analyses() {
    Functions.registerPass([&] { return Builder.buildDefaultAAPipeline(); });
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  }
};

// A function with loops, and its loads and stores.
struct Unit {
  llvm::Function *Function;
  // The number of the first access in the module.
  uint32_t First;
  std::vector<llvm::Instruction *> Accesses;
};

std::vector<Unit> unitsOf(llvm::Module &);

// The loops around both, outermost first.
std::vector<llvm::Loop *> commonLoops(const llvm::LoopInfo &, const llvm::Instruction *, const llvm::Instruction *);

// Calls for every pair with a write whose common loops can be determined.
void forPairs(const Unit &, const llvm::LoopInfo &,
              const std::function<void(unsigned First, unsigned Second, const std::vector<llvm::Loop *> &Common)> &);

inline uint64_t nanosecondsSince(std::chrono::steady_clock::time_point Start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - Start).count();
}

#endif
