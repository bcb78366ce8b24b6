// A session's state as text: what was delivered, as a few numbers, and the hash of what decides which samples
// come in which order. And where a session goes on from the states of others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/pipeline/jobs/position.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/samples/open_reader.h"
#include "forebay/storage/planned_items.h"

namespace forebay::pipeline {

/// One rank's state.
struct SavedState {
  Position position;
  uint32_t num_shards = 1;  // of the readers
  uint32_t shard_id = 0;
  storage::StreamBegin begin;  // of the readers' streams
};

std::string text_of(const SavedState& state, const Plan& plan);
/// invalid_argument for a text that is no state, failed_precondition for that of another plan. Whether
/// `begin` fits the data is not looked at.
Result<SavedState> parse_state(std::string_view text, const Plan& plan);

/// Where a session begins.
struct Resumption {
  Position position;
  storage::StreamBegin begin;
  /// Which of the states was this rank's; -1 if what all have left was divided anew.
  int own_state = -1;
};

/// Where a session of the plan, whose readers are `readers`, goes on from the states of all ranks of a run,
/// in any order. One state is enough for the rank that it is of. invalid_argument for a text that is no
/// state; failed_precondition for a state of another graph, seed or run, for one that is missing, and, with
/// another number of ranks, for what cannot be divided anew: feeds, readers that stick to their shards or
/// pad, or a sample of which an expand operator has given only a part.
Result<Resumption> resume_from(std::span<const std::string> states, const Plan& plan,
                               const std::vector<OpenReader>& readers);

}  // namespace forebay::pipeline
