// From names to slots, with every check that can be made before a request comes.
#include "forebay/serving/ensembles/ensemble_plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "forebay/base/nearest_name.h"

namespace forebay::serving {
namespace {

/// A tensor of the ensemble: who makes it, and what is known of it.
struct Made {
  size_t slot = 0;
  std::string maker;  // "the ensemble's input", "step 0 (model 'decode')"
  TensorMetadata metadata;
};
using MadeTensors = std::map<std::string, Made>;

const TensorMetadata* tensor_in(const std::vector<TensorMetadata>& tensors, const std::string& name) {
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const TensorMetadata& each) { return each.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

/// Where nothing is known of a shape it has no extents.
bool shapes_may_agree(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return a.empty() || b.empty() ||
         std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](int64_t left, int64_t right) { return left == right || left == -1 || right == -1; });
}

Status check_agrees(const Made& made, const TensorMetadata& taken, const std::string& tensor) {
  if (made.metadata.takes_any || taken.takes_any) {
    return ok_status();  // what is only guessed is seen when there are requests
  }
  if (made.metadata.datatype != taken.datatype) {
    return invalid_argument("tensor '{}' is {} from {}, and '{}' takes {}", tensor,
                            name_of(made.metadata.datatype), made.maker, taken.name, name_of(taken.datatype));
  }
  if (!shapes_may_agree(made.metadata.shape, taken.shape)) {
    return invalid_argument("tensor '{}' has the shape {} from {}, and '{}' takes {}", tensor,
                            shape_text(made.metadata.shape), made.maker, taken.name, shape_text(taken.shape));
  }
  return ok_status();
}

/// Builds a plan; each function checks what it adds.
class Planner {
 public:
  Planner(const ModelMetadata& ensemble, const std::vector<EnsembleStep>& steps, const ModelServer& server)
      : ensemble_(ensemble), given_(steps), server_(server) {}

  Result<EnsemblePlan> plan() {
    FOREBAY_RETURN_IF_ERROR(add_inputs());
    for (const EnsembleStep& step : given_) {
      FOREBAY_RETURN_IF_ERROR(add_step(step));
    }
    for (size_t i = 0; i < given_.size(); ++i) {
      FOREBAY_RETURN_IF_ERROR(annotate(connect_inputs(i), plan_.steps[i].where));
    }
    FOREBAY_RETURN_IF_ERROR(add_outputs());
    FOREBAY_RETURN_IF_ERROR(check_no_ring());
    return std::move(plan_);
  }

 private:
  Status make(const std::string& tensor, const std::string& maker, const TensorMetadata& metadata,
              size_t* slot) {
    const auto [at, is_new] = made_.try_emplace(tensor, Made{made_.size(), maker, metadata});
    if (!is_new) {
      return invalid_argument("tensor '{}' comes from {} already", tensor, at->second.maker);
    }
    *slot = at->second.slot;
    plan_.users.emplace_back();
    return ok_status();
  }

  Status add_inputs() {
    if (ensemble_.inputs.empty() || ensemble_.outputs.empty()) {
      return invalid_argument("an ensemble's configuration lists its inputs and outputs");
    }
    for (const TensorMetadata& input : ensemble_.inputs) {
      EnsemblePlan::Tensor tensor{input.name, 0};
      FOREBAY_RETURN_IF_ERROR(make(input.name, "the ensemble's inputs", input, &tensor.slot));
      plan_.inputs.push_back(std::move(tensor));
    }
    return ok_status();
  }

  Status add_step(const EnsembleStep& given) {
    EnsemblePlan::Step step;
    step.model = given.model;
    step.version = given.version;
    step.where = fmt::format("step {} (model '{}')", plan_.steps.size(), given.model);
    Result<ModelMetadata> metadata = server_.metadata(given.model, given.version);
    if (!metadata.ok()) {
      return annotate(metadata.status(), step.where);
    }
    for (const auto& [name, tensor] : given.outputs) {
      const TensorMetadata* const output = tensor_in(metadata->outputs, name);
      if (output == nullptr) {
        return annotate(unknown(metadata->outputs, name, "output"), step.where);
      }
      EnsemblePlan::Tensor added{name, 0};
      FOREBAY_RETURN_IF_ERROR(annotate(make(tensor, step.where, *output, &added.slot), step.where));
      step.outputs.push_back(std::move(added));
    }
    plan_.steps.push_back(std::move(step));
    models_.push_back(*std::move(metadata));
    return ok_status();
  }

  static Status unknown(const std::vector<TensorMetadata>& known, const std::string& name, const char* what) {
    NearestName nearest(name);
    for (const TensorMetadata& each : known) {
      nearest.look_at(each.name);
    }
    return invalid_argument("the model has no {} '{}'{}", what, name,
                            nearest.is_near() ? fmt::format("; is '{}' meant?", nearest.found()) : "");
  }

  Result<const Made*> made(const std::string& tensor) const {
    const auto at = made_.find(tensor);
    if (at != made_.end()) {
      return &at->second;
    }
    NearestName nearest(tensor);
    for (const auto& [name, each] : made_) {
      nearest.look_at(name);
    }
    return invalid_argument("tensor '{}' is neither an input of the ensemble nor an output of a step{}",
                            tensor,
                            nearest.is_near() ? fmt::format("; is '{}' meant?", nearest.found()) : "");
  }

  Status connect_inputs(size_t index) {
    EnsemblePlan::Step& step = plan_.steps[index];
    std::set<size_t> slots;
    for (const auto& [name, tensor] : given_[index].inputs) {
      const TensorMetadata* const input = tensor_in(models_[index].inputs, name);
      if (input == nullptr) {
        return unknown(models_[index].inputs, name, "input");
      }
      FOREBAY_ASSIGN_OR_RETURN(const Made* const from, made(tensor));
      FOREBAY_RETURN_IF_ERROR(check_agrees(*from, *input, tensor));
      step.inputs.push_back({name, from->slot});
      slots.insert(from->slot);
    }
    for (const TensorMetadata& input : models_[index].inputs) {
      if (!input.is_optional && !given_[index].inputs.contains(input.name)) {
        return invalid_argument("the model's input '{}' is not in input_map", input.name);
      }
    }
    step.slots_needed = slots.size();
    for (const size_t slot : slots) {
      plan_.users[slot].push_back(index);
    }
    return ok_status();
  }

  Status add_outputs() {
    for (const TensorMetadata& output : ensemble_.outputs) {
      const Result<const Made*> from = made(output.name);
      if (!from.ok()) {
        return annotate(from.status(), fmt::format("output '{}'", output.name));
      }
      FOREBAY_RETURN_IF_ERROR(annotate(check_agrees(**from, output, output.name), "outputs"));
      plan_.outputs.push_back({output.name, (*from)->slot});
    }
    return ok_status();
  }

  /// Runs the steps without models: those that never become ready stand in a ring, or behind one.
  Status check_no_ring() const {
    std::vector<size_t> needed;
    std::vector<size_t> ready;
    const auto fill = [&](size_t slot) {
      for (const size_t user : plan_.users[slot]) {
        if (--needed[user] == 0) {
          ready.push_back(user);
        }
      }
    };
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      needed.push_back(plan_.steps[i].slots_needed);
      if (needed.back() == 0) {
        ready.push_back(i);
      }
    }
    for (const EnsemblePlan::Tensor& input : plan_.inputs) {
      fill(input.slot);
    }
    size_t done = 0;
    for (; done < ready.size(); ++done) {
      const size_t step = ready[done];
      for (const EnsemblePlan::Tensor& output : plan_.steps[step].outputs) {
        fill(output.slot);
      }
    }
    if (done == plan_.steps.size()) {
      return ok_status();
    }
    std::vector<std::string> left;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (needed[i] > 0) {
        left.push_back(plan_.steps[i].where);
      }
    }
    return invalid_argument("these wait for each other in a ring, or behind one: {}", fmt::join(left, ", "));
  }

  const ModelMetadata& ensemble_;
  const std::vector<EnsembleStep>& given_;
  const ModelServer& server_;
  EnsemblePlan plan_;
  MadeTensors made_;
  std::vector<ModelMetadata> models_;  // of the steps
};

}  // namespace

Result<EnsemblePlan> plan_ensemble(const ModelMetadata& metadata, const std::vector<EnsembleStep>& steps,
                                   const ModelServer& server) {
  return Planner(metadata, steps, server).plan();
}

}  // namespace forebay::serving
