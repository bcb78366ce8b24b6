#include "forebay/fuse/writing/store_under_way.h"

#include <utility>

#include "forebay/fuse/writing/waits.h"

namespace forebay::fuse {

std::shared_ptr<StoreUnderWay> StoreUnderWay::write(const storage::ObjectAddress& address,
                                                    std::shared_ptr<const std::vector<std::byte>> content,
                                                    storage::WriteOptions options, int64_t deadline_ns) {
  std::shared_ptr<StoreUnderWay> begun(new StoreUnderWay(address));
  begun->content_ = std::move(content);
  address.store->write(address.key, *begun->content_, std::move(options), {.deadline_ns = deadline_ns},
                       [begun](Result<storage::ObjectStat> made) { begun->end(std::move(made)); });
  return begun;
}

std::shared_ptr<StoreUnderWay> StoreUnderWay::commit(const storage::ObjectAddress& address,
                                                     std::unique_ptr<storage::ObjectWriter> writer,
                                                     int64_t deadline_ns) {
  std::shared_ptr<StoreUnderWay> begun(new StoreUnderWay(address));
  begun->writer_ = std::move(writer);
  begun->writer_->commit({.deadline_ns = deadline_ns},
                         [begun](Result<storage::ObjectStat> made) { begun->end(std::move(made)); });
  return begun;
}

void StoreUnderWay::end(Result<storage::ObjectStat> made) {
  const MutexLock lock(mutex_);
  made_ = std::move(made);
  changed_.notify_all();
}

Status StoreUnderWay::wait(const storage::CallContext& context,
                           std::optional<Result<storage::ObjectStat>>* made) {
  UniqueMutexLock lock(mutex_);
  const auto is_done = [this]() FOREBAY_REQUIRES(mutex_) { return made_.has_value(); };
  FOREBAY_RETURN_IF_ERROR(wait_while_wanted(changed_, lock, context, uri_, is_done));
  *made = made_;
  return ok_status();
}

}  // namespace forebay::fuse
