#include "forebay/cuda/driver/driver_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "forebay/cuda/check/device_check.h"
#include "forebay/cuda/device.h"
#include "forebay/cuda/driver/devices.h"
#include "forebay/cuda/driver/error.h"
#include "forebay/cuda/driver/kernel_module.h"

namespace forebay::cuda {
namespace {

using ::testing::HasSubstr;

TEST(DriverFunctions, AMissingLibraryIsNamedWithWhatToDo) {
  const Result<DriverFunctions> functions = load_driver_functions("libforebay-has-no-such.so.1");
  EXPECT_EQ(functions.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("no NVIDIA driver"));
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("libforebay-has-no-such.so.1"));
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("install the driver"));
}

TEST(DriverFunctions, ALibraryWithoutAFunctionIsNamedWithIt) {
  const Result<DriverFunctions> functions = load_driver_functions("libc.so.6");
  EXPECT_EQ(functions.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("libc.so.6 has no function cuInit"));
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("CUDA 12.2 or newer"));
}

TEST(DriverFunctions, EveryEntryGivesTheSameErrorWhereThereIsNoDriver) {
  const Result<const DriverFunctions*> functions = driver_functions();
  if (functions.ok()) {
    GTEST_SKIP() << "this machine has a driver";
  }
  EXPECT_EQ(functions.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(driver_functions().status(), functions.status());
  EXPECT_EQ(driver_version().status(), functions.status());
  EXPECT_EQ(list_devices().status(), functions.status());
  EXPECT_EQ(describe_device(0).status(), functions.status());
  EXPECT_EQ(Context::open(0).status(), functions.status());
  EXPECT_EQ(Device::create().status(), functions.status());
  EXPECT_EQ(check_device(0), functions.status());
}

// Stands in for the driver's functions that name and describe errors.
int no_words(int, const char**) {
  return kErrorInvalidValue;
}

TEST(DriverErrors, HaveACodeAndSayWhatWasAsked) {
  DriverFunctions functions;
  functions.error_name = no_words;
  functions.error_string = no_words;
  EXPECT_TRUE(status_of(functions, kSuccess, "a stream").ok());
  EXPECT_EQ(status_of(functions, kErrorOutOfMemory, "a stream"),
            resource_exhausted("a stream: CUDA error 2"));
  EXPECT_EQ(status_of(functions, kErrorInvalidDevice, "a stream").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status_of(functions, kErrorNotSupported, "a stream").code(), StatusCode::kUnimplemented);
  EXPECT_EQ(status_of(functions, kErrorNotInitialized, "a stream").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(status_of(functions, 700, "a stream"), unavailable("a stream: CUDA error 700"));
}

TEST(KernelModule, SaysWhenABuildHasNoKernels) {
  const Status status = KernelModule::load(nullptr, KernelImage{}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(status)), HasSubstr("make cuda"));
  EXPECT_EQ(pattern_image().data == nullptr, kernel_targets().empty());
}

}  // namespace
}  // namespace forebay::cuda
