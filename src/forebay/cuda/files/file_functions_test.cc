#include "forebay/cuda/files/file_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "forebay/cuda/driver/driver_functions.h"
#include "forebay/cuda/files/direct_file.h"

namespace forebay::cuda {
namespace {

using ::testing::HasSubstr;

TEST(FileFunctions, AMissingLibraryIsNamedWithWhatToDo) {
  const Result<FileFunctions> functions = load_file_functions("libforebay-has-no-such.so.0");
  EXPECT_EQ(functions.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("no cuFile: libforebay-has-no-such.so.0"));
  EXPECT_THAT(std::string(message(functions.status())), HasSubstr("nvidia-cufile"));
}

TEST(FileFunctions, ALibraryWithoutAFunctionIsNamedWithIt) {
  const Result<FileFunctions> functions = load_file_functions("libc.so.6");
  EXPECT_EQ(functions.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(functions.status())),
              HasSubstr("libc.so.6 has no function cuFileDriverOpen"));
}

TEST(FileFunctions, EveryEntryGivesTheDriversErrorWhereThereIsNoDriver) {
  const Status driver = driver_functions().status();
  if (driver.ok()) {
    GTEST_SKIP() << "this machine has a driver";
  }
  EXPECT_EQ(file_functions().status(), driver);
  EXPECT_EQ(direct_reader(nullptr)->open("/etc/hostname").status(), driver);
}

#if defined(FOREBAY_CUFILE_LIBRARY)
// The answer of cuFile itself without CUDA's driver, which file_functions() never asks for.
TEST(FileFunctions, TheLibraryHasThemAndSaysThatItDoesNotStart) {
  if (driver_functions().ok()) {
    GTEST_SKIP() << "this machine has a driver";
  }
  ::setenv("CUFILE_LOGFILE_PATH", "/dev/null", 0);
  const Result<FileFunctions> functions = load_file_functions(FOREBAY_CUFILE_LIBRARY);
  ASSERT_TRUE(functions.ok()) << functions.status();
  const Status opened = status_of(functions->driver_open(), "opening");
  EXPECT_EQ(opened.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(opened)), HasSubstr("cuFile does not start (cuFile error 5033)"));
}
#endif

TEST(FileErrors, HaveACodeAndSayWhatToLookAt) {
  EXPECT_TRUE(status_of(FileError{}, "a file").ok());
  const Status unsupported = status_of({.error = kFileErrorFile}, "a file");
  EXPECT_EQ(unsupported.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(unsupported)),
              HasSubstr("a file: the file's system has no GPUDirect Storage"));
  EXPECT_THAT(std::string(message(unsupported)), HasSubstr("cufile.log"));
  const Status cuda = status_of({.error = kFileErrorCuda, .cuda_error = 700}, "a file");
  EXPECT_EQ(cuda.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(message(cuda)), HasSubstr("cuFile error 5011, CUDA error 700"));
  EXPECT_THAT(std::string(message(status_of({.error = 5099}, "a file"))), HasSubstr("cuFile error 5099"));
}

}  // namespace
}  // namespace forebay::cuda
