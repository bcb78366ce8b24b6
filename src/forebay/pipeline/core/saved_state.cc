#include "forebay/pipeline/core/saved_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace forebay::pipeline {
namespace {

using nlohmann::json;

constexpr int kStateVersion = 4;
// Far beyond any stream, and the sum of two does not overflow.
constexpr int64_t kLargestNumber = int64_t{1} << 53;
constexpr size_t kNumbersOfPart = 3;  // epoch, begin, end
constexpr size_t kMaxParts = size_t{1} << 20;

std::string hash_text(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// The number, or -1.
int64_t number_of(const json& value) {
  const int64_t number = value.is_number_integer() ? value.get<int64_t>() : -1;
  return number <= kLargestNumber ? number : -1;
}

int64_t number_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? -1 : number_of(*found);
}

// Whether a state belongs to this plan.
Status check_plan(const json& state, const Plan& plan) {
  const auto order = state.find("order");
  if (order == state.end() || *order != hash_text(plan.order_fingerprint())) {
    return failed_precondition(
        "the state was saved by a pipeline that reads other samples or in another order (other readers, "
        "files, shuffling or `keep`; with pad_last_batch or bucket_by_length another batch size), so its "
        "position means nothing here; make these as they were when it was saved");
  }
  const auto seed = state.find("seed");
  if (seed == state.end() || *seed != plan.options().seed) {
    return failed_precondition("the state was saved with seed {}, and this pipeline has seed {}",
                               seed == state.end() ? "unknown" : seed->dump(), plan.options().seed);
  }
  return ok_status();
}

json json_of(const storage::StreamBegin& begin) {
  json left = json::array();
  for (const storage::EpochPart& part : begin.left) {
    left.push_back({part.epoch, part.begin, part.end});
  }
  return {{"first_epoch", begin.first_epoch}, {"first_whole_epoch", begin.first_whole_epoch}, {"left", left}};
}

// False if it is none. Whether its parts fit the data set is seen by the order that begins there.
bool parse_begin(const json& object, storage::StreamBegin* begin) {
  if (!object.is_object() || number_of(object, "first_epoch") < 0 ||
      number_of(object, "first_whole_epoch") < 0) {
    return false;
  }
  begin->first_epoch = static_cast<uint64_t>(number_of(object, "first_epoch"));
  begin->first_whole_epoch = static_cast<uint64_t>(number_of(object, "first_whole_epoch"));
  const json left = object.value("left", json());
  if (!left.is_array() || left.size() > kMaxParts) {
    return false;
  }
  for (const json& part : left) {
    const bool is_part = part.is_array() && part.size() == kNumbersOfPart &&
                         std::ranges::all_of(part, [](const json& number) { return number_of(number) >= 0; });
    if (!is_part) {
      return false;
    }
    begin->left.push_back({part[0].get<uint64_t>(), part[1].get<uint64_t>(), part[2].get<uint64_t>()});
  }
  return true;
}

bool parse_used(const json& used, size_t phases, std::vector<int64_t>* counts) {
  if (!used.is_array() || used.size() + 1 != phases) {
    return false;
  }
  for (const json& count : used) {
    counts->push_back(number_of(count));
  }
  return std::ranges::all_of(*counts, [](int64_t count) { return count >= 0; });
}

Status no_valid(std::string_view name) {
  return invalid_argument("the saved state has no valid '{}'", name);
}

// The states of all ranks, by rank. They must be of one run.
Status check_complete(std::vector<SavedState>* states) {
  std::ranges::sort(*states, {}, &SavedState::shard_id);
  const SavedState& first = states->front();
  for (size_t i = 0; i < states->size(); ++i) {
    const SavedState& state = (*states)[i];
    if (state.num_shards != first.num_shards || state.begin != first.begin) {
      return failed_precondition(
          "the states are not of one run: they differ in the number of shards ({} and {}), or "
          "in where their run began",
          first.num_shards, state.num_shards);
    }
    if (i > 0 && state.shard_id == (*states)[i - 1].shard_id) {
      return failed_precondition("two of the states are of shard {}", state.shard_id);
    }
  }
  if (states->size() != first.num_shards) {
    uint32_t missing = 0;
    while (missing < states->size() && (*states)[missing].shard_id == missing) {
      ++missing;
    }
    return failed_precondition(
        "{} of the {} states of a run are given, that of shard {} is missing; to go on with another number "
        "of shards, "
        "or as another shard, load the states of all: load_state_dict([...])",
        states->size(), first.num_shards, missing);
  }
  return ok_status();
}

// Readers that one rank's stream goes through beside each other.
Status check_beside(const std::vector<OpenReader>& readers) {
  const dataset::OrderOptions& first = readers.front().order().options();
  for (const OpenReader& reader : readers) {
    const dataset::OrderOptions& order = reader.order().options();
    if (order.dataset_size != first.dataset_size || order.num_shards != first.num_shards ||
        order.shard_id != first.shard_id) {
      return failed_precondition(
          "the readers '{}' and '{}' differ in their number of samples or shards, so what is left of both "
          "cannot be "
          "divided between another number of shards",
          readers.front().name, reader.name);
    }
    if (order.shard_first && readers.size() > 1) {
      return failed_precondition(
          "the reader '{}' is shuffled shard by shard, so what is left of it and of readers beside it cannot "
          "be divided between another number of shards",
          reader.name);
    }
  }
  return ok_status();
}

// What all ranks have left, divided between the shards of `readers`.
Result<Resumption> divide_anew(const std::vector<SavedState>& states, const Plan& plan,
                               const std::vector<OpenReader>& readers) {
  if (!plan.feeds().empty()) {
    return failed_precondition(
        "external_source '{}' cannot go on with another number of shards: nobody knows what its other ranks "
        "have "
        "given",
        plan.feeds().front().name);
  }
  if (readers.empty()) {
    return failed_precondition("a pipeline without readers has no shards, and the states are of {}",
                               states.front().num_shards);
  }
  FOREBAY_RETURN_IF_ERROR(check_beside(readers));
  std::vector<uint64_t> read;
  Resumption resumption;
  for (const SavedState& state : states) {
    if (state.position.is_amid_sample) {
      return failed_precondition(
          "shard {} stopped amid what '{}' makes of one sample, which cannot be divided; take its state one "
          "batch "
          "later, or go on with as many shards as before",
          state.shard_id, plan.expands().front().name);
    }
    read.push_back(static_cast<uint64_t>(state.position.read));
    resumption.position.iterations = std::max(resumption.position.iterations, state.position.iterations);
  }
  resumption.position.used.resize(plan.phases().size() - 1);
  resumption.position.feed.max_batch_size = plan.options().batch_size;
  dataset::OrderOptions before = readers.front().order().options();
  before.num_shards = states.front().num_shards;
  before.shard_id = 0;
  before.begin = states.front().begin;
  if (const std::string_view fixed = dataset::fixed_shards_of(before); !fixed.empty()) {
    return failed_precondition(
        "the reader '{}' has {}, so its shards cannot go on with another number of them",
        readers.front().name, fixed);
  }
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order order, dataset::Order::create(before));
  resumption.begin = order.left_behind(read);
  return resumption;
}

}  // namespace

std::string text_of(const SavedState& state, const Plan& plan) {
  const json object = {{"forebay_state", kStateVersion},
                       {"order", hash_text(plan.order_fingerprint())},
                       {"seed", plan.options().seed},
                       {"iteration", state.position.iterations},
                       {"stream", state.position.stream_index},
                       {"read", state.position.read},
                       {"is_amid_sample", state.position.is_amid_sample},
                       {"used", state.position.used},
                       {"feed_iteration", state.position.feed.iteration},
                       {"feed_epoch", state.position.feed.epoch},
                       {"feed_position", state.position.feed.position},
                       {"shards", state.num_shards},
                       {"shard", state.shard_id},
                       {"begin", json_of(state.begin)}};
  return object.dump();
}

Result<SavedState> parse_state(std::string_view text, const Plan& plan) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || number_of(object, "forebay_state") != kStateVersion) {
    return invalid_argument("not a saved state of version {}", kStateVersion);
  }
  for (const char* name :
       {"iteration", "stream", "read", "shards", "shard", "feed_iteration", "feed_epoch", "feed_position"}) {
    if (number_of(object, name) < 0) {
      return no_valid(name);
    }
  }
  FOREBAY_RETURN_IF_ERROR(check_plan(object, plan));
  SavedState state;
  state.position.iterations = number_of(object, "iteration");
  state.position.stream_index = number_of(object, "stream");
  state.position.read = number_of(object, "read");
  state.position.is_amid_sample = object.value("is_amid_sample", json()) == true;
  state.position.feed = {number_of(object, "feed_iteration"), number_of(object, "feed_epoch"),
                         number_of(object, "feed_position"), plan.options().batch_size};
  if (!parse_used(object.value("used", json()), plan.phases().size(), &state.position.used)) {
    return no_valid("used");
  }
  const int64_t shards = number_of(object, "shards");
  const int64_t shard = number_of(object, "shard");
  if (shards < 1 || shards > std::numeric_limits<uint32_t>::max() || shard >= shards) {
    return no_valid("shard");
  }
  state.num_shards = static_cast<uint32_t>(shards);
  state.shard_id = static_cast<uint32_t>(shard);
  if (!parse_begin(object.value("begin", json()), &state.begin)) {
    return no_valid("begin");
  }
  return state;
}

Result<Resumption> resume_from(std::span<const std::string> texts, const Plan& plan,
                               const std::vector<OpenReader>& readers) {
  if (texts.empty()) {
    return invalid_argument("there is no state to go on from");
  }
  const dataset::OrderOptions own =
      readers.empty() ? dataset::OrderOptions() : readers.front().order().options();
  std::vector<SavedState> states;
  Resumption resumption;
  for (const std::string& text : texts) {
    FOREBAY_ASSIGN_OR_RETURN(SavedState state, parse_state(text, plan));
    const bool is_own = state.num_shards == own.num_shards && state.shard_id == own.shard_id;
    if (is_own && resumption.own_state >= 0) {
      return failed_precondition("two of the states are of shard {}", own.shard_id);
    }
    if (is_own) {
      resumption = {state.position, state.begin, static_cast<int>(states.size())};
    }
    states.push_back(std::move(state));
  }
  if (resumption.own_state < 0) {
    FOREBAY_RETURN_IF_ERROR(check_complete(&states));
    FOREBAY_ASSIGN_OR_RETURN(resumption, divide_anew(states, plan, readers));
  }
  return resumption;
}

}  // namespace forebay::pipeline
