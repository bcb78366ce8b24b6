// One sample at an operator of a library: its tensors, its random numbers, and what Forebay does for it.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include "forebay/plugin/tensor.h"

namespace forebay::plugin {
inline namespace v1 {

namespace detail {

inline int32_t report(const Status& status, ForebayPluginError* error) {
  if (error != nullptr && error->capacity > 0) {
    const size_t most = error->capacity - 1;
    const size_t length = status.text().size() < most ? status.text().size() : most;
    for (size_t i = 0; i < length; ++i) {
      error->text[i] = status.text()[i];
    }
    error->text[length] = '\0';
  }
  return status.code();
}

/// Runs `body`, which returns a Status; what it throws becomes one. Nothing gets past, but for the end of a
/// cancelled thread.
template <class Body>
int32_t guarded(ForebayPluginError* error, Body&& body) {
  try {
    return report(body(), error);
  } catch (const Error& thrown) {
    return report(thrown.status(), error);
  } catch (const std::bad_alloc&) {
    return report(resource_exhausted("memory ran out"), error);
  } catch (const std::exception& thrown) {
    return report(internal_error("the operator threw: ", thrown.what()), error);
#if defined(__GLIBCXX__)
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    return report(internal_error("the operator threw what is no std::exception"), error);
  }
}

}  // namespace detail

/// Random numbers: Philox4x32-10, set by the pipeline's seed, the epoch, the operator and the sample's
/// position, so the same whatever the threads, the batch size and restarts. A small value; not thread safe.
class RandomStream {
 public:
  RandomStream(const ForebayPluginSample& sample, uint32_t stream) : host_(sample.host) {
    host_->start_random(sample.call, stream, &random_);
  }

  uint32_t next_u32() { return host_->random_u32(&random_); }
  uint64_t next_u64() { return host_->random_u64(&random_); }
  /// Uniform in [0, 1): 53 random bits.
  double uniform_double() { return host_->random_double(&random_); }
  /// Uniform in [low, high); `low` if the range is empty.
  float uniform(float low, float high) { return host_->random_float(&random_, low, high); }
  /// Uniform integer in [0, bound); 0 if bound is 0.
  uint64_t below(uint64_t bound) { return host_->random_below(&random_, bound); }
  /// Mean 0, deviation 1.
  double normal() { return host_->random_normal(&random_); }
  bool coin(float probability) { return uniform(0, 1) < probability; }

 private:
  const ForebayPluginHost* host_;
  ForebayPluginRandom random_{};
};

/// Borrowed: valid while the operator's function runs. Functions throw an Error for an index that is none.
class Sample {
 public:
  explicit Sample(const ForebayPluginSample& sample) : sample_(&sample) {}

  int num_inputs() const { return static_cast<int>(sample_->input_count); }
  TensorView input(int index) const {
    const ForebayPluginTensor& tensor = *sample_->inputs[check(index, sample_->input_count, "input")];
    return {tensor.data, detail::spec_of(tensor)};
  }

  int num_outputs() const { return static_cast<int>(sample_->output_count); }
  /// In run() alone: memory for what output_spec() said, with unspecified content.
  MutableTensorView output(int index) const {
    const ForebayPluginTensor& tensor = *sample_->outputs[check(index, sample_->output_count, "output")];
    return {tensor.data, detail::spec_of(tensor)};
  }

  int64_t epoch() const { return sample_->epoch; }
  int64_t position() const { return sample_->position; }          // in the epoch's global order
  int64_t sample_index() const { return sample_->sample_index; }  // in the data set; -1: fed

  /// This operator's random numbers for this sample, from the beginning. Streams with different numbers are
  /// independent.
  RandomStream random(uint32_t stream = 0) const { return RandomStream(*sample_, stream); }

  /// Memory for `count` elements for as long as the sample is at this operator, with unspecified content,
  /// counted against the pipeline's memory limit. Not from within parallel_for().
  template <class T>
  Span<T> scratch(size_t count) const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);
    if (count > SIZE_MAX / sizeof(T)) {
      throw Error(resource_exhausted("working memory for ", count, " elements was asked for"));
    }
    void* memory = nullptr;
    detail::check_host(sample_->host->scratch(sample_->call, count * sizeof(T), &memory));
    return {static_cast<T*>(memory), count};
  }

  /// Calls function(0 .. count - 1), possibly on several threads and in any order, and returns when all are
  /// done. It may throw: of several exceptions that of the lowest number counts.
  template <class Function>
  void parallel_for(int64_t count, Function&& function) const {
    using Plain = std::remove_reference_t<Function>;
    const ForebayPluginBody body = [](void* data, int64_t item, ForebayPluginError* error) -> int32_t {
      return detail::guarded(error, [&] {
        (*static_cast<Plain*>(data))(item);
        return ok_status();
      });
    };
    void* const data = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    detail::check_host(sample_->host->parallel_for(sample_->call, count, body, data));
  }

  const ForebayPluginSample& c_sample() const { return *sample_; }

 private:
  static uint32_t check(int index, uint32_t count, const char* what) {
    if (index < 0 || static_cast<uint32_t>(index) >= count) {
      throw Error(out_of_range("there is no ", what, " ", index, ", but ", count));
    }
    return static_cast<uint32_t>(index);
  }

  const ForebayPluginSample* sample_;
};

}  // namespace v1
}  // namespace forebay::plugin
