// The work of one call: an operator run on all samples of its inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/calls/made_batch.h"
#include "forebay/calls/operator_call.h"

namespace forebay::calls {

struct CallTask {
  CalledOperatorRef op;
  std::vector<FutureBatchRef> inputs;
  std::vector<FutureBatchRef> arguments;
  std::vector<std::shared_ptr<MadeBatch>> outputs;
  int size = 1;
  uint64_t seed = 0;
  uint64_t draw = 0;

  /// Fills the outputs, all or none. In a task that reads what the inputs and arguments name.
  Status run() const;
};

}  // namespace forebay::calls
