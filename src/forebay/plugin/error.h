// Errors in libraries of operators: returned as a Status, or thrown.
//
// This header and those it includes need the standard library of C++17 and nothing else of Forebay.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "forebay/plugin/plugin_api.h"

namespace forebay::plugin {
inline namespace v1 {

/// How a function ended: well, or with a code and a text.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(int32_t code, std::string text) : code_(code), text_(std::move(text)) {}

  bool ok() const { return code_ == kForebayPluginOk; }
  int32_t code() const { return code_; }  // ForebayPluginStatus
  const std::string& text() const { return text_; }

 private:
  int32_t code_ = kForebayPluginOk;
  std::string text_;
};

/// An error as an exception. What an operator throws becomes the error of its sample: this one as it is, any
/// other std::exception by its text.
class Error : public std::exception {
 public:
  explicit Error(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }
  const char* what() const noexcept override { return status_.text().c_str(); }

 private:
  Status status_;
};

inline Status ok_status() {
  return Status();
}

/// Throws an Error unless `status` is OK.
inline void check(const Status& status) {
  if (!status.ok()) {
    throw Error(status);
  }
}

namespace detail {

template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

inline void check_host(int32_t outcome) {
  if (outcome != kForebayPluginOk) {
    throw Error(Status(outcome, ""));
  }
}

}  // namespace detail

/// The text is the parts, one after the other: invalid_argument("weight is ", weight, ", not 0 to 1").
template <class... Parts>
Status invalid_argument(const Parts&... parts) {
  return Status(kForebayPluginInvalidArgument, detail::text_of(parts...));
}
template <class... Parts>
Status not_found(const Parts&... parts) {
  return Status(kForebayPluginNotFound, detail::text_of(parts...));
}
template <class... Parts>
Status data_loss(const Parts&... parts) {
  return Status(kForebayPluginDataLoss, detail::text_of(parts...));
}
template <class... Parts>
Status out_of_range(const Parts&... parts) {
  return Status(kForebayPluginOutOfRange, detail::text_of(parts...));
}
template <class... Parts>
Status resource_exhausted(const Parts&... parts) {
  return Status(kForebayPluginResourceExhausted, detail::text_of(parts...));
}
template <class... Parts>
Status unimplemented(const Parts&... parts) {
  return Status(kForebayPluginUnimplemented, detail::text_of(parts...));
}
template <class... Parts>
Status failed_precondition(const Parts&... parts) {
  return Status(kForebayPluginFailedPrecondition, detail::text_of(parts...));
}
template <class... Parts>
Status internal_error(const Parts&... parts) {
  return Status(kForebayPluginInternal, detail::text_of(parts...));
}

}  // namespace v1
}  // namespace forebay::plugin
