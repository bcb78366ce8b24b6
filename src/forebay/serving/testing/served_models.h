// A repository over a folder of twins that a test fills.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/serving/repository/repository.h"
#include "forebay/serving/testing/twin_kind.h"

namespace forebay::serving::testing {

inline constexpr int64_t kServedPatience_ns = 20 * kSecond;

/// The ensemble of the models "two" and "three", one behind the other.
inline constexpr const char* kTripleConfig = R"(
  platform: "ensemble"
  max_batch_size: 8
  input { name: "x" data_type: TYPE_INT32 dims: [ -1 ] }
  output { name: "y" data_type: TYPE_INT32 dims: [ -1 ] }
  ensemble_scheduling { step [
    { model_name: "two" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "t" } },
    { model_name: "three" model_version: -1 input_map { key: "x" value: "t" } output_map { key: "y" value: "y" } } ] })";

/// A folder of models, and a repository over it.
struct ServedModels {
  TemporaryDirectory root;
  TwinLoader loader;
  RepositoryOptions options;
  std::unique_ptr<Repository> repository;

  explicit ServedModels(ModelControl control = ModelControl::kNone, TwinPace pace = TwinPace::kAtOnce)
      : loader(pace) {
    options.root = root.path();
    options.control = control;
    options.kinds = {loader.kind()};
    options.unload_grace_ns = kServedPatience_ns;
  }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = root / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  Status open() {
    Result<std::unique_ptr<Repository>> opened = Repository::open(options);
    if (!opened.ok()) {
      return opened.status();
    }
    repository = *std::move(opened);
    return repository->wait_until_started(steady_clock().now_ns() + kServedPatience_ns);
  }
  Result<InferResponse> infer(const std::string& model, const std::string& version = "",
                              int32_t value = 1) const {
    TwinAnswer answer;
    repository->infer(request(model, version, value), answer.answer());
    EXPECT_TRUE(answer.wait());
    return answer.get();
  }
  static InferRequest request(const std::string& model, const std::string& version, int32_t value) {
    InferRequest request = twin_request(1, {value});
    request.model = model;
    request.version = version;
    request.id = "id";
    return request;
  }
  int32_t factor(const std::string& model, const std::string& version = "") const {
    const Result<InferResponse> response = infer(model, version);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? int32_values(response->outputs.at(0)).at(0) : 0;
  }
  std::string error(const std::string& model, const std::string& version = "") const {
    return std::string(message(infer(model, version).status()));
  }
  Status load(const std::string& name) const {
    return told([&](auto done) { repository->load(name, std::move(done)); });
  }
  Status unload(const std::string& name) const {
    return told([&](auto done) { repository->unload(name, std::move(done)); });
  }
  std::vector<std::string> states() const {
    std::vector<std::string> states;
    for (const ModelIndexEntry& entry : repository->index(false)) {
      states.push_back(entry.name + "/" + entry.version + " " + entry.state);
    }
    return states;
  }

  /// What a call says that tells its outcome on another thread.
  template <class Call>
  static Status told(Call&& call) {
    auto outcome = std::make_shared<std::promise<Status>>();
    std::future<Status> future = outcome->get_future();
    call([outcome](Status status) { outcome->set_value(std::move(status)); });
    const bool is_told =
        future.wait_for(std::chrono::nanoseconds(kServedPatience_ns)) == std::future_status::ready;
    return is_told ? future.get() : internal_error("nothing was told");
  }
};

}  // namespace forebay::serving::testing
