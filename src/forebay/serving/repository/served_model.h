// One version of a model as the repository serves it: the model, what clients see of it, its counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/serving/inference/model.h"
#include "forebay/serving/repository/model_config.h"
#include "forebay/serving/repository/model_use.h"

namespace forebay::serving {

/// Thread safe.
class ServedModel {
 public:
  /// `config` is complete: filled_from() the model's metadata. `folder` holds the files of labels.
  static Result<std::shared_ptr<ServedModel>> create(std::shared_ptr<Model> model, const ModelConfig& config,
                                                     std::string version, const std::string& folder);

  /// Checks the request, gives it to the model and counts what becomes of it. The caller has a use of it, and
  /// keeps it until the call returns; the answer has one of its own.
  void infer(InferRequest request, InferAnswer answer);

  /// Of an ensemble the models of its steps.
  const std::vector<std::string>& members() const { return members_; }
  Status status() const { return model_->status(); }
  const ModelMetadata& metadata() const { return metadata_; }  // `versions` has this one alone
  const std::string& config_json() const { return config_json_; }
  ModelStatistics statistics() const;
  const std::shared_ptr<ModelUse>& use() const { return use_; }

  /// When it is no longer found: waits until nobody uses it, then closes the model. False if somebody still
  /// does after `deadline_ns` and the model's close(); then it must not be destroyed yet.
  bool close(int64_t deadline_ns);

 private:
  struct Reshape {
    std::string name;
    std::vector<int64_t> dims;     // clients'
    std::vector<int64_t> reshape;  // the model's
  };

  ServedModel(std::shared_ptr<Model> model, const ModelConfig& config, std::string version);
  Status reshape_inputs(InferRequest* request) const;
  /// The outputs that are wanted, in their order; where none are named, those of the metadata that are there.
  Status select(const std::vector<std::string>& wanted, InferResponse* response) const;
  /// Selects, and gives the outputs the shapes that clients see.
  Status finish(const std::vector<std::string>& wanted, InferResponse* response) const;

  const std::shared_ptr<Model> model_;
  const std::shared_ptr<ModelUse> use_ = std::make_shared<ModelUse>();
  const std::string config_json_;
  std::vector<std::string> members_;
  ModelMetadata metadata_;
  std::vector<Reshape> input_reshapes_;
  std::vector<Reshape> output_reshapes_;
};

}  // namespace forebay::serving
