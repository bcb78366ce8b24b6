// A saved pipeline as a model: a request's rows become requests of a RequestSession, and one answer again.
#include "forebay/serving/pipelines/pipeline_model.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/pipeline/requests/request_session.h"
#include "forebay/serving/pipelines/pipeline_signature.h"
#include "forebay/serving/pipelines/sample_rows.h"

namespace forebay::serving {
namespace {

using pipeline::RequestSession;
using tensor::Tensor;

/// What Pipeline.serialize() gave, read.
struct SavedPipeline {
  pipeline::Graph graph;
  pipeline::PlanOptions options;
};

int64_t number_in(const nlohmann::json& arguments, const char* name, int64_t without) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number_integer() ? found->get<int64_t>() : without;
}

/// What sources promise of their samples stands beside the graph: into their nodes' arguments with it.
void take_promises(nlohmann::json& content) {
  const auto sources = content.find("sources");
  nlohmann::json& graph = content["graph"];
  if (sources == content.end() || !sources->is_array() || !graph.is_object() || !graph["nodes"].is_array()) {
    return;
  }
  nlohmann::json& nodes = graph["nodes"];
  for (const nlohmann::json& source : *sources) {
    const int64_t number = source.is_object() ? number_in(source, "node", -1) : -1;
    if (number < 0 || number >= static_cast<int64_t>(nodes.size()) || !nodes[number].is_object()) {
      continue;
    }
    nlohmann::json& constants = nodes[number]["constants"];
    for (const char* name : {"layout", "dtype", "ndim"}) {
      const bool fits = constants.is_object() || constants.is_null();
      if (fits && source.contains(name) && !source[name].is_null()) {
        constants[name] = source[name];
      }
    }
  }
}

Result<SavedPipeline> read_saved(std::string_view saved) {
  nlohmann::json content = nlohmann::json::parse(saved, nullptr, /*allow_exceptions=*/false);
  if (!content.is_object() || !content.contains("graph") || !content.contains("arguments") ||
      !content["arguments"].is_object()) {
    return invalid_argument("these are not the bytes that Pipeline.serialize() gave");
  }
  take_promises(content);
  SavedPipeline read;
  FOREBAY_ASSIGN_OR_RETURN(read.graph, pipeline::Graph::from_json(content["graph"].dump()));
  constexpr int64_t kMaxRows = 1 << 20;
  const nlohmann::json& arguments = content["arguments"];
  read.options.batch_size =
      static_cast<int>(std::clamp<int64_t>(number_in(arguments, "batch_size", 1), 1, kMaxRows));
  read.options.seed = static_cast<uint64_t>(number_in(arguments, "seed", 0));
  return read;
}

/// A request under way: its rows' outputs as they come.
class RowsOfRequest {
 public:
  RowsOfRequest(InferRequest request, size_t rows, InferAnswer answer)
      : request_(std::move(request)), outputs_(rows), answer_(std::move(answer)), left_(rows) {}

  const InferRequest& request() const { return request_; }

  /// Whether it was the last row.
  bool take(size_t row, Result<std::vector<Tensor>> outputs) {
    const MutexLock lock(mutex_);
    if (outputs.ok()) {
      outputs_[row] = *std::move(outputs);
    } else if (error_.ok()) {
      error_ =
          outputs_.size() == 1 ? outputs.status() : annotate(outputs.status(), fmt::format("row {}", row));
    }
    return --left_ == 0;
  }

  /// After the last row.
  void give(Result<InferResponse> response) { answer_(std::move(response)); }

  Status error() const {
    const MutexLock lock(mutex_);
    return error_;
  }

  std::vector<Tensor> rows_of_output(size_t output) const {
    const MutexLock lock(mutex_);
    std::vector<Tensor> rows;
    for (const std::vector<Tensor>& row : outputs_) {
      rows.push_back(row[output]);
    }
    return rows;
  }

 private:
  const InferRequest request_;
  mutable Mutex mutex_;
  std::vector<std::vector<Tensor>> outputs_ FOREBAY_GUARDED_BY(mutex_);
  Status error_ FOREBAY_GUARDED_BY(mutex_);
  InferAnswer answer_;
  size_t left_ FOREBAY_GUARDED_BY(mutex_);
};

class PipelineModel final : public Model {
 public:
  PipelineModel(PipelineSignature signature, ModelMetadata metadata, const PipelineModelOptions& options,
                std::unique_ptr<RequestSession> session)
      : signature_(std::move(signature)),
        metadata_(std::move(metadata)),
        most_{options.most_under_way, options.most_bytes_under_way},
        inside_(std::make_shared<Inside>()),
        session_(std::move(session)) {}

  ~PipelineModel() override { close(0); }

  const ModelMetadata& metadata() const override { return metadata_; }
  void infer(InferRequest request, InferAnswer answer) override;
  void close(int64_t deadline_ns) override;

 private:
  /// What requests under way take.
  struct Load {
    int64_t rows = 0;
    uint64_t bytes = 0;
  };
  /// What answers need that come after the model has gone.
  struct Inside {
    Mutex mutex;
    std::condition_variable changed;
    Load under_way FOREBAY_GUARDED_BY(mutex);
    bool is_closed FOREBAY_GUARDED_BY(mutex) = false;
  };

  bool has_batch() const { return metadata_.max_batch_size > 0; }
  /// All rows of a request, or none.
  Status begin(const Load& load);
  static void end(Inside* inside, const Load& load);
  Result<std::vector<pipeline::Request>> samples_of(const InferRequest& request) const;
  static Result<InferResponse> response_of(const RowsOfRequest& rows, const ModelMetadata& metadata,
                                           int64_t come_ns, int64_t begun_ns);

  const PipelineSignature signature_;
  const ModelMetadata metadata_;
  const Load most_;
  const std::shared_ptr<Inside> inside_;
  const std::unique_ptr<RequestSession> session_;
};

Status PipelineModel::begin(const Load& load) {
  const MutexLock lock(inside_->mutex);
  Load& under_way = inside_->under_way;
  if (inside_->is_closed) {
    return unavailable("model '{}' is being unloaded", metadata_.name);
  }
  const bool is_full = under_way.rows + load.rows > most_.rows || under_way.bytes + load.bytes > most_.bytes;
  if (under_way.rows > 0 && is_full) {
    return resource_exhausted(
        "model '{}' has {} samples of {} bytes under way: ask again when some are answered", metadata_.name,
        under_way.rows, under_way.bytes);
  }
  under_way.rows += load.rows;
  under_way.bytes += load.bytes;
  return ok_status();
}

void PipelineModel::end(Inside* inside, const Load& load) {
  const MutexLock lock(inside->mutex);
  inside->under_way.rows -= load.rows;
  inside->under_way.bytes -= load.bytes;
  inside->changed.notify_all();
}

Result<std::vector<pipeline::Request>> PipelineModel::samples_of(const InferRequest& request) const {
  std::vector<pipeline::Request> samples;
  for (const PipelineInput& input : signature_.inputs) {
    const auto given = std::find_if(request.inputs.begin(), request.inputs.end(),
                                    [&](const NamedTensor& tensor) { return tensor.name == input.name; });
    if (given == request.inputs.end()) {
      return invalid_argument("the request has no input '{}'", input.name);
    }
    FOREBAY_ASSIGN_OR_RETURN(std::vector<Tensor> rows, rows_of(*given, has_batch(), input.layout));
    if (samples.empty()) {
      samples.resize(rows.size());
    }
    if (rows.size() != samples.size() || rows.empty()) {
      return invalid_argument("input '{}' has {} rows, and '{}' has {}", input.name, rows.size(),
                              signature_.inputs[0].name, samples.size());
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      samples[row].inputs[input.node].push_back(std::move(rows[row]));
    }
  }
  if (signature_.inputs.empty()) {
    samples.resize(1);
  }
  const int64_t last_row = static_cast<int64_t>(samples.size()) - 1;
  if (request.key.value_or(0) > std::numeric_limits<int64_t>::max() - last_row) {
    return invalid_argument("the key {} is too high for {} rows, each of which has the next one",
                            *request.key, samples.size());
  }
  for (size_t row = 0; row < samples.size(); ++row) {
    samples[row].key = request.key.value_or(0) + static_cast<int64_t>(row);
    samples[row].epoch = request.epoch;
    samples[row].deadline_ns = request.deadline_ns;
  }
  return samples;
}

Result<InferResponse> PipelineModel::response_of(const RowsOfRequest& rows, const ModelMetadata& metadata,
                                                 int64_t come_ns, int64_t begun_ns) {
  FOREBAY_RETURN_IF_ERROR(rows.error());
  InferResponse response;
  response.model = metadata.name;
  response.version = metadata.versions[0];
  response.id = rows.request().id;
  response.timing.queue_ns = begun_ns - come_ns;
  response.timing.compute_ns = steady_clock().now_ns() - begun_ns;
  for (size_t i = 0; i < metadata.outputs.size(); ++i) {
    const std::string& name = metadata.outputs[i].name;
    if (is_wanted(rows.request(), name)) {
      FOREBAY_ASSIGN_OR_RETURN(NamedTensor output,
                               tensor_of_rows(name, rows.rows_of_output(i), metadata.max_batch_size > 0));
      response.outputs.push_back(std::move(output));
    }
  }
  response.timing.output_ns = steady_clock().now_ns() - begun_ns - response.timing.compute_ns;
  return response;
}

void PipelineModel::infer(InferRequest request, InferAnswer answer) {
  if (request.cancel.stop_requested()) {
    answer(cancelled("nobody waits for the answer any more"));
    return;
  }
  Result<std::vector<pipeline::Request>> samples = samples_of(request);
  if (!samples.ok()) {
    answer(samples.status());
    return;
  }
  Load load{.rows = static_cast<int64_t>(samples->size())};
  for (const NamedTensor& input : request.inputs) {
    load.bytes += input.size_bytes;
  }
  if (const Status begun = begin(load); !begun.ok()) {
    answer(begun);
    return;
  }
  const int64_t come_ns = steady_clock().now_ns();
  const auto begun_ns = std::make_shared<std::atomic<int64_t>>(0);  // when the first row began to run
  const auto rows = std::make_shared<RowsOfRequest>(std::move(request), samples->size(), std::move(answer));
  for (size_t row = 0; row < samples->size(); ++row) {
    (*samples)[row].begun_ns = begun_ns;
    const auto take = [rows, row, come_ns, begun_ns, load, inside = inside_,
                       metadata = &metadata_](Result<std::vector<Tensor>> outputs) {
      if (!rows->take(row, std::move(outputs))) {
        return;
      }
      rows->give(caught([&] { return response_of(*rows, *metadata, come_ns, begun_ns->load()); }));
      end(inside.get(), load);
    };
    const Status taken = session_->submit(std::move((*samples)[row]), take);
    if (!taken.ok()) {
      take(taken);
    }
  }
}

void PipelineModel::close(int64_t deadline_ns) {
  {
    UniqueMutexLock lock(inside_->mutex);
    inside_->is_closed = true;
    Inside* const inside = inside_.get();
    wait_until(inside->changed, lock, deadline_ns,
               [inside]() FOREBAY_REQUIRES(inside->mutex) { return inside->under_way.rows == 0; });
  }
  session_->close();
  session_->await_end().IgnoreError();
}

}  // namespace

Result<std::shared_ptr<Model>> make_pipeline_model(std::string_view saved, PipelineModelOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(SavedPipeline read, read_saved(saved));
  ModelMetadata metadata;
  metadata.name = options.name;
  metadata.versions = {options.version};
  metadata.platform = "forebay_pipeline";
  metadata.max_batch_size = options.max_batch_size < 0 ? read.options.batch_size : options.max_batch_size;
  const bool has_batch = metadata.max_batch_size > 0;
  options.most_under_way = std::max(options.most_under_way, static_cast<int>(metadata.max_batch_size));
  FOREBAY_ASSIGN_OR_RETURN(PipelineSignature signature,
                           signature_of(read.graph, has_batch, options.output_names));
  metadata.inputs = metadata_of(signature.inputs, read.graph, has_batch);
  metadata.outputs = signature.outputs;
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<const pipeline::Plan> plan,
                           pipeline::Plan::compile(read.graph, read.options));
  pipeline::SessionOptions session_options;
  session_options.num_threads = options.num_threads;
  session_options.memory_limit_bytes = options.memory_limit_bytes;
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<RequestSession> session,
                           RequestSession::create(plan, std::move(session_options), options.most_under_way));
  return std::make_shared<PipelineModel>(std::move(signature), std::move(metadata), options,
                                         std::move(session));
}

}  // namespace forebay::serving
