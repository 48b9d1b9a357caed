//! `dynamic_command_group`: command groups of which a node is one at a time. Source: sycl_ext_oneapi_graph.
#pragma once
#include <functional>
#include <sycl/ext/oneapi/experimental/graph.hpp>

namespace sycl::ext::oneapi::experimental {

class dynamic_command_group {
public:
  /// All of them are called at once; the first is active. They are kernels, or host tasks, that wait for the same nodes.
  template <class Vector = std::vector<std::function<void(handler &)>>>
  dynamic_command_group(const command_graph<graph_state::modifiable> &graph, const Vector &all)
      : graph_(graph), choice_(new sycl::detail::recorded_choice) {
    sycl::detail::graph_in_making &state = *graph.aspen_state();
    const std::lock_guard hold(state.lock);
    {
      const making whole(state, choice_->each);
      for (const auto &one : all)
        state.own.submit([&](handler &h) { one(h); });
    }
    if (choice_->each.size() == 0)
      sycl::detail::fail(errc::invalid, "dynamic_command_group: there is no command group");
    const sycl::detail::recorded_command &first = *choice_->each.data()[0];
    for (const sycl::detail::shared<sycl::detail::recorded_command> &one : choice_->each) {
      if (one->kind != sycl::detail::recorded_kind::kernel && one->kind != sycl::detail::recorded_kind::host_task)
        sycl::detail::fail(errc::invalid, "dynamic_command_group: a command group is neither a kernel nor a host task");
      if (one->kind != first.kind)
        sycl::detail::fail(errc::invalid, "dynamic_command_group: the command groups are of different types");
      bool alike = one->after.size() == first.after.size();
      for (size_t i = 0; alike && i < first.after.size(); ++i)
        alike = one->after.data()[i] == first.after.data()[i];
      if (!alike)
        sycl::detail::fail(errc::invalid, "dynamic_command_group: the command groups wait for different nodes");
    }
  }
  size_t get_active_index() const {
    const std::lock_guard hold(graph_.aspen_state()->lock);
    return choice_->active;
  }
  void set_active_index(size_t index) {
    if (index >= choice_->each.size())
      sycl::detail::fail(errc::invalid, "set_active_index: there are not as many command groups");
    const std::lock_guard hold(graph_.aspen_state()->lock);
    choice_->active = index;
  }
  friend bool operator==(const dynamic_command_group &a, const dynamic_command_group &b) { return a.choice_ == b.choice_; }
  friend bool operator!=(const dynamic_command_group &a, const dynamic_command_group &b) { return a.choice_ != b.choice_; }

  /// For the library.
  const sycl::detail::graph_in_making *aspen_graph() const { return graph_.aspen_state(); }
  const sycl::detail::shared<sycl::detail::recorded_choice> &aspen_choice() const { return choice_; }

private:
  /// Commands are recorded, but become no nodes.
  struct making {
    making(sycl::detail::graph_in_making &of, sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_command>> &to) : graph(of) {
      graph.retain();
      before = std::exchange(graph.aside, &to);
      began = !graph.own.aspen_state().begin_recording(sycl::detail::shared<sycl::detail::recorder>(&graph));
    }
    ~making() {
      graph.aside = before;
      if (began)
        graph.own.aspen_state().end_recording();
    }
    sycl::detail::graph_in_making &graph;
    sycl::detail::list<sycl::detail::shared<sycl::detail::recorded_command>> *before;
    bool began;
  };
  command_graph<graph_state::modifiable> graph_;
  sycl::detail::shared<sycl::detail::recorded_choice> choice_;
};

} // namespace sycl::ext::oneapi::experimental

template <> struct std::hash<sycl::ext::oneapi::experimental::dynamic_command_group> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::dynamic_command_group &of) const noexcept {
    return reinterpret_cast<std::size_t>(of.aspen_choice().get());
  }
};
