// A kind of model for tests of the repository: the file `model.twin`, or NAME.twin, whose number is what the
// model multiplies by.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/testing/gate.h"
#include "forebay/serving/repository/model_files.h"
#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving::testing {

/// Thread safe. Keeps the twins that were loaded, so that a test can tell them to answer.
class TwinLoader {
 public:
  explicit TwinLoader(TwinPace pace = TwinPace::kAtOnce) : pace_(pace) {}

  ModelKind kind() {
    ModelKind kind;
    kind.name = "twins";
    kind.backends = {"twin"};
    kind.platforms = {"twin_platform"};
    kind.files = {"model.twin"};
    kind.suffixes = {".twin"};
    kind.load = [this](const ModelFiles& files, const ModelConfig&) { return load(files); };
    return kind;
  }

  /// The twin that was loaded last under that name and version.
  std::shared_ptr<TwinModel> twin(const std::string& name, const std::string& version = "1") const {
    const MutexLock lock(mutex_);
    const auto at = twins_.find({name, version});
    return at == twins_.end() ? nullptr : at->second;
  }
  int loads() const {
    const MutexLock lock(mutex_);
    return loads_;
  }
  /// Loads from now on wait there.
  void hold(std::shared_ptr<::forebay::testing::Gate> gate) {
    const MutexLock lock(mutex_);
    gate_ = std::move(gate);
  }

 private:
  Result<std::shared_ptr<Model>> load(const ModelFiles& files) {
    std::shared_ptr<::forebay::testing::Gate> gate;
    {
      const MutexLock lock(mutex_);
      ++loads_;
      gate = gate_;
    }
    if (gate != nullptr) {
      gate->pass();
    }
    int32_t factor = 0;
    if (!(std::ifstream(files.file) >> factor)) {
      return invalid_argument("{} has no number", files.file);
    }
    ModelMetadata metadata = twin_metadata();
    metadata.name = files.name;
    const auto multiply = [factor](const InferRequest& request) -> Result<InferResponse> {
      std::vector<int32_t> values = int32_values(request.inputs.at(0));
      for (int32_t& value : values) {
        value *= factor;
      }
      InferResponse response;
      response.outputs = {int32_tensor("y", request.inputs.at(0).shape, values)};
      response.timing.compute_ns = 7;
      return response;
    };
    const auto twin = std::make_shared<TwinModel>(metadata, multiply, pace_);
    const MutexLock lock(mutex_);
    twins_[{files.name, files.version}] = twin;
    return std::shared_ptr<Model>(twin);
  }

  const TwinPace pace_;
  mutable Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<TwinModel>> twins_ FOREBAY_GUARDED_BY(mutex_);
  std::shared_ptr<::forebay::testing::Gate> gate_ FOREBAY_GUARDED_BY(mutex_);
  int loads_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::serving::testing
