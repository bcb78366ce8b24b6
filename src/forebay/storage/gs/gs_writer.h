// Writes an object of any size: a small one by one request, a large one by a resumable upload.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/gs/gs_connection.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Chunks go up in order, one at a time. Content that does not fill a chunk is copied and gathered; what is
/// appended in multiples of 256 KiB goes up from where it is. A writer that goes while its commit is under
/// way does not end it.
class GsWriter final : public ObjectWriter {
 public:
  GsWriter(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options);
  ~GsWriter() override;

  PartLimits limits() const override;
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

  /// What calls under way share with the writer.
  class State;

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace forebay::storage
