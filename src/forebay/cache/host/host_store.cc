#include "forebay/cache/host/host_store.h"

#include <utility>

#include "forebay/cache/host/host_list.h"
#include "forebay/cache/store/cached_reads.h"
#include "forebay/cache/store/object_name.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::StatCallback;

namespace {

/// Tells the daemon when the object is in place.
class TellingWriter final : public storage::ObjectWriter {
 public:
  TellingWriter(std::unique_ptr<storage::ObjectWriter> inner,
                std::function<void(const Result<ObjectStat>&)> tell)
      : inner_(std::move(inner)), tell_(std::move(tell)) {}

  storage::PartLimits limits() const override { return inner_->limits(); }
  void append(Bytes part, const CallContext& context, storage::StatusCallback done) override {
    inner_->append(part, context, std::move(done));
  }
  void commit(const CallContext& context, StatCallback done) override {
    inner_->commit(context, [tell = tell_, done = std::move(done)](Result<ObjectStat> stat) mutable {
      tell(stat);
      done(std::move(stat));
    });
  }

 private:
  const std::unique_ptr<storage::ObjectWriter> inner_;
  const std::function<void(const Result<ObjectStat>&)> tell_;
};

}  // namespace

Result<std::shared_ptr<HostStore>> HostStore::create(std::shared_ptr<HostClient> client,
                                                     std::shared_ptr<storage::ObjectStore> upstream,
                                                     OpenStore settings) {
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t store, client->open_store(std::move(settings)));
  return std::shared_ptr<HostStore>(new HostStore(std::move(client), std::move(upstream), store));
}

storage::StoreFeatures HostStore::features() const {
  storage::StoreFeatures features = inner().features();
  features.has_resident = features.has_resident || client_->is_usable();
  return features;
}

bool HostStore::is_known_there(const std::string& key, const std::string& uri) const {
  return uri.size() <= kMostNameBytes && client_->is_usable() && !may_hide_a_part(uri, key);
}

void HostStore::stat(std::string key, const CallContext& context, StatCallback done) {
  StatRequest asked = {.store = store_, .uri = uri_of(key)};
  if (!is_wanted(context)) {
    done(not_wanted(context, asked.uri));
    return;
  }
  if (!is_known_there(key, asked.uri)) {
    inner().stat(std::move(key), context, std::move(done));
    return;
  }
  client_->stat(std::move(asked), context,
                [self = shared_from_this(), key = std::move(key), context,
                 done = std::move(done)](Result<ObjectStat> stat) mutable {
                  if (is_daemon_gone(stat.status())) {
                    self->inner().stat(std::move(key), context, std::move(done));
                    return;
                  }
                  if (stat.ok()) {
                    stat->key = std::move(key);
                  }
                  done(std::move(stat));
                });
}

// Names are sent without their prefix; one to start after that lies elsewhere cannot be.
std::unique_ptr<storage::ListStream> HostStore::open_list(storage::ListRequest request) {
  std::string uri = uri_of(request.prefix);
  const bool is_sendable = (request.start_after.empty() || request.start_after.starts_with(request.prefix)) &&
                           request.start_after.size() <= kMostNameBytes &&
                           request.delimiter.size() <= kMostNameBytes;
  if (!is_sendable || !is_known_there(request.prefix, uri)) {
    return inner().open_list(std::move(request));
  }
  return std::make_unique<HostList>(client_, upstream_, store_, std::move(uri), std::move(request));
}

void HostStore::read(storage::ReadRequest request, const CallContext& context, storage::ReadCallback done) {
  HostReadRequest asked = {.store = store_,
                           .uri = uri_of(request.key),
                           .offset_bytes = request.offset_bytes,
                           .length_bytes = request.length_bytes,
                           .if_version = request.if_version,
                           .only_resident = request.only_resident};
  if (!is_wanted(context)) {
    done(not_wanted(context, asked.uri));
    return;
  }
  if (!is_known_there(request.key, asked.uri) || request.if_version.size() > kMostNameBytes) {
    inner().read(std::move(request), context, std::move(done));
    return;
  }
  const std::string uri = asked.uri;
  client_->read(std::move(asked), context,
                [self = shared_from_this(), request = std::move(request), context, uri,
                 done = std::move(done)](Result<ReadBytes> view) mutable {
                  if (is_daemon_gone(view.status())) {
                    self->inner().read(std::move(request), context, std::move(done));
                  } else if (view.ok()) {
                    done(answer_from(request, *std::move(view), uri));
                  } else {
                    done(view.status());
                  }
                });
}

// After an error it is not known what is there.
void HostStore::tell(const std::string& key, const Result<ObjectStat>& stat, Bytes content) {
  ChangedObject changed = {.store = store_, .uri = uri_of(key), .stat = std::nullopt};
  if (stat.ok()) {
    changed.stat = *stat;
  }
  client_->changed(changed, stat.ok() ? content : Bytes());
}

storage::StatCallback HostStore::telling(const std::string& key, Bytes content, StatCallback done) {
  return [self = shared_from_this(), key, content, done = std::move(done)](Result<ObjectStat> stat) mutable {
    self->tell(key, stat, content);
    done(std::move(stat));
  };
}

void HostStore::write(std::string key, Bytes content, storage::WriteOptions options,
                      const CallContext& context, StatCallback done) {
  inner().write(key, content, std::move(options), context, telling(key, content, std::move(done)));
}

Result<std::unique_ptr<storage::ObjectWriter>> HostStore::open_writer(std::string key,
                                                                      storage::WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<storage::ObjectWriter> writer,
                           inner().open_writer(key, std::move(options)));
  return std::make_unique<TellingWriter>(
      std::move(writer), [self = shared_from_this(), key = std::move(key)](const Result<ObjectStat>& stat) {
        self->tell(key, stat);
      });
}

void HostStore::remove(std::string key, const CallContext& context, storage::StatusCallback done) {
  inner().remove(key, context,
                 [self = shared_from_this(), key, done = std::move(done)](const Status& status) mutable {
                   self->tell(key, status.ok() ? not_found("removed") : status);
                   done(status);
                 });
}

void HostStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                            storage::RemoveManyCallback each) {
  inner().remove_many(
      keys, context,
      [self = shared_from_this(), keys, each = std::move(each)](size_t i, Status removed) mutable {
        self->tell(keys[i], removed.ok() ? not_found("removed") : removed);
        each(i, std::move(removed));
      });
}

void HostStore::rename(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  inner().rename(request, context,
                 [self = shared_from_this(), from = request.from,
                  done = telling(request.to, {}, std::move(done))](Result<ObjectStat> stat) mutable {
                   self->tell(from, not_found("renamed"));
                   done(std::move(stat));
                 });
}

void HostStore::copy(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  inner().copy(request, context, telling(request.to, {}, std::move(done)));
}

void HostStore::make_directory(std::string key, const CallContext& context, storage::StatusCallback done) {
  inner().make_directory(
      key, context, [self = shared_from_this(), key, done = std::move(done)](const Status& status) mutable {
        self->tell(key, status.ok() ? not_found("new") : status);  // its stat is not known
        done(status);
      });
}

void HostStore::advise(std::shared_ptr<storage::ReadPlan> plan) {
  if (client_->is_usable()) {
    client_->follow(store_, upstream_, plan);
  } else {
    inner().advise(std::move(plan));
  }
}

}  // namespace forebay::cache
