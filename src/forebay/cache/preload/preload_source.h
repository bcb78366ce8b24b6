// What a preload brings, in its order, as a stream: ten million objects take the memory of a page.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// What is asked for together.
struct PreloadBatch {
  static constexpr size_t kMaxObjects = 128;
  static constexpr uint64_t kMaxBytes = uint64_t{4} << 20;  // an object that is larger is alone

  std::shared_ptr<storage::ObjectStore> store;
  std::vector<storage::BringRequest> requests;
  uint64_t bytes = 0;
  std::string mark;  // what follows this batch follows the mark

  bool is_full() const { return requests.size() >= kMaxObjects || bytes >= kMaxBytes; }
};

/// The bytes of one request.
uint64_t bytes_of(const storage::BringRequest& request);

/// One thread at a time.
class PreloadSource {
 public:
  virtual ~PreloadSource() = default;
  /// The next batch; one without requests at the end. Blocks.
  virtual Result<PreloadBatch> next(const storage::CallContext& context) = 0;
  /// How many objects there are in all, as far as is known now.
  virtual uint64_t known_objects() const = 0;
};

/// The objects whose keys begin with `prefix`, by name, behind `start_after` if it is not empty. A mark is a
/// key.
std::unique_ptr<PreloadSource> listed_source(std::shared_ptr<storage::ObjectStore> store, std::string prefix,
                                             std::string start_after);

}  // namespace forebay::cache
