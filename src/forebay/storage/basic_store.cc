#include "forebay/storage/basic_store.h"

#include <utility>

#include "forebay/base/sync/mutex.h"

namespace forebay::storage {
namespace {

/// Starts `count` calls, each by `start(i, done)`. `each` gets their answers, never concurrently.
template <class Answer, class Each, class Start>
void start_each(size_t count, Each each, const Start& start) {
  struct Serial {
    Mutex mutex;
    Each each FOREBAY_GUARDED_BY(mutex);

    explicit Serial(Each given) : each(std::move(given)) {}
  };
  auto serial = std::make_shared<Serial>(std::move(each));
  for (size_t i = 0; i < count; ++i) {
    start(i, [serial, i](Answer answer) {
      const MutexLock lock(serial->mutex);
      serial->each(i, std::move(answer));
    });
  }
}

}  // namespace

void stat_each(ObjectStore& store, std::vector<std::string> keys, const CallContext& context,
               StatManyCallback each) {
  start_each<Result<ObjectStat>>(keys.size(), std::move(each), [&](size_t i, StatCallback done) {
    store.stat(std::move(keys[i]), context, std::move(done));
  });
}

void read_each(ObjectStore& store, std::vector<ReadRequest> requests, const CallContext& context,
               ReadManyCallback each) {
  start_each<Result<ReadBytes>>(requests.size(), std::move(each), [&](size_t i, ReadCallback done) {
    store.read(std::move(requests[i]), context, std::move(done));
  });
}

void bring_each(std::vector<BringRequest> requests, BringManyCallback each,
                absl::FunctionRef<void(BringRequest request, BringCallback done)> bring) {
  start_each<Result<BringOutcome>>(requests.size(), std::move(each), [&](size_t i, BringCallback done) {
    bring(std::move(requests[i]), std::move(done));
  });
}

void remove_each(ObjectStore& store, std::vector<std::string> keys, const CallContext& context,
                 RemoveManyCallback each) {
  start_each<Status>(keys.size(), std::move(each), [&](size_t i, StatusCallback done) {
    store.remove(std::move(keys[i]), context, [done = std::move(done)](Status removed) mutable {
      done(removed.code() == StatusCode::kNotFound ? ok_status() : std::move(removed));
    });
  });
}

void BasicStore::stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) {
  stat_each(*this, std::move(keys), context, std::move(each));
}

void BasicStore::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                           ReadManyCallback each) {
  read_each(*this, std::move(requests), context, std::move(each));
}

void BasicStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                             RemoveManyCallback each) {
  remove_each(*this, std::move(keys), context, std::move(each));
}

void BasicStore::bring_many(std::vector<BringRequest> requests, const CallContext&, BringManyCallback each) {
  for (size_t i = 0; i < requests.size(); ++i) {
    each(i, unimplemented("{}: this store keeps nothing near", uri_of(requests[i].key)));
  }
}

void BasicStore::rename(MoveRequest request, const CallContext&, StatCallback done) {
  done(unimplemented("{}: this store cannot rename", uri_of(request.from)));
}

void BasicStore::copy(MoveRequest request, const CallContext&, StatCallback done) {
  done(unimplemented("{}: this store cannot copy", uri_of(request.from)));
}

void BasicStore::make_directory(std::string key, const CallContext&, StatusCallback done) {
  done(unimplemented("{}: this store has no directories", uri_of(key)));
}

Result<ObjectAddress> BasicStore::derived(std::string_view key, std::string_view, std::string_view kind) {
  return unimplemented("{}: this store keeps no derived data (asked for '{}')", uri_of(key), kind);
}

}  // namespace forebay::storage
