#include <algorithm>
#include <future>
#include <utility>

#include "forebay/cache/preload/preload_source.h"

namespace forebay::cache {
namespace {

class ListedSource final : public PreloadSource {
 public:
  ListedSource(std::shared_ptr<storage::ObjectStore> store, std::string prefix, std::string start_after)
      : store_(std::move(store)),
        listing_(store_->open_list({.prefix = std::move(prefix), .start_after = std::move(start_after)})) {}

  Result<PreloadBatch> next(const storage::CallContext& context) override {
    PreloadBatch batch;
    batch.store = store_;
    while (!batch.is_full()) {
      if (place_ == page_.objects.size()) {
        if (page_.is_last) {
          break;
        }
        FOREBAY_RETURN_IF_ERROR(turn_page(context));
        continue;
      }
      storage::ObjectStat& object = page_.objects[place_];
      if (!batch.requests.empty() && batch.bytes + object.size_bytes > PreloadBatch::kMaxBytes) {
        break;
      }
      batch.mark = object.key;
      batch.bytes += object.size_bytes;
      batch.requests.push_back({.key = std::move(object.key),
                                .version = std::move(object.version),
                                .object_bytes = object.size_bytes});
      ++place_;
    }
    return batch;
  }
  uint64_t known_objects() const override { return listed_; }

 private:
  Status turn_page(const storage::CallContext& context) {
    std::promise<Result<storage::ListPage>> come;
    std::future<Result<storage::ListPage>> page = come.get_future();
    listing_->next(context, [&](Result<storage::ListPage> result) { come.set_value(std::move(result)); });
    FOREBAY_ASSIGN_OR_RETURN(page_, page.get());
    place_ = 0;
    listed_ += page_.objects.size();
    return ok_status();
  }

  const std::shared_ptr<storage::ObjectStore> store_;
  const std::unique_ptr<storage::ListStream> listing_;
  storage::ListPage page_;
  size_t place_ = 0;  // of the next object in the page
  uint64_t listed_ = 0;
};

}  // namespace

uint64_t bytes_of(const storage::BringRequest& request) {
  const uint64_t left = request.object_bytes - std::min(request.offset_bytes, request.object_bytes);
  return std::min(request.length_bytes, left);
}

std::unique_ptr<PreloadSource> listed_source(std::shared_ptr<storage::ObjectStore> store, std::string prefix,
                                             std::string start_after) {
  return std::make_unique<ListedSource>(std::move(store), std::move(prefix), std::move(start_after));
}

}  // namespace forebay::cache
