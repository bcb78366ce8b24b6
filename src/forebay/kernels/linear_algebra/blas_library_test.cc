#include "forebay/kernels/linear_algebra/blas_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace forebay::kernels {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(const std::vector<std::string>& files) {
  return std::string(message(open_blas_library(files).status()));
}

TEST(BlasLibraryTest, UsesTheVectorsThatTheCpuHas) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    GTEST_SKIP() << "no AVX2, or the kernels are named by OPENBLAS_CORETYPE";
  }
  const Result<const BlasLibrary*> blas = blas_library();
  ASSERT_TRUE(blas.ok()) << message(blas.status());
  EXPECT_STRNE((*blas)->target, "Prescott");
#else
  GTEST_SKIP() << "OpenBLAS falls back on x86 alone";
#endif
}

TEST(BlasLibraryTest, TakesTheFirstFileThatThereIs) {
  const std::vector<std::string> files = {"/nowhere/_blas.so", "libopenblas.so.0"};
  EXPECT_TRUE(open_blas_library(files).ok());
}

TEST(BlasLibraryTest, SaysWhatToInstall) {
  EXPECT_THAT(refusal_of({"/nowhere/_blas.so", "/nowhere/b.so"}),
              AllOf(HasSubstr("need OpenBLAS: /nowhere/_blas.so: cannot open"),
                    HasSubstr("; /nowhere/b.so: cannot")));
  EXPECT_THAT(refusal_of({"/nowhere/_blas.so"}), HasSubstr("install it (Debian: libopenblas0-pthread)"));
  EXPECT_THAT(refusal_of({"libz.so.1"}), HasSubstr("libz.so.1 lacks its functions"));
  EXPECT_THAT(refusal_of({}), HasSubstr("no file was named"));
}

}  // namespace
}  // namespace forebay::kernels
