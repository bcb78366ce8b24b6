#include "forebay/cache/client/host_store.h"

#include <utility>

#include "forebay/cache/client/bring_from_host.h"
#include "forebay/cache/client/host_list.h"
#include "forebay/cache/client/telling_writer.h"
#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/store/side_data.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/remote/while_wanted.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::StatCallback;

namespace {

/// Whether the daemon can be asked about an object. Not where its URI leaves out a part of its key, such as
/// a query that may be secret: the daemon would take another object for it.
bool is_known_by(const std::string& uri, const std::string& key) {
  return uri.size() <= kMaxNameBytes && !may_hide_a_part(uri, key);
}

void send_change(const StoreAtHost::Place& there, std::string uri, const Result<ObjectStat>& stat,
                 Bytes content, uint64_t draft) {
  ChangedObject changed = {.store = there.store, .uri = std::move(uri), .stat = std::nullopt, .draft = draft};
  if (stat.ok()) {
    changed.stat = *stat;
  }
  there.client->changed(changed, stat.ok() ? content : Bytes());
}

}  // namespace

std::shared_ptr<HostStore> HostStore::create(std::shared_ptr<HostConnector> host,
                                             std::shared_ptr<storage::ObjectStore> upstream,
                                             OpenStore settings) {
  auto at_host = std::make_shared<const StoreAtHost>(std::move(host), std::move(settings));
  return std::shared_ptr<HostStore>(new HostStore(std::move(at_host), std::move(upstream)));
}

Result<std::shared_ptr<HostStore>> HostStore::create(std::shared_ptr<HostClient> client,
                                                     std::shared_ptr<storage::ObjectStore> upstream,
                                                     OpenStore settings) {
  if (!client->is_usable()) {
    return daemon_gone();
  }
  return create(std::make_shared<HostConnector>(std::move(client)), std::move(upstream), std::move(settings));
}

bool HostStore::is_served() const {
  if (!host_->is_sendable()) {
    return false;
  }
  host_->host().settle();
  return host_->host().client() != nullptr;
}

// Whoever is told that the call has ended is told nothing else, so it may forget what it gave.
void HostStore::when_settled(const CallContext& context, std::string_view key, Go go) const {
  if (host_->host().is_settled()) {
    go(ok_status());
    return;
  }
  absl::AnyInvocable<void(Result<bool>)> wait = storage::while_wanted<bool>(
      context, uri_of(key),
      [go = std::move(go)](const Result<bool>& settled) mutable { go(settled.status()); });
  host_->host().once_settled([wait = std::move(wait)]() mutable { wait(true); });
}

storage::StoreFeatures HostStore::features() const {
  storage::StoreFeatures features = inner().features();
  features.can_bring = is_served();
  features.has_resident = features.has_resident || features.can_bring;
  return features;
}

void HostStore::stat(std::string key, const CallContext& context, StatCallback done) {
  StatRequest asked = {.uri = uri_of(key)};
  if (!is_wanted(context)) {
    done(not_wanted(context, asked.uri));
    return;
  }
  if (!host_->host().is_settled()) {
    when_settled(
        context, key,
        [self = shared_from_this(), key, context, done = std::move(done)](const Status& status) mutable {
          status.ok() ? self->stat(std::move(key), context, std::move(done)) : done(status);
        });
    return;
  }
  const StoreAtHost::Place there = host_->now();
  if (!there.client || !is_known_by(asked.uri, key)) {
    inner().stat(std::move(key), context, std::move(done));
    return;
  }
  asked.store = there.store;
  there.client->stat(std::move(asked), context,
                     [self = shared_from_this(), key = std::move(key), context,
                      done = std::move(done)](Result<ObjectStat> stat) mutable {
                       if (is_cache_trouble(stat.status())) {
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
                           request.start_after.size() <= kMaxNameBytes &&
                           request.delimiter.size() <= kMaxNameBytes;
  if (!is_sendable || !is_known_by(uri, request.prefix)) {
    return inner().open_list(std::move(request));
  }
  return std::make_unique<HostList>(host_, shared_inner(), std::move(uri), std::move(request));
}

void HostStore::read(storage::ReadRequest request, const CallContext& context, storage::ReadCallback done) {
  HostReadRequest asked = {.uri = uri_of(request.key),
                           .offset_bytes = request.offset_bytes,
                           .length_bytes = request.length_bytes,
                           .if_version = request.if_version,
                           .object_bytes = request.object_bytes,
                           .only_resident = request.only_resident,
                           .wants_file = request.wants_file};
  if (!is_wanted(context)) {
    done(not_wanted(context, asked.uri));
    return;
  }
  if (!host_->host().is_settled()) {
    const std::string key = request.key;
    when_settled(context, key,
                 [self = shared_from_this(), request = std::move(request), context,
                  done = std::move(done)](const Status& status) mutable {
                   status.ok() ? self->read(std::move(request), context, std::move(done)) : done(status);
                 });
    return;
  }
  const StoreAtHost::Place there = host_->now();
  if (!there.client || !is_known_by(asked.uri, request.key) || request.if_version.size() > kMaxNameBytes) {
    inner().read(std::move(request), context, std::move(done));
    return;
  }
  const std::string uri = asked.uri;
  asked.store = there.store;
  there.client->read(std::move(asked), context,
                     [self = shared_from_this(), request = std::move(request), context, uri,
                      done = std::move(done)](Result<ReadBytes> view) mutable {
                       if (is_cache_trouble(view.status())) {
                         self->inner().read(std::move(request), context, std::move(done));
                       } else if (view.ok()) {
                         done(answer_from(request, *std::move(view), uri));
                       } else {
                         done(view.status());
                       }
                     });
}

std::optional<std::string> HostStore::local_file(std::string_view key) const {
  return is_served() ? std::nullopt : inner().local_file(key);
}

void HostStore::bring_many(std::vector<storage::BringRequest> requests, const CallContext& context,
                           storage::BringManyCallback each) {
  host_->host().once_settled([self = shared_from_this(), requests = std::move(requests), context,
                              each = std::move(each)]() mutable {
    bring_from_host(self->host_->now(), self->shared_inner(), std::move(requests), context, std::move(each));
  });
}

// After an error it is not known what is there.
void HostStore::tell(const std::string& key, const Result<ObjectStat>& stat, Bytes content) {
  if (!host_->host().is_settled()) {  // the content does not stay that long
    host_->host().once_settled([self = shared_from_this(), key, stat] { self->tell(key, stat); });
    return;
  }
  if (const StoreAtHost::Place there = host_->now(); there.client) {
    send_change(there, uri_of(key), stat, content, 0);
  }
}

storage::StatCallback HostStore::telling(const std::string& key, Bytes content, StatCallback done) {
  return [self = shared_from_this(), key, content, done = std::move(done)](Result<ObjectStat> stat) mutable {
    self->tell(key, stat, content);
    done(std::move(stat));
  };
}

void HostStore::write(std::string key, Bytes content, storage::WriteOptions options,
                      const CallContext& context, StatCallback done) {
  if (!host_->host().is_settled()) {
    when_settled(context, key,
                 [self = shared_from_this(), key, content, options = std::move(options), context,
                  done = std::move(done)](const Status& status) mutable {
                   status.ok()
                       ? self->write(std::move(key), content, std::move(options), context, std::move(done))
                       : done(status);
                 });
    return;
  }
  if (content.size() <= HostClient::kMaxGivenBytes) {
    inner().write(key, content, std::move(options), context, telling(key, content, std::move(done)));
    return;
  }
  auto draft = std::make_shared<HostDraft>(host_->now(), uri_of(key));
  TellWritten tell = telling_draft(key, draft->host());
  write_and_tell(inner(), std::move(draft), key, content, std::move(options), context, std::move(tell),
                 std::move(done));
}

TellWritten HostStore::telling_draft(const std::string& key, StoreAtHost::Place host) {
  return [self = shared_from_this(), key, host = std::move(host)](const Result<ObjectStat>& stat,
                                                                  uint64_t draft) {
    if (draft != 0 && host.client->is_usable()) {
      send_change(host, self->uri_of(key), stat, {}, draft);
    } else {
      self->tell(key, stat);
    }
  };
}

Result<std::unique_ptr<storage::ObjectWriter>> HostStore::open_writer(std::string key,
                                                                      storage::WriteOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<storage::ObjectWriter> writer,
                           inner().open_writer(key, std::move(options)));
  host_->host().settle();
  auto draft = std::make_shared<HostDraft>(host_->now(), uri_of(key));
  TellWritten tell = telling_draft(key, draft->host());
  return make_telling_writer(std::move(writer), std::move(draft), std::move(tell));
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

// Whoever follows plans upstream does without this one, should the daemon go; it comes back.
void HostStore::advise(std::shared_ptr<storage::ReadPlan> plan) {
  host_->host().once_settled([self = shared_from_this(), plan] {
    if (!self->host_->host().client()) {
      self->inner().advise(plan);
    }
    self->host_->host().follow(
        plan, [weak = self->weak_from_this()](HostClient& client,
                                              const std::shared_ptr<storage::ReadPlan>& followed) {
          if (const std::shared_ptr<HostStore> alive = weak.lock()) {
            const StoreAtHost::Place there = alive->host_->on(client.shared_from_this());
            if (there.client) {
              client.follow(there.store, alive->shared_inner(), followed);
            }
          }
        });
  });
}

// Under the number of this store: the daemon knows side data by its URI.
Result<storage::ObjectAddress> HostStore::derived(std::string_view key, std::string_view version,
                                                  std::string_view kind) {
  if (!is_served()) {
    return inner().derived(key, version, kind);
  }
  return side_address(std::shared_ptr<HostStore>(new HostStore(host_, side_upstream())), *this, key, version,
                      kind);
}

}  // namespace forebay::cache
