// The slabs that a worker writes its outputs to, as the worker sees them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "forebay/serving/processes/shared_slab.h"
#include "forebay/serving/processes/worker_message.h"

namespace forebay::serving {

/// A slab is used again once the server says that nobody holds it. Not thread safe.
class OwnSlabs {
 public:
  /// `most_bytes` bounds all slabs together.
  explicit OwnSlabs(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The server has said so.
  void free(const std::vector<uint64_t>& numbers);

  /// Copies the tensors into one slab, and writes into `answer` where they lie. Where no free slab is large
  /// enough a new one is made, which the answer is to be sent with, and the free ones are given up.
  /// resource_exhausted where the server would not take it; `answer` then says only what was given up.
  Result<const SharedSlab*> place(const std::vector<NamedTensor>& tensors, AnswerMessage* answer);
  /// Undoes place(), but for what was given up: the outputs are not sent after all.
  void take_back(AnswerMessage* answer);

 private:
  struct Own {
    SharedSlab memory;
    bool is_free = false;
  };

  Result<uint64_t> choose(uint64_t bytes, AnswerMessage* answer);
  Status check_room(uint64_t bytes) const;

  const uint64_t most_bytes_;
  std::map<uint64_t, Own> slabs_;
  uint64_t last_number_ = 0;
};

}  // namespace forebay::serving
