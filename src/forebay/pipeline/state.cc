// A session's state: what was delivered, as a few numbers. {"forebay_state": 1, "plan": fingerprint, ...}
#include <nlohmann/json.hpp>

#include "forebay/pipeline/core.h"

namespace forebay::pipeline {
namespace {

using nlohmann::json;

constexpr int kStateVersion = 1;
constexpr int64_t kLargestNumber = int64_t{1} << 53;  // far beyond any stream, and no sum of two overflows

}  // namespace

std::string Session::Core::state() const {
  std::lock_guard lock(mutex_);
  const json object = {
      {"forebay_state", kStateVersion},      {"plan", fmt::format("{:016x}", plan_->fingerprint())},
      {"iteration", delivered_iterations_},  {"stream", delivered_stream_},
      {"taken", delivered_taken_},           {"feed_iteration", feed_delivered_.iteration},
      {"feed_epoch", feed_delivered_.epoch}, {"feed_position", feed_delivered_.position}};
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
  const auto plan = object.find("plan");
  if (plan == object.end() || *plan != fmt::format("{:016x}", plan_->fingerprint())) {
    return failed_precondition(
        "the state was saved by another pipeline (its graph or seed differs), so its position means nothing "
        "here");
  }
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
