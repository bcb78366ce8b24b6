#include "forebay/engine/testing/schedule_noise.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>

#include "forebay/base/sanitizers.h"

#if !FOREBAY_ADDRESS_SANITIZER && !FOREBAY_THREAD_SANITIZER
#define FOREBAY_MAKES_NOISE 1
#endif

namespace forebay::engine::testing {
namespace {

constexpr uint64_t kOneIn = 4;

std::atomic<uint64_t> noise_seed{0};  // 0: off
std::atomic<uint64_t> threads{0};
std::atomic<uint64_t> given_away{0};

/// One thread's linear congruential generator, restarted for each seed.
struct Dice {
  uint64_t seed = 0;
  uint64_t state = 0;

  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
};

thread_local Dice dice;

[[maybe_unused]] void make_noise() {
  const uint64_t seed = noise_seed.load(std::memory_order_relaxed);
  if (seed == 0) {
    return;
  }
  if (dice.seed != seed) {
    dice = {.seed = seed, .state = seed * 1000003 + threads.fetch_add(1, std::memory_order_relaxed)};
  }
  if (dice.next() % kOneIn == 0) {
    given_away.fetch_add(1, std::memory_order_relaxed);
    sched_yield();
  }
}

/// The C library's own function with that name.
template <class Function>
[[maybe_unused]] Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

bool can_make_noise() {
#ifdef FOREBAY_MAKES_NOISE
  return true;
#else
  return false;
#endif
}

ScheduleNoise::ScheduleNoise(uint32_t seed) {
  threads.store(0, std::memory_order_relaxed);
  given_away.store(0, std::memory_order_relaxed);
  noise_seed.store(uint64_t{seed} + 1, std::memory_order_relaxed);
}

ScheduleNoise::~ScheduleNoise() {
  noise_seed.store(0, std::memory_order_relaxed);
}

uint64_t ScheduleNoise::count() {
  return given_away.load(std::memory_order_relaxed);
}

}  // namespace forebay::engine::testing

#ifdef FOREBAY_MAKES_NOISE
using forebay::engine::testing::make_noise;
using forebay::engine::testing::original;

extern "C" {

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_lock");
  make_noise();
  return real(mutex);
}

__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = real(mutex);
  make_noise();
  return result;
}

__attribute__((visibility("default"))) int pthread_cond_signal(pthread_cond_t* condition) {
  static auto* const real = original<int(pthread_cond_t*)>("pthread_cond_signal");
  make_noise();
  return real(condition);
}

__attribute__((visibility("default"))) int pthread_cond_wait(pthread_cond_t* condition,
                                                             pthread_mutex_t* mutex) {
  static auto* const real = original<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  make_noise();
  return real(condition, mutex);
}

__attribute__((visibility("default"))) int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  make_noise();
  return real(mutex);
}

__attribute__((visibility("default"))) int pthread_cond_clockwait(pthread_cond_t* condition,
                                                                  pthread_mutex_t* mutex, clockid_t clock,
                                                                  const timespec* end) {
  static auto* const real =
      original<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  make_noise();
  return real(condition, mutex, clock, end);
}

}  // extern "C"
#endif
