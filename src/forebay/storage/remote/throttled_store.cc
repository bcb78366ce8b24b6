#include "forebay/storage/remote/throttled_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/remote/throttled_writer.h"

namespace forebay::storage {
namespace {

class ThrottledList final : public ListStream {
 public:
  ThrottledList(std::unique_ptr<ListStream> inner, std::shared_ptr<RateLimiter> limiter)
      : inner_(std::move(inner)), limiter_(std::move(limiter)) {}

  void next(const CallContext& context, ListCallback done) override {
    limiter_->pass(0, context,
                   [inner = inner_, context, done = std::move(done)](const Status& status) mutable {
                     if (status.ok()) {
                       inner->next(context, std::move(done));
                     } else {
                       done(status);
                     }
                   });
  }

 private:
  const std::shared_ptr<ListStream> inner_;
  const std::shared_ptr<RateLimiter> limiter_;
};

/// The callback of a removal in several requests; one call at a time.
class SerialRemovals {
 public:
  explicit SerialRemovals(RemoveManyCallback each) : each_(std::move(each)) {}

  void answer(size_t key, Status removed) {
    const MutexLock lock(mutex_);
    each_(key, std::move(removed));
  }
  void refuse(const ObjectStore& store, size_t first, const std::vector<std::string>& keys,
              const Status& why) {
    for (size_t i = 0; i < keys.size(); ++i) {
      answer(first + i, annotate(why, store.uri_of(keys[i])));
    }
  }

 private:
  Mutex mutex_;
  RemoveManyCallback each_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace

ThrottledStore::ThrottledStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<RateLimiter> limiter)
    : ForwardingStore(inner), store_(std::move(inner)), limiter_(std::move(limiter)) {
}

template <class Done, class Start>
void ThrottledStore::pass(std::string uri, uint64_t bytes, const CallContext& context, Done done,
                          Start start) {
  limiter_->pass(bytes, context,
                 [store = store_, uri = std::move(uri), done = std::move(done),
                  start = std::move(start)](const Status& status) mutable {
                   if (status.ok()) {
                     start(*store, std::move(done));
                   } else {
                     done(annotate(status, uri));
                   }
                 });
}

void ThrottledStore::stat(std::string key, const CallContext& context, StatCallback done) {
  std::string uri = uri_of(key);
  pass(std::move(uri), 0, context, std::move(done),
       [key = std::move(key), context](ObjectStore& store, StatCallback next) mutable {
         store.stat(std::move(key), context, std::move(next));
       });
}

std::unique_ptr<ListStream> ThrottledStore::open_list(ListRequest request) {
  return std::make_unique<ThrottledList>(store_->open_list(std::move(request)), limiter_);
}

void ThrottledStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  if (request.only_resident) {
    store_->read(std::move(request), context, std::move(done));
    return;
  }
  const uint64_t expected = request.length_bytes == kToEnd ? 0 : request.length_bytes;
  std::string uri = uri_of(request.key);
  pass(std::move(uri), expected, context, std::move(done),
       [request = std::move(request), context, expected, limiter = limiter_](ObjectStore& store,
                                                                             ReadCallback next) mutable {
         store.read(std::move(request), context,
                    [expected, limiter, next = std::move(next)](Result<ReadBytes> read) mutable {
                      limiter->correct(expected, read.ok() ? read->size_bytes() : 0);
                      next(std::move(read));
                    });
       });
}

void ThrottledStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                           StatCallback done) {
  std::string uri = uri_of(key);
  pass(std::move(uri), content.size(), context, std::move(done),
       [key = std::move(key), content, options = std::move(options), context, limiter = limiter_](
           ObjectStore& store, StatCallback next) mutable {
         store.write(
             std::move(key), content, std::move(options), context,
             [limiter, size = content.size(), next = std::move(next)](Result<ObjectStat> stat) mutable {
               limiter->correct(size, size);
               next(std::move(stat));
             });
       });
}

Result<std::unique_ptr<ObjectWriter>> ThrottledStore::open_writer(std::string key, WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<ObjectWriter> writer,
                           store_->open_writer(std::move(key), std::move(options)));
  return throttled_writer(std::move(writer), limiter_);
}

void ThrottledStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  std::string uri = uri_of(key);
  pass(std::move(uri), 0, context, std::move(done),
       [key = std::move(key), context](ObjectStore& store, StatusCallback next) mutable {
         store.remove(std::move(key), context, std::move(next));
       });
}

// One request removes some of the keys, so it waits for its turn with them.
void ThrottledStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                                 RemoveManyCallback each) {
  const size_t at_once = store_->features().removed_at_once;
  if (at_once <= 1) {
    remove_each(*this, std::move(keys), context, std::move(each));
    return;
  }
  auto serial = std::make_shared<SerialRemovals>(std::move(each));
  for (size_t first = 0; first < keys.size(); first += at_once) {
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
    const size_t count = std::min(at_once, keys.size() - first);
    std::vector<std::string> some(std::make_move_iterator(begin),
                                  std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
    limiter_->pass(
        0, context,
        [store = store_, serial, first, some = std::move(some), context](const Status& status) mutable {
          if (!status.ok()) {
            serial->refuse(*store, first, some, status);
            return;
          }
          store->remove_many(std::move(some), context, [serial, first](size_t i, Status removed) {
            serial->answer(first + i, std::move(removed));
          });
        });
  }
}

void ThrottledStore::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  std::string uri = uri_of(request.from);
  pass(std::move(uri), 0, context, std::move(done),
       [request = std::move(request), context](ObjectStore& store, StatCallback next) mutable {
         store.rename(std::move(request), context, std::move(next));
       });
}

void ThrottledStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  std::string uri = uri_of(request.from);
  pass(std::move(uri), 0, context, std::move(done),
       [request = std::move(request), context](ObjectStore& store, StatCallback next) mutable {
         store.copy(std::move(request), context, std::move(next));
       });
}

}  // namespace forebay::storage
