#include "bindings/storage/host_cache.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <utility>

#include "bindings/interpreter/text.h"
#include "bindings/storage/store_calls.h"
#include "forebay/control/cache_counts.h"
#include "forebay/control/cache_walks.h"
#include "forebay/control/preloads.h"
#include "forebay/control/rule_changes.h"
#include "forebay/control/waiting_writes.h"

namespace forebay::bindings {
namespace {

/// How far work is, from its thread to the one that waits for it and calls Python.
class ProgressRelay {
 public:
  /// `callback`: a function of what is done and what there is to do, or None.
  explicit ProgressRelay(nb::handle callback) : callback_(callback) {}

  void set(uint64_t done, uint64_t all) {
    const MutexLock lock(mutex_);
    latest_ = {done, all};
  }

  /// On the waiting thread, without the GIL: true with a Python exception set.
  bool interrupts() { return signal_was_raised() || !tell(); }
  /// The end, with the GIL held.
  void finish() {
    if (!tell()) {
      throw nb::python_error();
    }
  }

 private:
  bool tell() {
    std::optional<std::pair<uint64_t, uint64_t>> latest;
    {
      const MutexLock lock(mutex_);
      latest = std::exchange(latest_, std::nullopt);
    }
    if (callback_.is_none() || !latest) {
      return true;
    }
    const GilEntry gil;
    if (!gil) {
      return true;
    }
    try {
      callback_(latest->first, latest->second);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  }

  const nb::handle callback_;
  Mutex mutex_;
  std::optional<std::pair<uint64_t, uint64_t>> latest_ FOREBAY_GUARDED_BY(mutex_);
};

/// Does `work(stop, relay)` on a thread, and tells `on_progress` of it on this one.
template <class T, class Work>
T watched(nb::handle on_progress, Work&& work) {
  ProgressRelay relay(on_progress);
  Result<T> result = await_work<Result<T>>(
      [&](const storage::CallContext& context) { return work(context.cancellation, relay); },
      [&relay] { return relay.interrupts(); });
  relay.finish();
  return value_or_store_error(std::move(result));
}

std::string name_from(nb::handle path) {
  return path.is_none() ? std::string() : text_from_python(path);
}

control::WalkWatcher watcher_of(const std::stop_token& stop, ProgressRelay& relay) {
  const auto on_piece = [&relay](const cache::CacheWalked& so_far) { relay.set(so_far.next, so_far.end); };
  const auto on_page = [&relay](const storage::Total& so_far) { relay.set(so_far.objects, 0); };
  return {.stop = stop, .on_piece = on_piece, .on_page = on_page};
}

nb::dict dict_of_walk(const cache::CacheWalked& walked) {
  nb::dict fields;
  fields["entries"] = walked.entries;
  fields["bytes"] = walked.bytes;
  fields["dropped"] = walked.dropped;
  fields["dropped_bytes"] = walked.dropped_bytes;
  fields["pinned"] = walked.pinned;
  fields["unreadable"] = walked.unreadable;
  return fields;
}

std::string counts() {
  return value_or_store_error(await_work<Result<std::string>>(
      [](const storage::CallContext& context) { return control::ask_cache_counts(context.cancellation); }));
}

nb::dict verify(nb::handle path, nb::handle on_progress) {
  const std::string name = name_from(path);
  return dict_of_walk(watched<cache::CacheWalked>(on_progress, [&](const std::stop_token& stop, auto& relay) {
    return control::verify_held(name, watcher_of(stop, relay));
  }));
}

nb::dict free_held(nb::handle path, nb::handle on_progress) {
  const std::string name = text_from_python(path);
  return dict_of_walk(watched<cache::CacheWalked>(on_progress, [&](const std::stop_token& stop, auto& relay) {
    return control::free_held(name, watcher_of(stop, relay));
  }));
}

nb::dict share(nb::handle path, nb::handle on_progress) {
  const std::string name = text_from_python(path);
  const auto share = watched<control::ShareHeld>(on_progress, [&](const std::stop_token& stop, auto& relay) {
    return control::share_held(name, watcher_of(stop, relay));
  });
  nb::dict fields = dict_of_walk(share.held);
  fields["stored_objects"] = share.stored.objects;
  fields["stored_bytes"] = share.stored.bytes;
  fields["uncached_mounts"] = share.uncached_mounts;
  return fields;
}

void pin(nb::handle path) {
  using Pinned = std::optional<control::PinnedBytes>;
  const std::string name = text_from_python(path);
  value_or_store_error(await_work<Result<Pinned>>(
      [&](const storage::CallContext& context) { return control::pin(name, context.cancellation); }));
}

/// A change of the rules of a path.
template <class Change>
void change_rules(nb::handle path, Change&& change) {
  const std::string name = text_from_python(path);
  check_store_call(await_work<Status>(
      [&](const storage::CallContext& context) -> Status { return change(name, context.cancellation); }));
}

void change_rule(nb::handle path, std::optional<uint32_t> ttl_s, std::optional<int> priority,
                 std::optional<bool> is_cached, std::optional<uint64_t> quota_bytes) {
  const control::RuleChange change = {
      .ttl_s = ttl_s, .priority = priority, .is_cached = is_cached, .quota_bytes = quota_bytes};
  change_rules(path, [&](const std::string& name, const std::stop_token& stop) {
    return control::change_rule(name, change, stop);
  });
}

nb::list rules(nb::handle path) {
  const std::string name = name_from(path);
  const auto found = value_or_store_error(
      await_work<Result<cache::Rules>>([&](const storage::CallContext&) { return control::rules_of(name); }));
  nb::list list;
  for (const cache::AdmissionRule& rule : found) {
    list.append(nb::make_tuple(text_to_python(rule.prefix), rule.retention.is_pinned,
                               static_cast<int>(rule.retention.priority), rule.time_to_live_s, rule.is_cached,
                               rule.quota_bytes));
  }
  return list;
}

nb::tuple flush(nb::handle path, std::optional<double> wait_s, nb::handle on_progress,
                const std::vector<std::string>& programs) {
  constexpr double kMaxSeconds = 1e9;
  constexpr double kNsPerSecond = 1e9;
  control::FlushRequest request = {.name = name_from(path), .programs = programs};
  if (wait_s) {
    request.patience_ns = static_cast<int64_t>(std::fmin(std::fmax(*wait_s, 0), kMaxSeconds) * kNsPerSecond);
  }
  const auto flushed = watched<control::Flushed>(on_progress, [&](const std::stop_token& stop, auto& relay) {
    const auto show = [&relay](const control::WaitingWrites& left, uint64_t most) {
      relay.set(most - left.objects, most);
    };
    return control::flush_writes(request, {.stop = stop, .on_progress = show});
  });
  return nb::make_tuple(flushed.stored, flushed.left.objects, flushed.left.failing,
                        readable_text(flushed.left.last_error));
}

/// What and in which order, as the three functions of preloads take it.
control::PreloadRequest request_of(nb::handle path, std::optional<uint64_t> seed, uint64_t epoch,
                                   uint32_t num_shards) {
  return {
      .path = text_from_python(path), .seed = seed, .epoch = epoch, .num_shards = num_shards, .index = {}};
}

nb::dict dict_of_preload(const cache::PreloadRecord& record, const char* state) {
  nb::dict fields;
  fields["state"] = state;
  fields["uri"] = text_to_python(record.uri);
  fields["objects"] = record.counts.objects;
  fields["bytes"] = record.counts.bytes;
  fields["fetched_objects"] = record.counts.came_objects;
  fields["fetched_bytes"] = record.counts.came_bytes;
  fields["failed"] = record.counts.failed;
  fields["first_error"] = readable_text(record.first_error);
  return fields;
}

nb::dict preload(nb::handle path, std::optional<uint64_t> seed, uint64_t epoch, uint32_t num_shards,
                 nb::handle index, std::vector<std::string> extensions, bool verify,
                 uint64_t bytes_per_second, bool again, nb::handle on_progress) {
  control::PreloadRequest request = request_of(path, seed, epoch, num_shards);
  request.index = name_from(index);
  request.extensions = std::move(extensions);
  request.is_verified = verify;
  request.bytes_per_second = bytes_per_second;
  request.begins_anew = again;
  const auto end = watched<control::PreloadEnd>(on_progress, [&](const std::stop_token& stop, auto& relay) {
    const auto show = [&relay](const control::PreloadProgress& progress) {
      relay.set(progress.done_objects, progress.known_objects);
    };
    return control::preload(request, {.stop = stop, .on_progress = show});
  });
  const bool is_stopped = end.status.code() == StatusCode::kCancelled;
  if (end.record.state != cache::PreloadState::kDone && !is_stopped) {
    check_store_call(end.status);
  }
  return dict_of_preload(end.record, end.state());
}

nb::dict preload_status(nb::handle path, std::optional<uint64_t> seed, uint64_t epoch, uint32_t num_shards) {
  const control::PreloadRequest request = request_of(path, seed, epoch, num_shards);
  const auto status = value_or_store_error(await_work<Result<control::PreloadStatus>>(
      [&](const storage::CallContext&) { return control::preload_status(request); }));
  return dict_of_preload(status.record, status.state);
}

void stop_preload(nb::handle path, std::optional<uint64_t> seed, uint64_t epoch, uint32_t num_shards) {
  const control::PreloadRequest request = request_of(path, seed, epoch, num_shards);
  check_store_call(
      await_work<Status>([&](const storage::CallContext&) { return control::stop_preload(request); }));
}

}  // namespace

void bind_host_cache(nanobind::module_& module, std::vector<std::string> programs) {
  module.def("host_cache_counts", &counts, nb::sig("def host_cache_counts() -> str"));
  module.def("host_cache_verify", &verify, nb::arg("path").none(), nb::arg("on_progress").none(),
             nb::sig("def host_cache_verify(path: object, on_progress: object) -> dict[str, int]"));
  module.def("host_cache_free", &free_held, nb::arg("path"), nb::arg("on_progress").none(),
             nb::sig("def host_cache_free(path: object, on_progress: object) -> dict[str, int]"));
  module.def("host_cache_share", &share, nb::arg("path"), nb::arg("on_progress").none(),
             nb::sig("def host_cache_share(path: object, on_progress: object) -> dict[str, int]"));
  module.def("host_cache_pin", &pin, nb::arg("path"), nb::sig("def host_cache_pin(path: object) -> None"));
  module.def(
      "host_cache_unpin", [](nb::handle path) { change_rules(path, &control::unpin); }, nb::arg("path"),
      nb::sig("def host_cache_unpin(path: object) -> None"));
  module.def(
      "host_cache_remove_rule", [](nb::handle path) { change_rules(path, &control::remove_rule); },
      nb::arg("path"), nb::sig("def host_cache_remove_rule(path: object) -> None"));
  module.def("host_cache_change_rule", &change_rule, nb::arg("path"), nb::arg("ttl_s").none(),
             nb::arg("priority").none(), nb::arg("is_cached").none(), nb::arg("quota_bytes").none(),
             nb::sig("def host_cache_change_rule(path: object, ttl_s: int | None, priority: int | None, "
                     "is_cached: bool | None, quota_bytes: int | None) -> None"));
  module.def("host_cache_rules", &rules, nb::arg("path").none(),
             nb::sig("def host_cache_rules(path: object) -> list[tuple[str, bool, int, int, bool, int]]"));
  module.def(
      "host_cache_flush",
      [programs = std::move(programs)](nb::handle path, std::optional<double> wait_s,
                                       nb::handle on_progress) {
        return flush(path, wait_s, on_progress, programs);
      },
      nb::arg("path").none(), nb::arg("wait_s").none(), nb::arg("on_progress").none(),
      nb::sig("def host_cache_flush(path: object, wait_s: float | None, on_progress: object) "
              "-> tuple[int, int, int, str]"));
  module.def(
      "host_cache_preload", &preload, nb::arg("path"), nb::arg("seed").none(), nb::arg("epoch"),
      nb::arg("num_shards"), nb::arg("index").none(), nb::arg("extensions"), nb::arg("verify"),
      nb::arg("bytes_per_second"), nb::arg("again"), nb::arg("on_progress").none(),
      nb::sig("def host_cache_preload(path: object, seed: int | None, epoch: int, num_shards: int, "
              "index: object, extensions: list[str], verify: bool, bytes_per_second: int, again: bool, "
              "on_progress: object) -> dict[str, int | str]"));
  module.def("host_cache_preload_status", &preload_status, nb::arg("path"), nb::arg("seed").none(),
             nb::arg("epoch"), nb::arg("num_shards"),
             nb::sig("def host_cache_preload_status(path: object, seed: int | None, epoch: int, "
                     "num_shards: int) -> dict[str, int | str]"));
  module.def("host_cache_stop_preload", &stop_preload, nb::arg("path"), nb::arg("seed").none(),
             nb::arg("epoch"), nb::arg("num_shards"),
             nb::sig("def host_cache_stop_preload(path: object, seed: int | None, epoch: int, "
                     "num_shards: int) -> None"));
}

}  // namespace forebay::bindings
