// A request's way into the model and back.
#include "forebay/serving/repository/served_model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
#include "forebay/base/utf8.h"
#include "forebay/serving/repository/request_check.h"

namespace forebay::serving {
namespace {

constexpr size_t kMaxLabels = 1'000'000;
constexpr int64_t kTimeAfterClose_ns = 2 * kSecond;

/// A file of labels: a line for each class.
Result<std::vector<std::string>> read_labels(const std::string& folder, const std::string& name) {
  if (name.starts_with('/') || ("/" + name + "/").find("/../") != std::string::npos) {
    return invalid_argument("label_filename '{}' leads out of the model's folder", printable(name));
  }
  const std::string path = folder + "/" + name;
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, ignored)) {
    file.open(path);
  }
  if (!file.is_open()) {
    return not_found("label_filename: {} cannot be opened", path);
  }
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!is_utf8(line) || labels.size() == kMaxLabels) {
      return invalid_argument("{}:{}: {}", path, labels.size() + 1,
                              is_utf8(line) ? "there are too many labels" : "the label is no UTF-8");
    }
    labels.push_back(std::move(line));
  }
  return labels;
}

/// A tensor's shape, which is to fit `from` behind `batch` extents, as `to`: open extents are taken over in
/// order. invalid_argument where it does not fit, or where the two have not as many elements.
Result<std::vector<int64_t>> reshaped(const std::vector<int64_t>& shape, size_t batch,
                                      const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  bool fits = shape.size() == batch + from.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    fits = from[i] == -1 || from[i] == shape[batch + i];
  }
  std::vector<int64_t> result(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(fits ? batch : 0));
  size_t at = 0;
  for (size_t i = 0; fits && i < to.size(); ++i) {
    while (to[i] == -1 && at < from.size() && from[at] != -1) {
      ++at;
    }
    fits = to[i] != -1 || at < from.size();
    if (fits) {
      result.push_back(to[i] == -1 ? shape[batch + at++] : to[i]);
    }
  }
  const Result<int64_t> before = volume_of(shape);
  const Result<int64_t> after = volume_of(result);
  if (!fits || !before.ok() || !after.ok() || *before != *after) {
    return invalid_argument("the shape {} cannot be seen as {}, where {} is expected{}", shape_text(shape),
                            shape_text(to), shape_text(from),
                            batch > 0 ? " behind the extent of the batch" : "");
  }
  return result;
}

}  // namespace

ServedModel::ServedModel(std::shared_ptr<Model> model, const ModelConfig& config, std::string version)
    : model_(std::move(model)), config_json_(to_json(config)), metadata_(metadata_of(config)) {
  metadata_.platform = model_->metadata().platform;
  metadata_.versions = {std::move(version)};
  for (const EnsembleStep& step : config.steps) {
    members_.push_back(step.model);
  }
  for (const ConfigTensor& tensor : config.inputs) {
    if (tensor.reshape) {
      input_reshapes_.push_back({tensor.name, tensor.dims, *tensor.reshape});
    }
  }
  for (const ConfigTensor& tensor : config.outputs) {
    if (tensor.reshape) {
      output_reshapes_.push_back({tensor.name, tensor.dims, *tensor.reshape});
    }
  }
}

Result<std::shared_ptr<ServedModel>> ServedModel::create(std::shared_ptr<Model> model,
                                                         const ModelConfig& config, std::string version,
                                                         const std::string& folder) {
  std::vector<std::vector<std::string>> labels;
  for (const ConfigTensor& output : config.outputs) {
    labels.emplace_back();
    if (!output.label_file.empty()) {
      FOREBAY_ASSIGN_OR_RETURN(labels.back(), read_labels(folder, output.label_file));
    }
  }
  const std::vector<TensorMetadata>& of_model = model->metadata().outputs;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (const TensorMetadata& output : of_model) {
      if (labels[i].empty() && output.name == config.outputs[i].name) {
        labels[i] = output.labels;
      }
    }
  }
  std::shared_ptr<ServedModel> served(new ServedModel(std::move(model), config, std::move(version)));
  for (size_t i = 0; i < labels.size(); ++i) {
    served->metadata_.outputs[i].labels = std::move(labels[i]);
  }
  return served;
}

Status ServedModel::reshape_inputs(InferRequest* request) const {
  const size_t batch = metadata_.max_batch_size > 0 ? 1 : 0;
  for (const Reshape& reshape : input_reshapes_) {
    for (NamedTensor& input : request->inputs) {
      if (input.name == reshape.name) {
        Result<std::vector<int64_t>> shape = reshaped(input.shape, batch, reshape.dims, reshape.reshape);
        FOREBAY_RETURN_IF_ERROR(annotate(shape.status(), fmt::format("input '{}'", input.name)));
        input.shape = *std::move(shape);
      }
    }
  }
  return ok_status();
}

Status ServedModel::select(const std::vector<std::string>& wanted, InferResponse* response) const {
  std::vector<std::string> names = wanted;
  for (size_t i = 0; wanted.empty() && i < metadata_.outputs.size(); ++i) {
    names.push_back(metadata_.outputs[i].name);
  }
  std::vector<NamedTensor> outputs;
  for (const std::string& name : names) {
    const auto at = std::find_if(response->outputs.begin(), response->outputs.end(),
                                 [&](const NamedTensor& output) { return output.name == name; });
    if (at != response->outputs.end()) {
      outputs.push_back(*at);
    } else if (!wanted.empty()) {
      return internal_error("model '{}' gave no output '{}'", metadata_.name, name);
    }
  }
  response->outputs = std::move(outputs);
  return ok_status();
}

Status ServedModel::finish(const std::vector<std::string>& wanted, InferResponse* response) const {
  FOREBAY_RETURN_IF_ERROR(select(wanted, response));
  for (const Reshape& reshape : output_reshapes_) {
    const size_t batch = metadata_.max_batch_size > 0 ? 1 : 0;
    for (NamedTensor& output : response->outputs) {
      if (output.name == reshape.name) {
        Result<std::vector<int64_t>> shape = reshaped(output.shape, batch, reshape.reshape, reshape.dims);
        if (!shape.ok()) {
          return internal_error("model '{}' gave the output '{}': {}", metadata_.name, output.name,
                                message(shape.status()));
        }
        output.shape = *std::move(shape);
      }
    }
  }
  return ok_status();
}

void ServedModel::infer(InferRequest request, InferAnswer answer) {
  const int64_t arrived_ns = steady_clock().now_ns();
  Status status = check_request(request, metadata_);
  if (status.ok()) {
    status = reshape_inputs(&request);
  }
  if (!status.ok()) {
    answer(annotate(status, fmt::format("model '{}'", metadata_.name)));
    return;
  }
  request.version = metadata_.versions.front();
  std::vector<std::string> wanted;
  for (const RequestedOutput& output : request.outputs) {
    wanted.push_back(output.name);
  }
  const int64_t rows = rows_of(request, metadata_);
  auto done = [this, use = UseOfModel(use_), arrived_ns, rows, wanted = std::move(wanted), id = request.id,
               answer = std::move(answer)](Result<InferResponse> response) mutable {
    const Status finished = response.ok() ? finish(wanted, &*response) : response.status();
    const int64_t spent_ns = steady_clock().now_ns() - arrived_ns;
    if (!finished.ok()) {
      use->add_failure(spent_ns, finished);
      answer(finished);
      return;
    }
    use->add_success(rows, spent_ns, response->timing);
    response->model = metadata_.name;
    response->version = metadata_.versions.front();
    response->id = std::move(id);
    answer(std::move(response));
  };
  model_->infer(std::move(request), std::move(done));
}

ModelStatistics ServedModel::statistics() const {
  ModelStatistics statistics = use_->statistics();
  statistics.name = metadata_.name;
  statistics.version = metadata_.versions.front();
  statistics.execution_count = model_->execution_count().value_or(statistics.execution_count);
  return statistics;
}

bool ServedModel::close(int64_t deadline_ns) {
  use_->wait_until_idle(deadline_ns);
  model_->close(deadline_ns);
  return use_->wait_until_idle(steady_clock().now_ns() + kTimeAfterClose_ns);
}

}  // namespace forebay::serving
