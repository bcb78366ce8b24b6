#include "forebay/plugin/call.h"

#include <cstring>
#include <memory>
#include <new>

#include "forebay/base/caught.h"
#include "forebay/base/utf8.h"
#include "forebay/operators/arg.h"

int32_t ForebayPluginCall::keep(forebay::Status status) {
  const forebay::MutexLock lock(mutex_);
  kept_.emplace_back(std::this_thread::get_id(), std::move(status));
  return kForebayPluginHostError;
}

forebay::Status ForebayPluginCall::kept() {
  const forebay::MutexLock lock(mutex_);
  for (auto entry = kept_.rbegin(); entry != kept_.rend(); ++entry) {
    if (entry->first == std::this_thread::get_id()) {
      return entry->second;
    }
  }
  return forebay::ok_status();
}

namespace forebay::plugin {
namespace {

// More than any machine can address; what is less may still be refused, by its size.
constexpr size_t kMaxBytes = size_t{1} << 47;

/// Runs the body of a host function; nothing it throws gets out.
template <class Body>
int32_t answer(ForebayPluginCall* call, Body&& body) {
  if (call == nullptr) {
    return kForebayPluginHostError;
  }
  Status status = caught(std::forward<Body>(body));
  return status.ok() ? kForebayPluginOk : call->keep(std::move(status));
}

Result<const operators::Tensor*> argument_of(ForebayPluginCall* call, uint32_t argument, const void* values,
                                             size_t count) {
  if (argument >= call->slots.size() || call->slots[argument] < 0) {
    return invalid_argument("the library asks for the tensor of argument {}, which is none", argument);
  }
  const operators::Tensor& tensor = call->sample.argument(call->slots[argument]);
  if (count != static_cast<size_t>(tensor.volume()) || (values == nullptr && count != 0)) {
    return invalid_argument("the library asks for {} elements of an argument of {}", count,
                            tensor.spec().to_string());
  }
  return &tensor;
}

int32_t give_scratch(ForebayPluginCall* call, size_t bytes, void** memory) {
  return answer(call, [&]() -> Status {
    if (memory == nullptr || bytes > kMaxBytes) {
      return invalid_argument("the library asks for {} bytes of working memory", bytes);
    }
    *memory = nullptr;
    if (bytes == 0) {
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableBytes taken, call->sample.scratch(bytes));
    *memory = taken.data();
    return ok_status();
  });
}

int32_t read_integers(ForebayPluginCall* call, uint32_t argument, int64_t* values, size_t count) {
  return answer(call, [&]() -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const operators::Tensor* tensor, argument_of(call, argument, values, count));
    return operators::copy_ints(*tensor, {values, count});
  });
}

int32_t read_floats(ForebayPluginCall* call, uint32_t argument, float* values, size_t count) {
  return answer(call, [&]() -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const operators::Tensor* tensor, argument_of(call, argument, values, count));
    return operators::copy_floats(*tensor, {values, count});
  });
}

int32_t run_in_parallel(ForebayPluginCall* call, int64_t count, ForebayPluginBody body, void* data) {
  return answer(call, [&]() -> Status {
    if (body == nullptr || count < 0) {
      return invalid_argument("the library asks for {} calls of {}", count,
                              body == nullptr ? "no function" : "a function");
    }
    return call->sample.try_parallel_for(count, [&](int64_t item) {
      return outcome_of(call, [&](ForebayPluginError* error) { return body(data, item, error); });
    });
  });
}

static_assert(sizeof(RandomStream) <= sizeof(ForebayPluginRandom));
static_assert(alignof(RandomStream) <= alignof(ForebayPluginRandom));
static_assert(std::is_trivially_copyable_v<RandomStream>);

RandomStream& stream_of(ForebayPluginRandom* random) {
  return *std::launder(reinterpret_cast<RandomStream*>(random->state));
}

void start_random(ForebayPluginCall* call, uint32_t stream, ForebayPluginRandom* random) {
  ::new (random->state) RandomStream(call->sample.random(stream));
}

const ForebayPluginHost kHost = {
    .struct_bytes = sizeof(ForebayPluginHost),
    .abi = FOREBAY_PLUGIN_ABI,
    .scratch = &give_scratch,
    .read_integers = &read_integers,
    .read_floats = &read_floats,
    .parallel_for = &run_in_parallel,
    .start_random = &start_random,
    .random_u32 = [](ForebayPluginRandom* random) { return stream_of(random).next_u32(); },
    .random_u64 = [](ForebayPluginRandom* random) { return stream_of(random).next_u64(); },
    .random_double = [](ForebayPluginRandom* random) { return stream_of(random).uniform_double(); },
    .random_float = [](ForebayPluginRandom* random, float low,
                       float high) { return stream_of(random).uniform(low, high); },
    .random_below = [](ForebayPluginRandom* random,
                       uint64_t bound) { return stream_of(random).below(bound); },
    .random_normal = [](ForebayPluginRandom* random) { return stream_of(random).normal(); },
};

StatusCode code_of(int32_t outcome) {
  switch (outcome) {
    case kForebayPluginInvalidArgument:
      return StatusCode::kInvalidArgument;
    case kForebayPluginNotFound:
      return StatusCode::kNotFound;
    case kForebayPluginDataLoss:
      return StatusCode::kDataLoss;
    case kForebayPluginOutOfRange:
      return StatusCode::kOutOfRange;
    case kForebayPluginResourceExhausted:
      return StatusCode::kResourceExhausted;
    case kForebayPluginUnimplemented:
      return StatusCode::kUnimplemented;
    case kForebayPluginFailedPrecondition:
      return StatusCode::kFailedPrecondition;
    case kForebayPluginUnavailable:
      return StatusCode::kUnavailable;
    case kForebayPluginPermissionDenied:
      return StatusCode::kPermissionDenied;
    default:
      return StatusCode::kInternal;
  }
}

Status status_of(int32_t outcome, const ErrorText& error, ForebayPluginCall* call) {
  if (outcome == kForebayPluginOk) {
    return ok_status();
  }
  if (outcome == kForebayPluginHostError) {
    Status kept = call == nullptr ? ok_status() : call->kept();
    return kept.ok() ? internal_error("the library reports an error of Forebay's, and there was none") : kept;
  }
  if (outcome < 0 || outcome > kForebayPluginInternal) {
    return internal_error("the library's function returned {}, which is no status", outcome);
  }
  const std::string text = error.text();
  return Status(code_of(outcome), text.empty() ? "the library's function failed and did not say why" : text);
}

}  // namespace

const ForebayPluginHost& host_functions() {
  return kHost;
}

std::string ErrorText::text() const {
  return readable({text_.data(), ::strnlen(text_.data(), text_.size())});
}

Status outcome_of(ForebayPluginCall* call, const std::function<int32_t(ForebayPluginError*)>& function) {
  ErrorText error;
  int32_t outcome = kForebayPluginOk;
  try {
    outcome = function(error.get());
  } catch (...) {
    return annotate(status_of_exception(), "out of the library");
  }
  return status_of(outcome, error, call);
}

std::string readable(std::string_view text) {
  if (is_utf8(text)) {
    return std::string(text);
  }
  std::string written;
  while (!text.empty()) {
    size_t length = 1;
    while (length <= 4 && length <= text.size() && !is_utf8(text.substr(0, length))) {
      ++length;
    }
    if (length <= 4 && length <= text.size()) {
      written += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      written += fmt::format("\\x{:02x}", static_cast<uint8_t>(text.front()));
      text.remove_prefix(1);
    }
  }
  return written;
}

}  // namespace forebay::plugin
