// A session's state: what was delivered, as a few numbers, and the hash of the graph that they belong to.
// {"forebay_state": 2, "graph": hash, "seed": ..., ...}
#include <nlohmann/json.hpp>

#include "forebay/pipeline/core.h"

namespace forebay::pipeline {
namespace {

using nlohmann::json;

constexpr int kStateVersion = 2;
constexpr int64_t kLargestNumber = int64_t{1} << 53;  // far beyond any stream, and no sum of two overflows

std::string hash_text(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// Whether a state belongs to this plan.
Status check_plan(const json& state, const Plan& plan) {
  const auto graph = state.find("graph");
  if (graph == state.end() || *graph != hash_text(plan.graph_fingerprint())) {
    return failed_precondition(
        "the state was saved by a pipeline of another graph (other operators, arguments or files), so its "
        "position means nothing here; make the pipeline as it was when it was saved");
  }
  const auto seed = state.find("seed");
  if (seed == state.end() || *seed != plan.options().seed) {
    return failed_precondition("the state was saved with seed {}, and this pipeline has seed {}",
                               seed == state.end() ? "unknown" : seed->dump(), plan.options().seed);
  }
  return ok_status();
}

}  // namespace

std::string Session::Core::state() const {
  json object = {{"forebay_state", kStateVersion},
                 {"graph", hash_text(plan_->graph_fingerprint())},
                 {"seed", plan_->options().seed}};
  {
    std::lock_guard lock(mutex_);
    object["iteration"] = delivered_iterations_;
    object["stream"] = delivered_stream_;
    object["taken"] = delivered_taken_;
    object["feed_iteration"] = feed_delivered_.iteration;
    object["feed_epoch"] = feed_delivered_.epoch;
    object["feed_position"] = feed_delivered_.position;
  }
  return object.dump();
}

Status Session::Core::restore(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* name) -> int64_t {
    return object.contains(name) && object[name].is_number_integer() ? object[name].get<int64_t>() : -1;
  };
  if (!object.is_object() || number("forebay_state") != kStateVersion) {
    return invalid_argument("not a saved state of version {}", kStateVersion);
  }
  for (const char* name : {"iteration", "stream", "taken", "feed_iteration", "feed_epoch", "feed_position"}) {
    if (number(name) < 0 || number(name) > kLargestNumber) {
      return invalid_argument("the saved state has no valid '{}'", name);
    }
  }
  FOREBAY_RETURN_IF_ERROR(check_plan(object, *plan_));
  std::lock_guard lock(mutex_);
  for (const PhaseStream& stream : streams_) {
    if (stream.next_iteration != 0) {
      return failed_precondition("a state can only be restored before the first batch is scheduled");
    }
  }
  delivered_iterations_ = number("iteration");
  delivered_stream_ = number("stream");
  delivered_taken_ = number("taken");
  stream_origin_ = delivered_stream_;
  skip_stream_ = delivered_stream_;
  skip_count_ = delivered_taken_;
  feed_next_ = {number("feed_iteration"), number("feed_epoch"), number("feed_position"),
                plan_->options().batch_size};
  feed_delivered_ = feed_next_;
  for (const auto& [node, feed] : options_.feeds) {
    FOREBAY_RETURN_IF_ERROR(feed->restore(feed_next_));
  }
  return ok_status();
}

}  // namespace forebay::pipeline
