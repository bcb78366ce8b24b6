// Work from outside the graph: data that the user feeds and functions that the user wrote. Both run on the
// serial executor "python", never on compute workers; implementations take the GIL themselves.
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
  int64_t iteration = 0;  // batches requested since the epoch began
  int64_t epoch = 0;
  int64_t position = 0;  // samples delivered by the feed since the epoch began
  int max_batch_size = 1;
};

/// Supplies the data of an external_source node.
class ExternalFeed {
 public:
  virtual ~ExternalFeed() = default;

  /// Returns one batch: result[output][sample], with the same number of samples for each output, at most
  /// max_batch_size. end_of_data() means that the epoch's data has ended. Calls are made one at a time, in
  /// order.
  virtual Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest& request) = 0;

  /// Starts the next epoch.
  virtual Status reset() { return ok_status(); }

  /// Whether what it gives next follows what it gave last, whatever is asked for and whether or not an epoch
  /// ended between. What such a feed gave when another one's data ended is kept for the next request.
  virtual bool keeps_its_place() const { return false; }

  /// Continues at `next`, the next request to come, after a session's state was restored. Feeds that depend
  /// only on the request need do nothing.
  virtual Status restore(const FeedRequest& /*next*/) { return ok_status(); }
};

/// The inputs and outputs of a host function for one sample.
struct FunctionSample {
  operators::SampleIdentity identity;
  std::vector<tensor::Tensor> inputs;
  std::vector<tensor::Tensor> outputs;  // filled in by the function; as many as the node has
  Status status;                        // set by the function if only this sample failed
};

/// The work of a python_function node. Gets all samples of a batch at once, or some of them
/// (batch_processing=False).
class HostFunction {
 public:
  virtual ~HostFunction() = default;
  virtual Status run(std::span<FunctionSample> samples) = 0;
};

}  // namespace forebay::pipeline
