//! A command graph as text for Graphviz. Source: sycl_ext_oneapi_graph, print_graph.
#pragma once
#include <cstdio>
#include <string>
#include <sycl/detail/graph_state.hpp>

namespace sycl::detail {

inline void print_graph(recorded_graph &graph, const std::string &path, bool verbose) {
  static constexpr const char *kinds[] = {"empty",    "subgraph",  "kernel",  "memcpy",   "memset",
                                          "memfill", "prefetch", "memadvise", "barrier", "host task", "async malloc", "async free"};
  if (path.size() < 5 || path.compare(path.size() - 4, 4, ".dot") != 0)
    fail(errc::invalid, ("print_graph: '" + path + "' does not end in '.dot', the format that there is").c_str());
  std::FILE *const to = std::fopen(path.c_str(), "w");
  if (!to)
    fail(errc::invalid, ("print_graph: '" + path + "' cannot be opened for writing").c_str());
  std::fputs("digraph dot {\n", to);
  for (size_t i = 0; i < graph.commands.size(); ++i) {
    const recorded_command &one = graph.commands.data()[i]->current();
    std::fprintf(to, "  node%zu [label=\"%zu: %s", i, i, kinds[static_cast<int>(one.kind)]);
    for (const shared<recorded_part> &part : one.parts) {
      std::fputs("\\n", to);
      part->describe(to, verbose);
    }
    std::fputs("\"];\n", to);
  }
  for (size_t i = 0; i < graph.commands.size(); ++i)
    for (const shared<recorded_command> &before : graph.commands.data()[i]->after)
      std::fprintf(to, "  node%zu -> node%zu;\n", graph.place_of(before.get()), i);
  std::fputs("}\n", to);
  const bool failed = std::ferror(to) != 0;
  if (std::fclose(to) != 0 || failed)
    fail(errc::invalid, ("print_graph: '" + path + "' cannot be written").c_str());
}

} // namespace sycl::detail
