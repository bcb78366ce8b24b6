// Where a stream of batches can be gone on with: one value, which travels with each batch and is committed
// when that batch is given to the user.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/pipeline/session/border.h"

namespace forebay::pipeline {

/// A place in the stream of batches of some phase. Work begins anew with a whole batch of the first phase, as
/// operators of batch scope and feeds need it; what comes from that batch and was given before is left out.
struct Position {
  int64_t iterations = 0;       // batches delivered so far
  int64_t stream_index = 0;     // in the first phase's stream: the first sample of the batch to begin with
  int64_t read = 0;             // in the same stream: samples that nothing more is to be given of
  bool is_amid_sample = false;  // of the next one an expand operator has made more than was given
  FeedRequest feed;             // with feeds: that batch's request
  // For each phase behind an expand operator, in order: how many samples the batches of the phase before let
  // through, from the place where that phase begins, that are used up.
  std::vector<int64_t> used;
};

}  // namespace forebay::pipeline
