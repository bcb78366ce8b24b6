// The backward pass: visits nodes in an order in which all users of a node come before it, and asks each once
// for the gradients of its inputs.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/node.h"
#include "forebay/ndarray/saved.h"

namespace forebay::ndarray {
namespace {

using NodeRef = std::shared_ptr<Node>;

/// The thread's modes while gradients are computed.
class Modes {
 public:
  Modes(bool records, bool trains) : recorded_(set_recording(records)), trained_(set_training(trains)) {}
  ~Modes() {
    set_recording(recorded_);
    set_training(trained_);
  }

 private:
  const bool recorded_;
  const bool trained_;
};

/// Inputs come before nodes that use them.
std::vector<NodeRef> ordered_nodes(std::span<const Array> heads) {
  std::vector<NodeRef> order;
  std::unordered_map<const Node*, bool> is_done;  // false: entered but not done
  std::vector<std::pair<NodeRef, size_t>> path;
  const auto enter = [&](const NodeRef& node) {
    if (node != nullptr && is_done.emplace(node.get(), false).second) {
      path.emplace_back(node, 0);
    }
  };
  for (const Array& head : heads) {
    enter(head.node());
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < node->inputs.size()) {
        enter(node->inputs[next++].node());
        continue;
      }
      is_done[node.get()] = true;
      order.push_back(std::move(node));
      path.pop_back();
    }
  }
  return order;
}

class Pass {
 public:
  explicit Pass(const BackwardOptions& options) : options_(options) {}

  Status seed(std::span<const Array> heads, std::span<const Array> head_gradients) {
    if (!head_gradients.empty() && head_gradients.size() != heads.size()) {
      return invalid_argument("{} heads but {} head gradients", heads.size(), head_gradients.size());
    }
    for (size_t i = 0; i < heads.size(); ++i) {
      const Array& head = heads[i];
      if (!head.is_valid() || head.node() == nullptr) {
        return failed_precondition(
            "cannot differentiate an array that was not computed from a variable with a gradient "
            "(attach_grad) "
            "while autograd recorded");
      }
      Array gradient = head_gradients.empty() ? Array() : head_gradients[i];
      if (!gradient.is_valid()) {
        FOREBAY_ASSIGN_OR_RETURN(gradient, full(head.spec(), 1.0));
      }
      if (!(gradient.spec() == head.spec())) {
        return invalid_argument("the head is {}, its gradient {}", head.spec().to_string(),
                                gradient.spec().to_string());
      }
      FOREBAY_RETURN_IF_ERROR(add(head, gradient));
    }
    return ok_status();
  }

  /// Leaves out what no gradient of the variables depends on.
  void restrict_to(std::span<const Array> variables, std::span<const NodeRef> order) {
    std::unordered_set<const Node*>& leading = leading_.emplace();
    for (const Array& variable : variables) {
      leading.insert(variable.node().get());
    }
    for (const NodeRef& node : order) {
      if (std::ranges::any_of(node->inputs, [&](const Array& input) { return is_wanted(input); })) {
        leading.insert(node.get());
      }
    }
  }

  Status run(std::span<const NodeRef> order) {
    for (size_t i = order.size(); i-- > 0;) {
      Node& node = *order[i];
      const auto found = gradients_.find(&node);
      const bool is_left_out = !node.leads_to_leaf || (leading_ && !leading_->contains(&node));
      if (found == gradients_.end() || node.operation == nullptr || is_left_out) {
        continue;
      }
      FOREBAY_RETURN_IF_ERROR(differentiate(order[i], found->second));
      gradients_.erase(&node);
    }
    return ok_status();
  }

  /// The gradient accumulated at an output, or an invalid array.
  Array gradient_at(const Array& array) const {
    const auto found = gradients_.find(array.node().get());
    return found == gradients_.end() ? Array() : found->second[array.node_output()];
  }

  Status store_in_leaves(std::span<const NodeRef> order) {
    for (const NodeRef& node : order) {
      const auto found = gradients_.find(node.get());
      if (node->operation != nullptr) {
        continue;
      }
      if (found == gradients_.end()) {  // reached only by paths whose gradient is 0
        if (node->mode == GradientMode::kWrite) {
          node->is_fresh = true;
          FOREBAY_RETURN_IF_ERROR(fill(node->gradient, 0));
        }
        continue;
      }
      Array gradient = std::move(found->second[0]);
      gradients_.erase(found);
      node->is_fresh = true;
      FOREBAY_RETURN_IF_ERROR(node->mode == GradientMode::kAdd
                                  ? add_into(gradient, node->gradient)
                                  : move_into(std::move(gradient), node->gradient));
    }
    return ok_status();
  }

 private:
  /// Whether the gradient of an input leads to a leaf that is asked for.
  bool is_wanted(const Array& input) const {
    return leads_to_leaf(input) && (!leading_ || leading_->contains(input.node().get()));
  }

  Status add(const Array& target, const Array& gradient) {
    auto& gathered = gradients_[target.node().get()];
    gathered.resize(target.node()->output_specs.size());
    Array& at = gathered[target.node_output()];
    if (!at.is_valid()) {
      at = gradient;
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(at, forebay::ndarray::add(at, gradient));
    return ok_status();
  }

  Status differentiate(const NodeRef& node, Arrays output_gradients) {
    if (node->is_released) {
      return failed_precondition(
          "{}: the graph was released by an earlier backward(); use retain_graph=True there",
          node->operation->name());
    }
    for (size_t i = 0; i < output_gradients.size(); ++i) {
      if (!output_gradients[i].is_valid()) {
        FOREBAY_ASSIGN_OR_RETURN(output_gradients[i], full(node->output_specs[i], 0.0));
      }
    }
    absl::InlinedVector<bool, 4> wanted;
    Places wanted_places = false;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      wanted.push_back(is_wanted(node->inputs[i]));
      if (wanted.back()) {
        wanted_places.add(i);
      }
    }
    FOREBAY_RETURN_IF_ERROR(check_unchanged(*node, wanted_places));
    Arrays outputs;
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      Array& output = outputs.emplace_back(node->outputs[i]);
      output.set_node(node, static_cast<int>(i));
    }
    Result<Arrays> made = node->operation->gradients({node->inputs,
                                                      outputs,
                                                      node->input_specs,
                                                      node->output_specs,
                                                      output_gradients,
                                                      {wanted.data(), wanted.size()}});
    if (!made.ok()) {
      return annotate(made.status(), "the gradient of " + std::string(node->operation->name()));
    }
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (wanted[i] && i < made->size() && (*made)[i].is_valid()) {
        FOREBAY_RETURN_IF_ERROR(add(node->inputs[i], (*made)[i]));
      }
    }
    if (!options_.retain_graph && !options_.create_graph) {
      release(*node);
    }
    return ok_status();
  }

  static void release(Node& node) {
    node.is_released = true;
    for (Array& input : node.inputs) {
      Array history;
      history.set_node(input.node(), input.node_output());
      input = std::move(history);
    }
    node.outputs.assign(node.outputs.size(), Region());
  }

  const BackwardOptions& options_;
  std::unordered_map<const Node*, Arrays> gradients_;
  std::optional<std::unordered_set<const Node*>> leading_;  // none: all
};

}  // namespace

Status backward(std::span<const Array> heads, std::span<const Array> head_gradients,
                const BackwardOptions& options) {
  const Modes modes(options.create_graph, options.train);
  Pass pass(options);
  FOREBAY_RETURN_IF_ERROR(pass.seed(heads, head_gradients));
  const std::vector<NodeRef> order = ordered_nodes(heads);
  FOREBAY_RETURN_IF_ERROR(pass.run(order));
  return pass.store_in_leaves(order);
}

Result<Arrays> gradients_of(std::span<const Array> heads, std::span<const Array> variables,
                            std::span<const Array> head_gradients, const BackwardOptions& options) {
  const Modes modes(options.create_graph, options.train);
  Pass pass(options);
  for (const Array& variable : variables) {
    if (!variable.is_valid() || variable.node() == nullptr || variable.node()->operation != nullptr) {
      return failed_precondition(
          "gradients are taken with regard to arrays that attach_grad() was called on");
    }
  }
  FOREBAY_RETURN_IF_ERROR(pass.seed(heads, head_gradients));
  const std::vector<NodeRef> order = ordered_nodes(heads);
  pass.restrict_to(variables, order);
  FOREBAY_RETURN_IF_ERROR(pass.run(order));
  Arrays found;
  for (const Array& variable : variables) {
    Array gradient = pass.gradient_at(variable);
    if (!gradient.is_valid()) {
      FOREBAY_ASSIGN_OR_RETURN(gradient, full(variable.spec(), 0.0));
    }
    found.push_back(std::move(gradient));
  }
  return found;
}

}  // namespace forebay::ndarray
