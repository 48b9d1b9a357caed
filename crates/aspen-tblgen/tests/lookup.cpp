// What a C++ program does with the generated table: S2's header in the form that compiles (DESIGN §7.21), and S2's query. Prints, for each
// target named on the command line, what the table says; the exit code counts the unknown ones.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace DeviceConfigFile {
struct TargetInfo {
  std::vector<std::string> aspects;
  bool maySupportOtherAspects;
  std::vector<unsigned> subGroupSizes;
  std::string aotToolchain;
  std::string aotToolchainOptions;
};
#include "device_config_file.inc"
using TargetTable_t = std::map<std::string, TargetInfo>;
TargetTable_t &targets = TargetTable;
} // namespace DeviceConfigFile

int main(int argc, char **argv) {
  // It is a map so that programs can change it.
  DeviceConfigFile::targets["added"] = {{"cpu"}, true, {4}, "", ""};
  DeviceConfigFile::targets.at("added").aspects.push_back("fp16");
  int unknown = 0;
  for (int i = 1; i < argc; ++i) {
    auto found = DeviceConfigFile::targets.find(argv[i]);
    if (found == DeviceConfigFile::targets.end()) {
      std::printf("%s: unknown\n", argv[i]);
      ++unknown;
      continue;
    }
    const DeviceConfigFile::TargetInfo &info = found->second;
    std::printf("%s:", argv[i]);
    for (const std::string &aspect : info.aspects)
      std::printf(" %s", aspect.c_str());
    std::printf(" |%s", info.maySupportOtherAspects ? " open" : "");
    for (unsigned size : info.subGroupSizes)
      std::printf(" %u", size);
    std::printf(" | %s | %s\n", info.aotToolchain.c_str(), info.aotToolchainOptions.c_str());
  }
  return unknown;
}
