// A call of a library's function: what Forebay does for it meanwhile, and what became of it.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/operators/sample.h"
#include "forebay/plugin/plugin_api.h"

/// The call as functions of ForebayPluginHost know it. Thread safe but for `sample`.
struct ForebayPluginCall {
  ForebayPluginCall(forebay::operators::Sample& at, std::span<const int> of) : sample(at), slots(of) {}

  /// Keeps an error of Forebay's own while the library hands on, on this thread, that there was one. Returns
  /// kForebayPluginHostError.
  int32_t keep(forebay::Status status);
  /// The last error kept on this thread; OK if there is none.
  forebay::Status kept();

  forebay::operators::Sample& sample;
  const std::span<const int>
      slots;  // for each parameter: its slot among the sample's argument tensors, or -1

 private:
  forebay::Mutex mutex_;
  std::vector<std::pair<std::thread::id, forebay::Status>> kept_ FOREBAY_GUARDED_BY(mutex_);
};

namespace forebay::plugin {

/// The table of functions that every library gets.
const ForebayPluginHost& host_functions();

/// Where a library's function puts the text of its error.
class ErrorText {
 public:
  ErrorText() { text_[0] = '\0'; }
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;

  ForebayPluginError* get() { return &error_; }
  /// UTF-8: other bytes stand as `\xff`.
  std::string text() const;

 private:
  std::array<char, 2048> text_;
  ForebayPluginError error_{sizeof(ForebayPluginError), static_cast<uint32_t>(text_.size()), text_.data()};
};

/// Calls a library's function and gives its outcome as a Status. `call` may be null where no sample is run.
/// An exception becomes an error that says where it came from.
Status outcome_of(ForebayPluginCall* call, const std::function<int32_t(ForebayPluginError*)>& function);

/// Bytes as UTF-8: the others stand as `\xff`.
std::string readable(std::string_view text);

}  // namespace forebay::plugin
