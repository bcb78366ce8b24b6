#include "forebay/cache/journal/write_back_store.h"

#include <utility>

#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/journal/pending_list.h"
#include "forebay/cache/journal/write_back_writer.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/range.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::StatCallback;

storage::StoreFeatures WriteBackStore::features() const {
  storage::StoreFeatures features = inner().features();
  features.has_resident = true;
  features.acknowledges_early = true;
  return features;
}

bool WriteBackStore::is_named(const std::string& key, const std::string& uri) const {
  return !key.ends_with('/') && uri.size() <= kMaxJournalNameBytes && !may_hide_a_part(uri, key);
}

std::string WriteBackStore::store_version(const std::string& version) const {
  const std::optional<StoredVersion> stored = journal_->stored(version);
  return stored ? stored->version : version;
}

// A folder of a store that has folders exists once something below it waits.
void WriteBackStore::stat(std::string key, const CallContext& context, StatCallback done) {
  const std::string uri = uri_of(key);
  if (!is_wanted(context)) {
    done(not_wanted(context, uri));
    return;
  }
  if (const JournalEntryRef entry = journal_->newest(uri)) {
    done(entry->stat(std::move(key)));
    return;
  }
  const bool is_folder = key.ends_with('/') && inner().features().has_directories;
  if (!is_folder || journal_->list(uri).empty()) {
    inner().stat(std::move(key), context, std::move(done));
    return;
  }
  inner().stat(key, context, [key, done = std::move(done)](Result<ObjectStat> stat) mutable {
    if (stat.status().code() == StatusCode::kNotFound) {
      stat = ObjectStat{.key = key};
    }
    done(std::move(stat));
  });
}

std::unique_ptr<storage::ListStream> WriteBackStore::open_list(storage::ListRequest request) {
  const std::string uri = uri_of(request.prefix);
  std::vector<ObjectStat> waiting;
  for (const JournalEntryRef& entry : journal_->list(uri)) {
    waiting.push_back(entry->stat(request.prefix + entry->uri().substr(uri.size())));
  }
  std::unique_ptr<storage::ListStream> inner_list = inner().open_list(request);
  return waiting.empty()
             ? std::move(inner_list)
             : std::make_unique<PendingList>(std::move(inner_list), std::move(waiting), std::move(request));
}

void WriteBackStore::read(storage::ReadRequest request, const CallContext& context,
                          storage::ReadCallback done) {
  const std::string uri = uri_of(request.key);
  if (!is_wanted(context)) {
    done(not_wanted(context, uri));
    return;
  }
  const JournalEntryRef newest = journal_->newest(uri);
  if (newest && (request.if_version.empty() || request.if_version == newest->version())) {
    read_from_journal(newest, std::move(request), context, std::move(done));
    return;
  }
  if (newest && journal_->with_version(uri, request.if_version)) {
    done(storage::version_changed(uri, request.if_version, newest->version()));
    return;
  }
  if (newest && !journal_->stored(request.if_version)) {
    // The store may have another version, or none yet.
    done = [uri, asked = request.if_version, found = newest->version(),
            done = std::move(done)](Result<ReadBytes> read) mutable {
      const bool is_other = read.status().code() == StatusCode::kNotFound;
      done(is_other ? storage::version_changed(uri, asked, found) : std::move(read));
    };
  }
  read_stored(std::move(request), context, std::move(done));
}

// An entry whose file has gone was stored in this moment.
void WriteBackStore::read_from_journal(const JournalEntryRef& entry, storage::ReadRequest request,
                                       const CallContext& context, storage::ReadCallback done) {
  const Result<uint64_t> length = storage::range_length(request, entry->size_bytes(), entry->uri());
  if (!length.ok()) {
    done(length.status());
    return;
  }
  Result<ReadBytes> view = entry->view(request.offset_bytes, *length);
  if (view.status().code() == StatusCode::kNotFound) {
    request.if_version = entry->version();
    read_stored(std::move(request), context, std::move(done));
    return;
  }
  done(view.ok() ? answer_from(request, *std::move(view), entry->uri())
                 : annotate(view.status(), entry->uri()));
}

void WriteBackStore::read_stored(storage::ReadRequest request, const CallContext& context,
                                 storage::ReadCallback done) {
  const std::optional<StoredVersion> stored =
      request.if_version.empty() ? std::nullopt : journal_->stored(request.if_version);
  if (!stored) {
    inner().read(std::move(request), context, std::move(done));
    return;
  }
  const std::string uri = uri_of(request.key);
  if (stored->uri != uri && stored->uri.starts_with(uri)) {
    request.key += stored->uri.substr(uri.size());  // it was kept beside the object
  }
  std::string asked = std::exchange(request.if_version, stored->version);
  inner().read(std::move(request), context,
               [asked = std::move(asked), done = std::move(done)](Result<ReadBytes> read) mutable {
                 if (read.ok()) {
                   read->version = std::move(asked);
                 }
                 done(std::move(read));
               });
}

// What waits is near.
void WriteBackStore::bring_many(std::vector<storage::BringRequest> requests, const CallContext& context,
                                storage::BringManyCallback each) {
  if (!inner().features().can_bring) {
    inner().bring_many(std::move(requests), context, std::move(each));
    return;
  }
  std::vector<storage::BringRequest> left;
  std::vector<size_t> places;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (journal_->with_version(uri_of(requests[i].key), requests[i].version)) {
      each(i, storage::BringOutcome::kWasThere);
      continue;
    }
    requests[i].version = store_version(requests[i].version);
    left.push_back(std::move(requests[i]));
    places.push_back(i);
  }
  if (!left.empty()) {
    inner().bring_many(std::move(left), context,
                       [places = std::move(places), each = std::move(each)](
                           size_t i, Result<storage::BringOutcome> outcome) mutable {
                         each(places[i], std::move(outcome));
                       });
  }
}

std::optional<std::string> WriteBackStore::local_file(std::string_view key) const {
  return journal_->newest(uri_of(key)) ? std::nullopt : inner().local_file(key);
}

Result<std::unique_ptr<storage::ObjectWriter>> WriteBackStore::open_writer(std::string key,
                                                                           storage::WriteOptions options) {
  std::string uri = uri_of(key);
  const bool is_journalled = !use_.mount.empty() && is_named(key, uri);
  return std::make_unique<WriteBackWriter>(WriteBackWriter::Place{.inner = shared_inner(),
                                                                  .upstream = upstream_,
                                                                  .journal = journal_,
                                                                  .use = use_,
                                                                  .key = std::move(key),
                                                                  .uri = std::move(uri)},
                                           std::move(options), is_journalled);
}

void WriteBackStore::write(std::string key, Bytes content, storage::WriteOptions options,
                           const CallContext& context, StatCallback done) {
  const std::string uri = uri_of(key);
  if (!is_wanted(context)) {
    done(not_wanted(context, uri));
    return;
  }
  Result<std::unique_ptr<storage::ObjectWriter>> opened = open_writer(std::move(key), std::move(options));
  if (!opened.ok()) {
    done(opened.status());
    return;
  }
  const std::shared_ptr<storage::ObjectWriter> writer = *std::move(opened);
  writer->append(content, context, [writer, context, done = std::move(done)](const Status& status) mutable {
    if (!status.ok()) {
      done(status);
      return;
    }
    writer->commit(context, [writer, done = std::move(done)](Result<ObjectStat> stat) mutable {
      done(std::move(stat));
    });
  });
}

void WriteBackStore::when_stored(const std::string& from, const std::string& to, const CallContext& context,
                                 storage::StatusCallback done) {
  journal_->when_stored(
      uri_of(from), context,
      [journal = journal_, to = uri_of(to), context, done = std::move(done)](const Status& status) mutable {
        if (status.ok()) {
          journal->when_stored(to, context, std::move(done));
        } else {
          done(status);
        }
      });
}

void WriteBackStore::remove(std::string key, const CallContext& context, storage::StatusCallback done) {
  journal_->when_stored(
      uri_of(key), context,
      [inner = shared_inner(), key, context, done = std::move(done)](const Status& status) mutable {
        if (status.ok()) {
          inner->remove(std::move(key), context, std::move(done));
        } else {
          done(status);
        }
      });
}

// Many at once where nothing waits.
void WriteBackStore::remove_many(std::vector<std::string> keys, const CallContext& context,
                                 storage::RemoveManyCallback each) {
  for (const std::string& key : keys) {
    if (journal_->newest(uri_of(key))) {
      storage::remove_each(*this, std::move(keys), context, std::move(each));
      return;
    }
  }
  inner().remove_many(std::move(keys), context, std::move(each));
}

void WriteBackStore::move_stored(Move move, storage::MoveRequest request, const CallContext& context,
                                 StatCallback done) {
  when_stored(request.from, request.to, context,
              [inner = shared_inner(), move, request, context, done = std::move(done),
               journal = journal_](const Status& status) mutable {
                if (!status.ok()) {
                  done(status);
                  return;
                }
                const std::optional<StoredVersion> stored = journal->stored(request.if_version);
                request.if_version = stored ? stored->version : request.if_version;
                (*inner.*move)(std::move(request), context, std::move(done));
              });
}

void WriteBackStore::settle(std::string key, const CallContext& context, storage::StatusCallback done) {
  journal_->when_stored(uri_of(key), context, std::move(done));
}

void WriteBackStore::rename(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  move_stored(&storage::ObjectStore::rename, std::move(request), context, std::move(done));
}

void WriteBackStore::copy(storage::MoveRequest request, const CallContext& context, StatCallback done) {
  move_stored(&storage::ObjectStore::copy, std::move(request), context, std::move(done));
}

}  // namespace forebay::cache
