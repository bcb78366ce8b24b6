// What is thrown, and what is never answered: every call ends all the same, and the door stops at once.
#include <gmock/gmock.h>

#include <chrono>
#include <condition_variable>
#include <new>
#include <stdexcept>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/serving/testing/grpc_door_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(20);

/// Does with a request, or the name of a model to load, what the name says: "throws", "drops" it unanswered,
/// "keeps" the answer until forget(), or "keeps and throws".
class FaultyServer final : public ModelServer {
 public:
  void infer(InferRequest request, InferAnswer answer) override { misuse(request.model, std::move(answer)); }
  void load(const std::string& name, absl::AnyInvocable<void(Status)> done) override {
    misuse(name, [done = std::move(done)](const Result<InferResponse>&) mutable { done(ok_status()); });
  }
  void unload(const std::string& name, absl::AnyInvocable<void(Status)> done) override {
    load(name, std::move(done));
  }

  bool is_live() const override { return true; }
  bool is_ready() const override { return true; }
  bool is_model_ready(const std::string&, const std::string&) const override { return true; }
  Result<ModelMetadata> metadata(const std::string&, const std::string&) const override {
    throw std::runtime_error("as told");
  }
  Result<std::string> config_json(const std::string&, const std::string&) const override { return "{}"; }
  Result<std::vector<ModelStatistics>> statistics(const std::string&, const std::string&) const override {
    throw std::bad_alloc();
  }
  std::vector<ModelIndexEntry> index(bool) const override { return {}; }

  /// False if nothing is kept within kPatience.
  bool wait_until_kept() {
    UniqueMutexLock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (kept_ == nullptr) {
      if (changed_.wait_until(lock.native(), end) == std::cv_status::timeout) {
        return kept_ != nullptr;
      }
    }
    return true;
  }
  void forget() {
    InferAnswer kept;  // ends outside the lock
    const MutexLock lock(mutex_);
    kept = std::exchange(kept_, nullptr);
  }

 private:
  void misuse(const std::string& name, InferAnswer answer) {
    if (name.starts_with("keeps")) {
      const MutexLock lock(mutex_);
      kept_ = std::move(answer);
      changed_.notify_all();
    }
    if (name.ends_with("throws")) {
      throw std::runtime_error("as told");
    }
  }

  Mutex mutex_;
  std::condition_variable changed_;
  InferAnswer kept_ FOREBAY_GUARDED_BY(mutex_);
};

class GrpcFailuresTest : public testing::GrpcDoorTestBase {
 protected:
  using StreamAnswer = inference::ModelStreamInferResponse;

  static inference::ModelInferRequest to_model(const std::string& model) {
    return raw_request(model, "UINT8", {1}, "a");
  }

  /// A request whose output is to be classified.
  static inference::ModelInferRequest with_classes() {
    inference::ModelInferRequest request = to_model("any");
    auto& output = *request.add_outputs();
    output.set_name("x");
    (*output.mutable_parameters())["classification"].set_int64_param(1);
    return request;
  }

  /// A request whose input lies in shared memory.
  static inference::ModelInferRequest with_region() {
    inference::ModelInferRequest request;
    request.set_model_name("any");
    auto& parameters = *add_input(request, "x", "UINT8", {1}).mutable_parameters();
    parameters["shared_memory_region"].set_string_param("r");
    parameters["shared_memory_byte_size"].set_int64_param(1);
    return request;
  }

  static GrpcDoorOptions with_throwing_extensions() {
    GrpcDoorOptions options;
    options.max_requests = 1;  // a place that is lost is missed
    options.extensions.classify = [](const NamedTensor&, int64_t,
                                     const ModelMetadata&) -> Result<NamedTensor> {
      throw std::runtime_error("as told");
    };
    options.extensions.read_place = [](const SharedPlace&, NamedTensor&) -> Status {
      throw std::bad_alloc();
    };
    return options;
  }

  /// Answers of one stream, a request at a time.
  std::string stream_error(const inference::ModelInferRequest& request) {
    if (stream_ == nullptr) {
      limit(context_);
      stream_ = stub_->ModelStreamInfer(&context_);
    }
    StreamAnswer answer;
    EXPECT_TRUE(stream_->Write(request));
    EXPECT_TRUE(stream_->Read(&answer));
    return answer.error_message();
  }

  void end_stream() {
    stream_->WritesDone();
    EXPECT_TRUE(stream_->Finish().ok());
  }

  /// That no call is left which the door would wait for.
  void stop_at_once() {
    const int64_t deadline_ns = steady_clock().now_ns() + std::chrono::nanoseconds(kPatience).count();
    door_->stop(deadline_ns);
    EXPECT_LT(steady_clock().now_ns(), deadline_ns);
  }

  FaultyServer faulty_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<inference::ModelInferRequest, StreamAnswer>> stream_;
};

TEST_F(GrpcFailuresTest, WhatReadingARequestThrowsIsItsError) {
  open(with_throwing_extensions());
  EXPECT_EQ(infer(with_region()).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(stream_error(with_region()), HasSubstr("memory"));
  EXPECT_EQ(stream_error(to_model("any")), "");
  end_stream();
  stop_at_once();
}

TEST_F(GrpcFailuresTest, WhatDeliveringOutputsThrowsIsTheRequestsError) {
  open(with_throwing_extensions());
  const grpc::Status status = infer(with_classes());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("as told"));
  EXPECT_THAT(stream_error(with_classes()), HasSubstr("as told"));
  EXPECT_EQ(stream_error(to_model("any")), "");
  end_stream();
  stop_at_once();
}

TEST_F(GrpcFailuresTest, WhatModelsThrowIsTheRequestsError) {
  open_before(faulty_);
  for (const char* const model : {"throws", "keeps and throws"}) {
    const grpc::Status status = infer(to_model(model));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL) << model;
    EXPECT_THAT(status.error_message(), HasSubstr("as told")) << model;
    faulty_.forget();
    EXPECT_THAT(stream_error(to_model(model)), HasSubstr("as told")) << model;
    faulty_.forget();
  }
  end_stream();
  stop_at_once();
}

TEST_F(GrpcFailuresTest, AnAnswerThatIsDroppedIsAnError) {
  open_before(faulty_);
  const grpc::Status status = infer(to_model("drops"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("without an answer"));
  EXPECT_THAT(stream_error(to_model("drops")), HasSubstr("without an answer"));
  ASSERT_TRUE(stream_->Write(to_model("keeps")));
  ASSERT_TRUE(faulty_.wait_until_kept());
  faulty_.forget();  // on another thread, later
  StreamAnswer answer;
  ASSERT_TRUE(stream_->Read(&answer));
  EXPECT_THAT(answer.error_message(), HasSubstr("'keeps'"));
  end_stream();
  stop_at_once();
}

TEST_F(GrpcFailuresTest, OtherCallsEndToo) {
  open_before(faulty_);
  inference::ModelMetadataResponse metadata;
  EXPECT_EQ(call(&Stub::ModelMetadata, {}, metadata).error_code(), grpc::StatusCode::INTERNAL);
  inference::ModelStatisticsResponse statistics;
  EXPECT_EQ(call(&Stub::ModelStatistics, {}, statistics).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  inference::RepositoryModelLoadRequest load;
  inference::RepositoryModelLoadResponse loaded;
  load.set_model_name("throws");
  EXPECT_THAT(call(&Stub::RepositoryModelLoad, load, loaded).error_message(), HasSubstr("as told"));
  inference::RepositoryModelUnloadRequest unload;
  inference::RepositoryModelUnloadResponse unloaded;
  unload.set_model_name("drops");
  EXPECT_EQ(call(&Stub::RepositoryModelUnload, unload, unloaded).error_code(), grpc::StatusCode::INTERNAL);
  stop_at_once();
}

}  // namespace
}  // namespace forebay::serving
