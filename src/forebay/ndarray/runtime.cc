#include "forebay/ndarray/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "forebay/base/log/log.h"
#include "forebay/base/usable_cpus.h"

namespace forebay::ndarray {
namespace {

// 4 MiB of tasks, far more than needed to keep workers busy.
constexpr size_t kMaxQueued = 16384;
constexpr uint64_t kRunAheadBytes = uint64_t{4} << 20;

std::atomic<Runtime*> current{nullptr};

std::atomic<Blocking> blocking{[](absl::FunctionRef<Status()> wait) { return wait(); }};

thread_local engine::WaitOptions wait_options;

std::atomic<std::string_view (*)()> site_of_caller{nullptr};

/// FOREBAY_ARRAY_WORKERS, or one per CPU that this process may use.
int wanted_workers() {
  int wanted = 0;
  const char* const given = std::getenv("FOREBAY_ARRAY_WORKERS");
  if (given != nullptr && absl::SimpleAtoi(given, &wanted) && wanted > 0) {
    return wanted;
  }
  return usable_cpus();
}

/// Whether FOREBAY_ARRAY_ENGINE is "naive"; "threaded" is the default.
bool wants_naive() {
  const char* const given = std::getenv("FOREBAY_ARRAY_ENGINE");
  const std::string_view wanted = given == nullptr ? "" : given;
  if (!wanted.empty() && wanted != "naive" && wanted != "threaded") {
    log_warning("FOREBAY_ARRAY_ENGINE is '{}', neither 'naive' nor 'threaded': taken as 'threaded'", wanted);
  }
  return wanted == "naive";
}

/// FOREBAY_ARRAY_RUN_AHEAD in bytes; 0: no limit.
uint64_t wanted_run_ahead() {
  uint64_t wanted = 0;
  const char* const given = std::getenv("FOREBAY_ARRAY_RUN_AHEAD");
  return given != nullptr && absl::SimpleAtoi(given, &wanted) ? wanted : kRunAheadBytes;
}

Runtime* make_runtime() {
  auto* made = new Runtime;
  made->is_naive = wants_naive();
  if (made->is_naive) {
    made->engine = std::make_shared<engine::Engine>(engine::EngineOptions{.naive = true});
  } else {
    made->engine = engine::Engine::process_engine();
    made->engine->ensure_workers(wanted_workers());
  }
  made->lane = made->engine->new_lane(
      {.name = "arrays", .run_ahead_bytes = wanted_run_ahead(), .most_queued = kMaxQueued});
  return made;
}

// The parent's runtime is left alone: its engine cannot be destroyed in a child.
void forget_in_child() {
  current.store(nullptr, std::memory_order_release);
}

}  // namespace

Runtime& runtime() {
  Runtime* known = current.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]] {
    return *known;
  }
  static const int watching = pthread_atfork(nullptr, nullptr, &forget_in_child);
  (void)watching;
  Runtime* made = make_runtime();
  if (current.compare_exchange_strong(known, made)) {
    return *made;
  }
  delete made;
  return *known;
}

engine::Variable new_variable() {
  return runtime().engine->new_variable();
}

Status push(engine::TaskOptions options, engine::TaskBody body) {
  Runtime& here = runtime();
  if (const auto site = site_of_caller.load(std::memory_order_relaxed);
      site != nullptr && options.site.empty()) {
    options.site = site();
  }
  FOREBAY_RETURN_IF_ERROR(here.engine->push(here.lane, options, std::move(body)));
  if (here.engine->is_crowded(here.lane)) [[unlikely]] {
    const auto wait = [&] { return here.engine->await_room(here.lane, wait_options); };
    FOREBAY_RETURN_IF_ERROR(blocking.load(std::memory_order_relaxed)(wait));
  }
  if (here.is_naive) [[unlikely]] {
    for (const engine::Variable& written : options.writes) {
      FOREBAY_RETURN_IF_ERROR(here.engine->error_of(written));
    }
  }
  return ok_status();
}

void set_blocking(Blocking around) {
  blocking.store(around, std::memory_order_relaxed);
}

void set_site(std::string_view (*site)()) {
  site_of_caller.store(site, std::memory_order_relaxed);
}

void set_interruption(std::function<bool()> interrupted) {
  wait_options.interrupted = std::move(interrupted);
}

Status wait_for(const engine::Variable& variable) {
  return runtime().engine->wait(variable, wait_options);
}

Status wait_for_all() {
  Runtime& here = runtime();
  return here.engine->wait_all(here.lane, wait_options);
}

}  // namespace forebay::ndarray
