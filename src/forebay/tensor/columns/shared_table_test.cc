// Uses real processes: this program starts itself again as the reader.
#include "forebay/tensor/columns/shared_table.h"
#include "forebay/base/testing/wait_for_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "forebay/memory/copy.h"
#include "forebay/tensor/testing/sample_table.h"

namespace forebay::tensor {
namespace {

using testing::sample_table;

constexpr int64_t kRows = 1000;
constexpr const char* kDescriptor = "FOREBAY_SHARED_TABLE_DESCRIPTOR";
constexpr const char* kAddress = "FOREBAY_SHARED_TABLE_ADDRESS";
constexpr std::string_view kOnlyTheReader = "--gtest_filter=SharedTable.ReaderProcess";

const std::byte* address_of(const Table& table) {
  return table.column("int32").value()->buffers[1].data();
}

// Runs this program as the reader and returns its exit status.
int run_reader(int descriptor, const std::byte* address) {
  setenv(kDescriptor, std::to_string(descriptor).c_str(), 1);
  setenv(kAddress, std::to_string(reinterpret_cast<uintptr_t>(address)).c_str(), 1);
  std::string program = "/proc/self/exe";
  std::string filter(kOnlyTheReader);
  char* arguments[] = {program.data(), filter.data(), nullptr};
  pid_t reader = 0;
  const int error = posix_spawn(&reader, program.c_str(), nullptr, nullptr, arguments, environ);
  unsetenv(kDescriptor);
  unsetenv(kAddress);
  int status = -1;
  EXPECT_EQ(error, 0);
  EXPECT_EQ(wait_for_child(reader, &status), reader);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SharedTable, AnotherProcessReadsItAtAnotherAddress) {
  const Table table = sample_table(kRows);
  const FileDescriptor shared = *share_table(table);
  const Table mapped = *open_shared_table(shared.get());
  EXPECT_TRUE(equal_values(mapped, table));
  ASSERT_EQ(fcntl(shared.get(), F_SETFD, 0), 0);  // the reader inherits it
  EXPECT_EQ(run_reader(shared.get(), address_of(mapped)), 0);
}

TEST(SharedTable, ReaderProcess) {
  const char* const descriptor = std::getenv(kDescriptor);
  const char* const address = std::getenv(kAddress);
  if (descriptor == nullptr || address == nullptr) {
    GTEST_SKIP() << "started by the test above";
  }
  // Occupies the other process's address here, so that the table must be mapped elsewhere.
  constexpr size_t kPage = 4096;
  auto* const theirs = reinterpret_cast<std::byte*>(std::strtoull(address, nullptr, 10) / kPage * kPage);
  (void)mmap(theirs, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  const uint64_t before = memory::bytes_copied();
  const Table table = *open_shared_table(std::atoi(descriptor));
  EXPECT_LE(memory::bytes_copied() - before, 4096);  // only the description was copied
  EXPECT_NE(address_of(table), reinterpret_cast<std::byte*>(std::strtoull(address, nullptr, 10)));
  EXPECT_TRUE(equal_values(table, sample_table(kRows)));
}

TEST(SharedTable, IsSealed) {
  const FileDescriptor shared = *share_table(sample_table(10));
  EXPECT_NE(ftruncate(shared.get(), 64), 0);
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared.get(), 0), MAP_FAILED);
  const char byte = 0;
  EXPECT_LT(pwrite(shared.get(), &byte, 1, 0), 0);
}

TEST(SharedTable, UnsealedMemoryIsRefused) {
  const FileDescriptor open_memory(memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open_memory.get(), 4096), 0);
  EXPECT_EQ(open_shared_table(open_memory.get()).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(open_shared_table(-1).ok());
  ASSERT_EQ(fcntl(open_memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), 0);
  EXPECT_EQ(open_shared_table(open_memory.get()).status().code(), StatusCode::kDataLoss);
}

TEST(SharedTable, TheTableOutlivesTheDescriptor) {
  FileDescriptor shared = *share_table(sample_table(10));
  const Table table = *open_shared_table(shared.get());
  shared = FileDescriptor();
  EXPECT_TRUE(equal_values(table, sample_table(10)));
}

TEST(SharedTable, Files) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("forebay_tables_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = folder / "a.table";
  ASSERT_TRUE(save_table(sample_table(kRows), path).ok());
  const Table first = *load_table(path);
  ASSERT_TRUE(save_table(sample_table(7), path).ok());  // `first` keeps the old file
  EXPECT_TRUE(equal_values(first, sample_table(kRows)));
  EXPECT_TRUE(equal_values(*load_table(path), sample_table(7)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  EXPECT_EQ(load_table(folder / "none").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(load_table(folder).status().code(), StatusCode::kDataLoss);
  EXPECT_FALSE(save_table(sample_table(1), folder / "no folder" / "b").ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace forebay::tensor
