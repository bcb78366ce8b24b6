// Compiles a graph to a plan, pass by pass; plan.h describes the result.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline {

/// Whether the node copies between host and device.
inline bool is_copy(const Node& node) {
  return node.op == kCopyToDevice || node.op == kCopyToHost;
}

class Compiler {
 public:
  Compiler(const Graph& graph, const PlanOptions& options) : plan_(new Plan) {
    plan_->graph_ = graph;
    plan_->options_ = options;
  }

  Result<std::shared_ptr<const Plan>> compile();

 private:
  // Where a node stands: in which phase, and at which level of that phase. Sample operators have even levels,
  // those on several samples odd ones, feeds -1. A *floating* node needs no other (random numbers,
  // constants): it runs in each phase that uses it.
  struct Place {
    bool is_live = false;
    bool is_floating = false;
    int phase = 0;
    int level = 0;
  };

  // Which reader's samples a node works on.
  struct Provenance {
    int reader = kNoReader;
    int field = kManyFields;   // which of its outputs, if it is one alone
    bool is_reader = false;    // the node itself
    bool is_computed = false;  // a user's function made them, so they are no longer what was read
  };

  const Graph& graph() const { return plan_->graph_; }
  std::vector<int> rules_of_order() const;
  Result<uint64_t> order_fingerprint() const;
  int value_of(const Edge& edge) const { return first_value_[edge.node] + edge.output; }

  void mark_live();
  std::vector<int> values_beyond(const Phase& phase) const;
  void mark_deaths();
  static void mark_deaths(Step* step, std::set<int>* seen);

  // make_actions.cc
  bool is_on_device(const Edge& edge) const;
  Status check_device(int node) const;
  static Placement placement_of(const Node& node);
  Status make_actions();
  std::string action_name(const Node& node) const;
  Result<Action> make_action(int node) const;
  Status trace_readers();
  static Provenance provenance_of(const Node& node, const std::vector<Provenance>& known);

  // make_steps.cc
  Status place_nodes();
  Status place_node(int node);
  operators::Scope scope_of(int node) const;
  static bool is_of_several(operators::Scope scope);
  bool is_between(int node) const;
  Status make_phases();
  std::set<int> floating_in(int phase) const;
  std::map<int, std::vector<Action>> levels_of(int phase);
  void make_steps(int phase);
  Step step_of(Action action) const;
  static void make_copies_in(std::vector<Step>* steps, Action expand);
  Status collect_expand(int phase);

  std::shared_ptr<Plan> plan_;
  std::vector<Place> places_;
  std::vector<int> first_value_;
  std::map<int, Action> actions_;
};

}  // namespace forebay::pipeline
