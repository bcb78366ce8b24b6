#include "forebay/kernels/linear_algebra/blas_library.h"

#include <cblas.h>  // the values of its enumerations
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/kernels/linear_algebra/blas_buffers.h"

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

/// Of the address space of this process.
uint64_t mapped_bytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(BlasLibraryTest, BuffersThatWereMadeServeProducts) {
  constexpr uint64_t kLess = kBlasBufferBytes / 2;  // the test's own memory
  constexpr int kSize = 300;                        // more than is multiplied without a buffer
  const Result<const BlasLibrary*> blas = blas_library();
  ASSERT_TRUE(blas.ok()) << message(blas.status());
  if ((*blas)->take_buffer == nullptr) {
    GTEST_SKIP() << "this OpenBLAS does not export how it takes buffers";
  }
  (*blas)->make_buffers(1);
  const uint64_t with_one = mapped_bytes();
  (*blas)->make_buffers(4);
  const uint64_t with_four = mapped_bytes();
  (*blas)->make_buffers(4);
  const std::vector<double> ones(kSize * kSize, 1);
  std::vector<double> out(kSize * kSize);
  std::vector<void*> taken;
  for (int others = 0; others < 4; ++others) {
    (*blas)->dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1, ones.data(), kSize,
                   ones.data(), kSize, 0, out.data(), kSize);
    EXPECT_EQ(out.back(), kSize);
    taken.push_back((*blas)->take_buffer(0));
  }
  EXPECT_LT(mapped_bytes(), with_four + kLess) << "nothing new for as many products at once";
  for (void* const buffer : taken) {
    (*blas)->return_buffer(buffer);
  }
  EXPECT_LE(with_four, with_one + 3 * kBlasBufferBytes + kLess) << "a buffer is no larger";
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
