#include "forebay/control/preloads.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/cache/client/host_connector.h"
#include "forebay/cache/preload/preload.h"
#include "forebay/cache/rules/rule_database.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/control/cache_counts.h"
#include "forebay/control/cache_places.h"
#include "forebay/control/sample_order.h"
#include "forebay/control/sample_source.h"
#include "forebay/storage/home/forebay_home.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/retry_options.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::control {
namespace {

using cache::PreloadCounts;
using cache::PreloadRecord;
using cache::PreloadState;
using SteadyClock = std::chrono::steady_clock;

/// What is preloaded: a folder of a store, and in which order.
struct Target {
  std::string name;  // as it was given, for messages: without what may be secret
  std::string uri;
  std::string order;  // empty: by name
  std::string file;   // of the record
  /// Where the data set's index goes if the user names no place: it is mapped, not held in memory.
  std::string index;
};

Result<Target> target_of(const PreloadRequest& request) {
  if (request.num_shards == 0) {
    return invalid_argument("num_shards: 0; a job has at least one reader");
  }
  FOREBAY_ASSIGN_OR_RETURN(const CachePlaces places, cache_places(request.path));
  const storage::ObjectAddress& address = places.front().address;
  Target target = {.name = storage::uri_for_message(request.path),
                   .uri = address.store->uri_of(storage::as_folder_key(address.key))};
  if (request.seed) {
    target.order =
        fmt::format("seed {} epoch {} shards {}", *request.seed, request.epoch, request.num_shards);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  target.file = cache::preload_file_of(home + "/preloads", target.uri, target.order);
  target.index = cache::preload_file_of(home + "/preloads", target.uri, "") + ".index";
  return target;
}

Status check_cached(storage::ObjectStore& store, const std::string& prefix, const std::string& name) {
  if (store.features().can_bring) {
    return ok_status();
  }
  const std::string_view hint =
      store.local_file(prefix).has_value()
          ? "Local files are read where they are; those on something slow, such as a network, have to be "
            "mounted by `forebay mount PATH FOLDER --option cache=on`"
          : "Of a folder with mounts below it, preload each of them";
  return failed_precondition(
      "{}: no cache keeps it. {}. A daemon must be there, or FOREBAY_DAEMON allow to start one", name, hint);
}

/// The folder, read through the host's cache.
Result<storage::ObjectAddress> cached_folder(const PreloadRequest& request, const Target& target) {
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress folder, storage::default_registry().resolve(request.path));
  folder.key = storage::as_folder_key(std::move(folder.key));
  FOREBAY_RETURN_IF_ERROR(check_cached(*folder.store, folder.key, target.name));
  return folder;
}

/// Of a sample order: how many samples came before.
Result<uint64_t> position_of(const std::string& mark, const Target& target) {
  uint64_t position = 0;
  const char* const end = mark.data() + mark.size();
  const std::from_chars_result read = std::from_chars(mark.data(), end, position);
  if (!mark.empty() && (read.ec != std::errc() || read.ptr != end)) {
    return data_loss("{}: not the record of this order; remove it to begin anew", target.file);
  }
  return position;
}

Result<std::unique_ptr<cache::PreloadSource>> source_of(const PreloadRequest& request, const Target& target,
                                                        const storage::ObjectAddress& folder,
                                                        const std::string& mark) {
  if (!request.seed) {
    return cache::listed_source(folder.store, folder.key, mark);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t position, position_of(mark, target));
  const SampleSourceOptions options = {.path = request.path,
                                       .store = folder.store,
                                       .prefix = folder.key,
                                       .index_file = request.index.empty() ? target.index : request.index,
                                       .extensions = request.extensions};
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const dataset::IndexedSource> samples, samples_in(options));
  return sample_order(std::move(samples),
                      {.seed = *request.seed, .epoch = request.epoch, .num_shards = request.num_shards},
                      position);
}

/// Goes on where an unfinished one ended; a finished one begins anew, which looks whether all is still there.
PreloadRecord begin_with(const PreloadRequest& request, const Target& target,
                         std::optional<PreloadRecord> earlier) {
  const bool goes_on = earlier && earlier->state == PreloadState::kUnfinished && !request.begins_anew;
  return goes_on ? *std::move(earlier) : PreloadRecord{.uri = target.uri, .order = target.order};
}

constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

/// Until the next look, or until a stop is asked for.
void sleep_unless_stopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, kBetweenLooks, [] { return false; });
}

/// A stop token for work on a record: of the caller, or of whoever asks by stop_preload().
class StopRequests {
 public:
  StopRequests(const cache::PreloadFile& file, const std::stop_token& given)
      : given_(given, Stop{&stop_}),
        watch_([this, &file](const std::stop_token& ended) { watch(file, ended); }) {}

  std::stop_token token() const { return stop_.get_token(); }

 private:
  struct Stop {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };

  void watch(const cache::PreloadFile& file, const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      if (file.is_asked_to_stop()) {
        stop_.request_stop();
        return;
      }
      sleep_unless_stopped(ended);
    }
  }

  std::stop_source stop_;
  const std::stop_callback<Stop> given_;
  const std::jthread watch_;  // ends first
};

/// It must not push out its own beginning.
Result<uint64_t> most_bytes(const std::string& uri) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, ask_cache_counts());
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, parse_cache_counts(text));
  const uint64_t whole = count_in_json(counts, "quota_bytes");
  FOREBAY_ASSIGN_OR_RETURN(const cache::RuleDatabase database, cache::RuleDatabase::of_host());
  FOREBAY_ASSIGN_OR_RETURN(const cache::Rules rules, database.rules());
  const uint64_t by_rule = cache::RuleTable(rules).of(uri).quota_bytes;
  return by_rule > 0 ? std::min(by_rule, whole) : whole;
}

Result<cache::PreloadOptions> options_of(const PreloadRequest& request, const PreloadRecord& record,
                                         const PreloadWatcher& watcher) {
  cache::PreloadOptions options = {.is_verified = request.is_verified,
                                   .bytes_per_second = request.bytes_per_second};
  FOREBAY_ASSIGN_OR_RETURN(options.most_bytes, most_bytes(record.uri));
  if (watcher.on_progress) {
    // An order knows all its samples, a listing those that this call has seen.
    const uint64_t before = request.seed ? 0 : record.counts.objects + record.counts.failed;
    options.on_progress = [before, &watcher](const PreloadCounts& counts, uint64_t known_objects) {
      const uint64_t done = counts.objects + counts.failed;
      watcher.on_progress({done, std::max(done, before + known_objects), counts.came_bytes});
    };
  }
  return options;
}

/// Waits for a daemon after the one that has gone; false at the deadline, or if asked to stop.
bool wait_for_cache(storage::ObjectStore& store, const Target& target, const std::stop_token& stop,
                    SteadyClock::time_point deadline) {
  const SteadyClock::time_point said_at = SteadyClock::now() + std::chrono::seconds(5);
  bool is_said = false;
  do {  // a daemon that ends still serves for a moment
    const SteadyClock::time_point now = SteadyClock::now();
    if (stop.stop_requested() || now >= deadline) {
      return false;
    }
    if (!is_said && now >= said_at) {
      log_warning("{}: the cache's daemon has gone; the preload goes on with the next one", target.name);
      is_said = true;
    }
    sleep_unless_stopped(stop);
  } while (!store.features().can_bring);
  return true;
}

/// One call of preload().
class Call {
 public:
  Call(const PreloadRequest& request, const PreloadWatcher& watcher, Target target,
       storage::ObjectAddress folder, const cache::PreloadFile& file, PreloadRecord record)
      : request_(request),
        watcher_(watcher),
        target_(std::move(target)),
        folder_(std::move(folder)),
        file_(file),
        record_(std::move(record)),
        stop_(file, watcher.stop) {}

  /// Goes on with each daemon that follows one that has gone, for as long as `patience` without progress.
  Result<PreloadEnd> run(std::chrono::nanoseconds patience) {
    // The data set may have to be listed and indexed first.
    const storage::InterruptibleWaits waits([this] { return stop_.token().stop_requested(); });
    std::optional<SteadyClock::time_point> lost_at;  // and nothing has come since
    Run last = run_once();
    while (last.has_lost_cache) {
      if (!lost_at || last.has_come_on) {
        lost_at = SteadyClock::now();
      }
      if (!wait_for_cache(*folder_.store, target_, stop_.token(), *lost_at + patience)) {
        break;
      }
      last = run_once();
    }
    if (!has_begun_ && !stop_.token().stop_requested()) {
      return last.status;
    }
    return PreloadEnd{record_, status_of(last.status)};
  }

 private:
  /// With one daemon.
  struct Run {
    Status status;
    bool has_lost_cache = false;
    bool has_come_on = false;
  };

  Run run_once() {
    const Result<std::unique_ptr<cache::PreloadSource>> source =
        source_of(request_, target_, folder_, record_.mark);
    if (!source.ok()) {
      return {.status = source.status()};
    }
    Result<cache::PreloadOptions> options = options_of(request_, record_, watcher_);
    if (!options.ok()) {
      return {.status = options.status(), .has_lost_cache = cache::says_absent(options.status())};
    }
    has_begun_ = true;
    cache::Preload preload(**source, file_, record_, *std::move(options));
    const Status status = preload.run(stop_.token());
    const bool has_come_on = preload.record().mark != record_.mark;
    record_ = preload.record();
    return {status, preload.has_lost_cache(), has_come_on};
  }

  Status status_of(const Status& status) const {
    if (!status.ok() && stop_.token().stop_requested()) {
      return cancelled("{}: stopped", target_.name);
    }
    if (!status.ok() || record_.counts.failed == 0) {
      return status;
    }
    return unavailable("{}: {} objects could not be preloaded, the first: {}", target_.name,
                       record_.counts.failed, record_.first_error);
  }

  const PreloadRequest& request_;
  const PreloadWatcher& watcher_;
  const Target target_;
  const storage::ObjectAddress folder_;
  const cache::PreloadFile& file_;
  PreloadRecord record_;
  const StopRequests stop_;
  bool has_begun_ = false;
};

}  // namespace

Result<PreloadEnd> preload(const PreloadRequest& request, const PreloadWatcher& watcher) {
  FOREBAY_ASSIGN_OR_RETURN(const int64_t patience_ns, storage::patience_of({}, storage::process_environment));
  FOREBAY_ASSIGN_OR_RETURN(Target target, target_of(request));
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress folder, cached_folder(request, target));
  const Result<std::unique_ptr<cache::PreloadFile>> file = cache::PreloadFile::open({.file = target.file});
  if (!file.ok()) {
    return annotate(file.status(), target.name);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::optional<PreloadRecord> earlier, (*file)->read());
  PreloadRecord record = begin_with(request, target, std::move(earlier));
  FOREBAY_RETURN_IF_ERROR((*file)->save(record));
  if (request.seed && record.mark.empty()) {
    // Of an earlier call: in some stores it would not notice new objects.
    std::error_code ignored;
    std::filesystem::remove(target.index, ignored);
  }
  Call call(request, watcher, std::move(target), std::move(folder), **file, std::move(record));
  return call.run(std::chrono::nanoseconds(patience_ns));
}

Result<PreloadStatus> preload_status(const PreloadRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const Target target, target_of(request));
  FOREBAY_ASSIGN_OR_RETURN(std::optional<PreloadRecord> record, cache::read_preload(target.file));
  if (!record) {
    return not_found("{}: it was never preloaded{}", target.name, request.seed ? " in this order" : "");
  }
  FOREBAY_ASSIGN_OR_RETURN(const pid_t worker, cache::preload_worker(target.file));
  const bool is_done = record->state == PreloadState::kDone;
  return PreloadStatus{*std::move(record), worker != 0 ? "running" : is_done ? "done" : "stopped"};
}

Status stop_preload(const PreloadRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const Target target, target_of(request));
  FOREBAY_ASSIGN_OR_RETURN(const bool was_running, cache::stop_preload(target.file));
  return was_running ? ok_status() : not_found("{}: no preload is under way", target.name);
}

}  // namespace forebay::control
