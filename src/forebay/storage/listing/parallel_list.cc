#include "forebay/storage/listing/parallel_list.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <stop_token>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/run_parallel.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/list_work.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxStreams = 16;  // run_parallel() has as many threads

class ParallelList {
 public:
  ParallelList(ObjectStore& store, std::unique_ptr<ListWork> work,
               const std::function<Status(const ListPage& page)>& deliver, const CallContext& context)
      : store_(store),
        deliver_(deliver),
        context_(context),
        on_stop_(context.cancellation, [this] { stop_.request_stop(); }),
        work_(std::move(work)) {
    context_.cancellation = stop_.get_token();
  }

  /// One stream: asks for pages until there is nothing left to ask for.
  void run() {
    try {
      while (std::optional<ListPiece> piece = wait_for_piece()) {
        Status status = list_page(*std::move(piece));
        if (!status.ok()) {
          fail(std::move(status));
        }
      }
    } catch (...) {
      fail(cancelled("another stream threw"));
      throw;
    }
  }

  Status status() const {
    const MutexLock lock(mutex_);
    return first_error_;
  }

 private:
  std::optional<ListPiece> wait_for_piece() {
    UniqueMutexLock lock(mutex_);
    while (first_error_.ok()) {
      if (std::optional<ListPiece> piece = work_->next()) {
        ++under_way_;
        return piece;
      }
      if (under_way_ == 0) {
        break;
      }
      changed_.wait(lock.native());
    }
    return std::nullopt;
  }

  Status list_page(ListPiece piece) {
    if (!piece.stream) {
      piece.stream = store_.open_list(piece.request);
    }
    FOREBAY_ASSIGN_OR_RETURN(ListPage page, next_page_now(*piece.stream, context_));
    {
      const MutexLock lock(mutex_);
      work_->take(std::move(piece), page);
      --under_way_;
      changed_.notify_all();
    }
    if (page.objects.empty() && page.prefixes.empty()) {
      return ok_status();
    }
    return deliver(page);
  }

  /// Fails within the lock: no other stream delivers after an error.
  Status deliver(const ListPage& page) {
    const MutexLock lock(delivery_);
    if (stop_.stop_requested()) {
      return cancelled("the listing was stopped");
    }
    try {
      Status taken = deliver_(page);
      if (!taken.ok()) {
        fail(taken);
      }
      return taken;
    } catch (...) {
      fail(cancelled("another stream threw"));
      throw;
    }
  }

  void fail(Status status) {
    {
      const MutexLock lock(mutex_);
      first_error_.Update(std::move(status));
      changed_.notify_all();
    }
    stop_.request_stop();
  }

  ObjectStore& store_;
  const std::function<Status(const ListPage& page)>& deliver_;
  CallContext context_;
  std::stop_source stop_;
  const std::stop_callback<std::function<void()>> on_stop_;
  Mutex delivery_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  const std::unique_ptr<ListWork> work_ FOREBAY_PT_GUARDED_BY(mutex_);
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status first_error_ FOREBAY_GUARDED_BY(mutex_);
};

std::unique_ptr<ListWork> work_for(const ObjectStore& store, const ParallelListOptions& options,
                                   size_t streams) {
  ListRequest request = {.prefix = options.prefix, .names_only = options.names_only};
  const bool walks = options.with_folders || store.features().has_directories;
  return walks ? folder_walk(std::move(request))
               : key_ranges(std::move(request), streams, options.spare_pages);
}

}  // namespace

Status parallel_list(ObjectStore& store, const ParallelListOptions& options,
                     const std::function<Status(const ListPage& page)>& take, const CallContext& context) {
  const size_t streams = std::clamp<size_t>(options.streams, 1, kMaxStreams);
  ParallelList list(store, work_for(store, options, streams), take, context);
  run_parallel(streams, [&](size_t) { list.run(); });
  const Status status = list.status();
  const std::string uri = store.uri_of(options.prefix);
  return status.ok() || message(status).starts_with(uri) ? status : annotate(status, uri);
}

}  // namespace forebay::storage
