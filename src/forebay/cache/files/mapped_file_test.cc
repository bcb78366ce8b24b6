#include "forebay/cache/files/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/system_error.h"
#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cache {
namespace {

TEST(MappedFileTest, ZerosFollowTheEndOfAFileOfAnySize) {
  const TemporaryDirectory directory;
  const auto page_bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  for (const size_t bytes : {size_t{1}, page_bytes - 65, page_bytes - 64, page_bytes - 63, page_bytes - 1,
                             page_bytes, page_bytes + 1, 3 * page_bytes}) {
    std::ofstream(directory / "file") << std::string(bytes, 'x');
    const FileDescriptor file(::open((directory / "file").c_str(), O_RDONLY | O_CLOEXEC));
    const Result<MappedFile> mapped = MappedFile::map(file.get(), bytes, 64, "file");
    ASSERT_TRUE(mapped.ok()) << mapped.status();
    ASSERT_EQ(mapped->bytes().size(), bytes);
    const Bytes behind = {mapped->bytes().data() + bytes, 64};
    EXPECT_TRUE(std::ranges::all_of(mapped->bytes(), [](std::byte each) { return each == std::byte{'x'}; }));
    EXPECT_TRUE(std::ranges::all_of(behind, [](std::byte each) { return each == std::byte{0}; })) << bytes;
  }
}

TEST(MappedFileTest, ErrorsKeepTheirErrno) {
  for (const uint64_t zeros : {0, 64}) {
    const Result<MappedFile> mapped = MappedFile::map(-1, 4096, zeros, "no file");
    EXPECT_EQ(errno_of(mapped.status()), EBADF) << mapped.status();
  }
}

}  // namespace
}  // namespace forebay::cache
