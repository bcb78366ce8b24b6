#include "forebay/cuda/driver/error.h"

#include <fmt/format.h>

namespace forebay::cuda {
namespace {

StatusCode code_of(int error) {
  switch (error) {
    case kErrorOutOfMemory:
      return StatusCode::kResourceExhausted;
    case kErrorInvalidValue:
    case kErrorInvalidDevice:
      return StatusCode::kInvalidArgument;
    case kErrorNotSupported:
      return StatusCode::kUnimplemented;
    case kErrorNotInitialized:
    case kErrorDeinitialized:
    case kErrorNoDevice:
      return StatusCode::kFailedPrecondition;
    default:
      return StatusCode::kUnavailable;
  }
}

std::string_view advice(int error) {
  if (error == kErrorNotInitialized) {
    return "; CUDA does not work in a child of fork(): start processes afresh (spawn)";
  }
  return "";
}

}  // namespace

std::string words_of(const DriverFunctions& functions, int error) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (functions.error_name(error, &name) != kSuccess || functions.error_string(error, &text) != kSuccess ||
      name == nullptr || text == nullptr) {
    return fmt::format("CUDA error {}", error);
  }
  return fmt::format("{} ({}): {}{}", name, error, text, advice(error));
}

// "The context cannot be used" and "must be terminated and relaunched" in the driver's header.
bool is_final(int error) {
  switch (error) {
    case kErrorNotInitialized:
    case kErrorDeinitialized:
    case kErrorUncorrectable:
    case kErrorLinkUncorrectable:
    case kErrorIllegalAddress:
    case kErrorLaunchTimeout:
    case kErrorContextDestroyed:
    case kErrorAssert:
      return true;
    default:
      return error >= kErrorHardwareStack && error <= kErrorLaunchFailed;
  }
}

Status status_of(const DriverFunctions& functions, int error, std::string_view what) {
  if (error == kSuccess) {
    return ok_status();
  }
  return make_status(code_of(error), "{}: {}", what, words_of(functions, error));
}

}  // namespace forebay::cuda
