// Work that comes from outside the graph: data that the user feeds and functions that the user wrote. Both
// run on the serial executor "python", never on compute workers; implementations take the GIL themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/operators/sample.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

struct FeedRequest {
  int64_t iteration = 0;  // batches asked for since the epoch began
  int64_t epoch = 0;
  int64_t position = 0;  // samples given since the epoch began
  int max_batch_size = 1;
};

/// Gives the data of an external_source node.
class ExternalFeed {
 public:
  virtual ~ExternalFeed() = default;

  /// One batch: result[output][sample], the same number of samples in each, at most max_batch_size.
  /// end_of_data() says that the epoch's data has ended. Calls come one after the other, in order.
  virtual Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest& request) = 0;

  /// Starts the next epoch.
  virtual Status reset() { return ok_status(); }

  /// Goes on at `next`, the request that will come next, after a session's state was restored. Feeds that
  /// answer by the request alone have nothing to do.
  virtual Status restore(const FeedRequest& /*next*/) { return ok_status(); }
};

/// What one sample gives a host function and takes from it.
struct FunctionSample {
  operators::SampleIdentity identity;
  std::vector<tensor::Tensor> inputs;
  std::vector<tensor::Tensor> outputs;  // filled by the function; as many as the node has
  Status status;                        // set by the function when this sample alone failed
};

/// The work of a python_function node. Gets all samples of a batch at once, or some of them
/// (batch_processing=False).
class HostFunction {
 public:
  virtual ~HostFunction() = default;
  virtual Status run(std::span<FunctionSample> samples) = 0;
};

}  // namespace forebay::pipeline
