#include "forebay/cache/client/written_at_host.h"

#include <algorithm>
#include <utility>

#include "forebay/cache/entries/object_name.h"

namespace forebay::cache {

using storage::CallContext;
using storage::MoveRequest;
using storage::ObjectStat;
using storage::StatCallback;
using storage::StatusCallback;

namespace {

constexpr size_t kMaxGivenAtOnce = size_t{8} << 20;  // so much is in memory twice

/// Gives an object to the daemon. Nobody waits for what is still under way when it goes.
class GivingWriter final : public storage::ObjectWriter {
 public:
  GivingWriter(std::shared_ptr<HostClient> client, uint64_t number, std::string key, std::string uri)
      : given_(std::make_shared<Given>(Given{std::move(client), number, std::move(key), std::move(uri)})) {}
  ~GivingWriter() override {
    if (!is_committed_) {
      given_->client->drop_write(given_->number);
    }
  }

  storage::PartLimits limits() const override { return {.best_bytes = kMaxGivenAtOnce}; }
  void append(Bytes part, const CallContext& context, StatusCallback done) override {
    if (!given_->failure.ok()) {
      done(given_->failure);
      return;
    }
    give(given_, part, context, [given = given_, done = std::move(done)](const Status& status) mutable {
      given->failure = status;
      done(status);
    });
  }
  void commit(const CallContext& context, StatCallback done) override {
    if (!given_->failure.ok()) {
      done(given_->failure);
      return;
    }
    is_committed_ = true;
    given_->client->commit_write(given_->number, given_->uri, context,
                                 [given = given_, done = std::move(done)](Result<ObjectStat> stat) mutable {
                                   if (stat.ok()) {
                                     stat->key = given->key;
                                   }
                                   done(std::move(stat));
                                 });
  }

 private:
  struct Given {
    std::shared_ptr<HostClient> client;
    uint64_t number;
    std::string key;
    std::string uri;
    Status failure = {};  // of an append; the daemon may not know of it
  };

  static void give(const std::shared_ptr<Given>& given, Bytes part, const CallContext& context,
                   StatusCallback done) {
    if (part.empty()) {
      done(ok_status());
      return;
    }
    const Bytes first = part.first(std::min(part.size(), kMaxGivenAtOnce));
    given->client->write_part(given->number, given->uri, first, context,
                              [given, rest = part.subspan(first.size()), context,
                               done = std::move(done)](const Status& status) mutable {
                                if (status.ok()) {
                                  give(given, rest, context, std::move(done));
                                } else {
                                  done(status);
                                }
                              });
  }

  const std::shared_ptr<Given> given_;
  bool is_committed_ = false;
};

}  // namespace

WritingHost WrittenAtHost::host_for(const std::string& key) const {
  const std::string uri = uri_of(key);
  const bool is_known_there = uri.size() <= kMaxNameBytes && !may_hide_a_part(uri, key);
  WritingHost host = is_known_there ? find_() : WritingHost();
  return host.client && host.client->is_usable() ? std::move(host) : WritingHost();
}

Result<std::unique_ptr<storage::ObjectWriter>> WrittenAtHost::open_at(
    WritingHost host, const std::string& key, const storage::WriteOptions& options) const {
  const std::string uri = uri_of(key);
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t number, host.client->begin_write({.store = host.store,
                                                                            .uri = uri,
                                                                            .if_version = options.if_version,
                                                                            .if_absent = options.if_absent}));
  return std::make_unique<GivingWriter>(std::move(host.client), number, key, uri);
}

Result<std::unique_ptr<storage::ObjectWriter>> WrittenAtHost::open_writer(std::string key,
                                                                          storage::WriteOptions options) {
  WritingHost host = host_for(key);
  if (!host.client) {
    return inner().open_writer(std::move(key), std::move(options));
  }
  Result<std::unique_ptr<storage::ObjectWriter>> writer = open_at(std::move(host), key, options);
  return is_cache_trouble(writer.status()) ? inner().open_writer(std::move(key), std::move(options))
                                           : std::move(writer);
}

// Should the daemon go after it has acknowledged the object, and before that is heard here, the next one
// finds the same bytes at the store.
void WrittenAtHost::write(std::string key, Bytes content, storage::WriteOptions options,
                          const CallContext& context, StatCallback done) {
  auto through = [inner = shared_inner(), key, content, options, context](StatCallback end) {
    inner->write(key, content, options, context, std::move(end));
  };
  WritingHost host = host_for(key);
  Result<std::unique_ptr<storage::ObjectWriter>> opened =
      host.client ? open_at(std::move(host), key, options) : unavailable("no daemon");
  if (!opened.ok()) {
    through(std::move(done));
    return;
  }
  const std::shared_ptr<storage::ObjectWriter> writer = *std::move(opened);
  writer->append(
      content, context, [writer, context, through, done = std::move(done)](const Status& given) mutable {
        if (is_cache_trouble(given)) {
          through(std::move(done));
        } else if (!given.ok()) {
          done(given);
        } else {
          writer->commit(context, [writer, through, done = std::move(done)](Result<ObjectStat> stat) mutable {
            if (is_cache_trouble(stat.status())) {
              through(std::move(done));
            } else {
              done(std::move(stat));
            }
          });
        }
      });
}

void WrittenAtHost::move_directly(ChangeKind kind, MoveRequest request, const CallContext& context,
                                  StatCallback done) {
  auto gone = [done = std::move(done)](const Status& status) mutable {
    done(status.ok() ? Result<ObjectStat>(ObjectStat()) : status);
  };
  switch (kind) {
    case ChangeKind::kRemove:
      inner().remove(std::move(request.from), context, std::move(gone));
      break;
    case ChangeKind::kMakeDirectory:
      inner().make_directory(std::move(request.from), context, std::move(gone));
      break;
    case ChangeKind::kSettle:
      inner().settle(std::move(request.from), context, std::move(gone));
      break;
    default:
      break;
  }
}

void WrittenAtHost::move(ChangeKind kind, MoveRequest request, const CallContext& context,
                         StatCallback done) {
  const bool has_target = kind == ChangeKind::kRename || kind == ChangeKind::kCopy;
  auto directly = [self = shared_from_this(), kind, request, context](StatCallback end) {
    if (kind == ChangeKind::kRename) {
      self->inner().rename(request, context, std::move(end));
    } else if (kind == ChangeKind::kCopy) {
      self->inner().copy(request, context, std::move(end));
    } else {
      self->move_directly(kind, request, context, std::move(end));
    }
  };
  const WritingHost host = host_for(request.from);
  if (!host.client || (has_target && !host_for(request.to).client)) {
    directly(std::move(done));
    return;
  }
  HostChange change = {.store = host.store,
                       .kind = kind,
                       .uri = uri_of(request.from),
                       .to = has_target ? uri_of(request.to) : "",
                       .if_version = request.if_version,
                       .if_absent = request.if_absent};
  host.client->change(std::move(change), context,
                      [directly, key = has_target ? request.to : request.from,
                       done = std::move(done)](Result<ObjectStat> stat) mutable {
                        if (is_cache_trouble(stat.status())) {
                          directly(std::move(done));
                          return;
                        }
                        if (stat.ok()) {
                          stat->key = std::move(key);
                        }
                        done(std::move(stat));
                      });
}

void WrittenAtHost::remove(std::string key, const CallContext& context, StatusCallback done) {
  move(ChangeKind::kRemove, {.from = std::move(key)}, context,
       [done = std::move(done)](const Result<ObjectStat>& stat) mutable { done(stat.status()); });
}

void WrittenAtHost::rename(MoveRequest request, const CallContext& context, StatCallback done) {
  move(ChangeKind::kRename, std::move(request), context, std::move(done));
}

void WrittenAtHost::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  move(ChangeKind::kCopy, std::move(request), context, std::move(done));
}

void WrittenAtHost::make_directory(std::string key, const CallContext& context, StatusCallback done) {
  move(ChangeKind::kMakeDirectory, {.from = std::move(key)}, context,
       [done = std::move(done)](const Result<ObjectStat>& stat) mutable { done(stat.status()); });
}

void WrittenAtHost::settle(std::string key, const CallContext& context, StatusCallback done) {
  move(ChangeKind::kSettle, {.from = std::move(key)}, context,
       [done = std::move(done)](const Result<ObjectStat>& stat) mutable { done(stat.status()); });
}

}  // namespace forebay::cache
