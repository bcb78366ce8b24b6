#include "forebay/storage/local/uring_reader.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/wait_for_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <semaphore>
#include <string>

#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

std::atomic<bool> takes_reads = true;

/// Refuses like a kernel that is short of something, or like a sandbox that denies reads.
int submit_or_refuse(io_uring* ring) {
  return takes_reads ? io_uring_submit(ring) : -EBUSY;
}

class UringReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(directory_ / "k") << "0123456789";
    file_ = ::open((directory_ / "k").c_str(), O_RDONLY);
    takes_reads = true;
    reader_ = UringReader::create(8, submit_or_refuse);
    if (!reader_) {
      GTEST_SKIP() << "no io_uring here";
    }
  }
  void TearDown() override { ::close(file_); }

  bool submit(uint64_t offset) {
    return reader_->submit(file_, &bytes_[offset], 1, offset, [this](int32_t result) {
      EXPECT_EQ(result, 1);
      answers_.release();
    });
  }

  TemporaryDirectory directory_;
  int file_ = -1;
  std::array<char, 10> bytes_{};
  std::counting_semaphore<> answers_{0};
  std::unique_ptr<UringReader> reader_;
};

#if !FOREBAY_ADDRESS_SANITIZER && !FOREBAY_THREAD_SANITIZER  // they need the address space themselves
TEST_F(UringReaderTest, WithoutAThreadThereIsNone) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    // Leaves room for the ring, but not for a thread's stack, nor for a cached one of an earlier thread.
    pthread_attr_t stack{};
    pthread_attr_init(&stack);
    pthread_attr_setstacksize(&stack, size_t{64} << 20);
    pthread_setattr_default_np(&stack);
    const rlim_t bytes = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + (size_t{2} << 20);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
    setrlimit(RLIMIT_AS, &limit);
    _exit(UringReader::create(8) == nullptr ? 0 : 1);
  }
  int state = 0;
  wait_for_child(child, &state);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << state;
}
#endif

TEST_F(UringReaderTest, Reads) {
  for (uint64_t offset = 0; offset < 5; ++offset) {
    ASSERT_TRUE(submit(offset));
  }
  for (int i = 0; i < 5; ++i) {
    answers_.acquire();
  }
  EXPECT_EQ(std::string(bytes_.data(), 5), "01234");
}

TEST_F(UringReaderTest, WhatTheKernelRefusesIsRefusedAndForgotten) {
  takes_reads = false;
  for (int i = 0; i < 100; ++i) {  // more than the queue holds
    EXPECT_FALSE(submit(0));
  }
  EXPECT_EQ(bytes_[0], 0);
  reader_.reset();  // ends although the ring accepts nothing
}

TEST_F(UringReaderTest, ReadsGoOnWhenTheKernelTakesThemAgain) {
  takes_reads = false;
  EXPECT_FALSE(submit(1));
  EXPECT_FALSE(submit(2));
  takes_reads = true;
  ASSERT_TRUE(submit(3));
  answers_.acquire();
  EXPECT_EQ(bytes_[3], '3');
  EXPECT_EQ(bytes_[1], 0);
  EXPECT_FALSE(answers_.try_acquire());
}

TEST_F(UringReaderTest, MayGoInItsOwnCallback) {
  std::binary_semaphore started(0);
  ASSERT_TRUE(reader_->submit(file_, &bytes_[0], 1, 0, [&](int32_t) {
    started.acquire();
    reader_.reset();
    answers_.release();
  }));
  ASSERT_TRUE(submit(1));
  started.release();
  answers_.acquire();
  answers_.acquire();  // the read behind it is still answered
}

}  // namespace
}  // namespace forebay::storage
