#include "forebay/cache/journal/waiting_guard.h"

#include "forebay/cache/journal/journal.h"

namespace forebay::cache {
namespace {

class RefusedList final : public storage::ListStream {
 public:
  explicit RefusedList(Status why) : why_(std::move(why)) {}
  void next(const storage::CallContext&, storage::ListCallback done) override { done(why_); }

 private:
  const Status why_;
};

}  // namespace

Status WaitingGuard::check(const std::string& uri, bool is_prefix) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(update_waiting(*files_, journal_, &uris_));
  for (const auto& [file, waiting] : uris_) {
    if (waiting == uri || (is_prefix && waiting.starts_with(uri))) {
      return unavailable(
          "{}: {} was written and waits in {} to be stored, and no daemon answered that shows it; one is "
          "started by whatever opens the mount next, or by `forebay daemon --background`",
          uri, waiting, journal_);
    }
  }
  return ok_status();
}

void WaitingGuard::stat(std::string key, const storage::CallContext& context, storage::StatCallback done) {
  if (const Status waiting = check(uri_of(key), false); !waiting.ok()) {
    done(waiting);
    return;
  }
  inner().stat(std::move(key), context, std::move(done));
}

void WaitingGuard::read(storage::ReadRequest request, const storage::CallContext& context,
                        storage::ReadCallback done) {
  if (const Status waiting = check(uri_of(request.key), false); !waiting.ok()) {
    done(waiting);
    return;
  }
  inner().read(std::move(request), context, std::move(done));
}

std::unique_ptr<storage::ListStream> WaitingGuard::open_list(storage::ListRequest request) {
  const Status waiting = check(uri_of(request.prefix), true);
  return waiting.ok() ? inner().open_list(std::move(request)) : std::make_unique<RefusedList>(waiting);
}

}  // namespace forebay::cache
