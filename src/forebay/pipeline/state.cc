// A session's state: what was delivered, as a few numbers, and the hash of the graph they belong to.
// {"forebay_state": 3, "graph": hash, "seed": ..., ...}
#include <nlohmann/json.hpp>

#include "forebay/pipeline/core.h"

namespace forebay::pipeline {
namespace {

using nlohmann::json;

constexpr int kStateVersion = 3;
// Far beyond any stream, and the sum of two does not overflow.
constexpr int64_t kLargestNumber = int64_t{1} << 53;

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

// What the text says; `phases` is how many the plan has.
Result<Position> parse_state(std::string_view text, const Plan& plan) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* name) -> int64_t {
    return object.contains(name) && object[name].is_number_integer() ? object[name].get<int64_t>() : -1;
  };
  if (!object.is_object() || number("forebay_state") != kStateVersion) {
    return invalid_argument("not a saved state of version {}", kStateVersion);
  }
  for (const char* name : {"iteration", "stream", "feed_iteration", "feed_epoch", "feed_position"}) {
    if (number(name) < 0 || number(name) > kLargestNumber) {
      return invalid_argument("the saved state has no valid '{}'", name);
    }
  }
  FOREBAY_RETURN_IF_ERROR(check_plan(object, plan));
  Position position{
      number("iteration"),
      number("stream"),
      {number("feed_iteration"), number("feed_epoch"), number("feed_position"), plan.options().batch_size},
      {}};
  const json used = object.value("used", json());
  if (!used.is_array() || used.size() != plan.phases().size() - 1) {
    return invalid_argument("the saved state has no valid 'used'");
  }
  for (const json& count : used) {
    if (!count.is_number_integer() || count.get<int64_t>() < 0 || count.get<int64_t>() > kLargestNumber) {
      return invalid_argument("the saved state has no valid 'used'");
    }
    position.used.push_back(count.get<int64_t>());
  }
  return position;
}

}  // namespace

Status Session::check_state(const Plan& plan, std::string_view state) {
  return parse_state(state, plan).status();
}

// Batches that were promised are the user's already: the state is the one behind them.
std::string Session::Core::state() {
  if (schedule_.has_promised()) {
    engine_->wait(handed_).IgnoreError();  // their errors are of their takers
  }
  const Position position = delivered_.position();
  const json object = {{"forebay_state", kStateVersion},
                       {"graph", hash_text(plan_->graph_fingerprint())},
                       {"seed", plan_->options().seed},
                       {"iteration", position.iterations},
                       {"stream", position.stream_index},
                       {"used", position.used},
                       {"feed_iteration", position.feed.iteration},
                       {"feed_epoch", position.feed.epoch},
                       {"feed_position", position.feed.position}};
  return object.dump();
}

Status Session::Core::restore(std::string_view text) {
  FOREBAY_ASSIGN_OR_RETURN(const Position position, parse_state(text, *plan_));
  FOREBAY_RETURN_IF_ERROR(schedule_.go_on_from(position));
  delivered_.set_position(position);
  runner_.forget_kept_feeds();
  for (const auto& [node, feed] : options_.feeds) {
    FOREBAY_RETURN_IF_ERROR(feed->restore(position.feed));
  }
  return ok_status();
}

}  // namespace forebay::pipeline
