// Direct files over a fake cuFile made of a few functions, and on a GPU over the real one.
#include "forebay/cuda/files/direct_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"

namespace forebay::cuda {
namespace {

using ::testing::HasSubstr;

/// What the functions below do; each test sets it.
struct Script {
  size_t most_bytes = 1 << 20;  // per call
  int interruptions = 0;
  ssize_t error = 0;  // what a read returns instead of a count, with errno set to EIO
  FileError register_error;
  int registered = 0;
  bool is_direct = false;  // of the descriptor registered last
};
Script script;

FileError open_nothing() {
  return {};
}

FileError register_descriptor(FileHandle* handle, FileDescription* file) {
  if (script.register_error.error != kFileSuccess) {
    return script.register_error;
  }
  ++script.registered;
  script.is_direct = (::fcntl(file->descriptor, F_GETFL) & O_DIRECT) != 0;
  *handle = new int(file->kind == kFileDescriptor ? file->descriptor : -1);
  return {};
}

void deregister(FileHandle handle) {
  --script.registered;
  delete static_cast<int*>(handle);
}

// Like pread, in pieces, to memory that need not have the alignment that O_DIRECT requires.
ssize_t read_some(FileHandle handle, void* memory, size_t bytes, off_t offset_in_file,
                  off_t offset_in_memory) {
  if (script.interruptions > 0) {
    --script.interruptions;
    errno = EINTR;
    return -1;
  }
  if (script.error != 0) {
    errno = EIO;
    return script.error;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(*static_cast<int*>(handle));
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset_in_file);
  file.read(static_cast<char*>(memory) + offset_in_memory,
            static_cast<std::streamsize>(std::min(bytes, script.most_bytes)));
  return file.gcount();
}

constexpr FileFunctions kFunctions = {.driver_open = open_nothing,
                                      .handle_register = register_descriptor,
                                      .handle_deregister = deregister,
                                      .read = read_some};

/// A file of a few thousand bytes, deleted after the test.
class ContentFile {
 public:
  ContentFile() {
    for (int i = 0; i < 9000; ++i) {
      content_ += static_cast<char>(i * 7 + i / 256);
    }
    const int descriptor = ::mkstemp(path_.data());
    EXPECT_EQ(::write(descriptor, content_.data(), content_.size()), static_cast<ssize_t>(content_.size()));
    ::close(descriptor);
  }
  ~ContentFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  const std::string& content() const { return content_; }

 private:
  std::string path_ = ::testing::TempDir() + "/direct_file_XXXXXX";
  std::string content_;
};

class DirectFileTest : public ::testing::Test {
 protected:
  void SetUp() override { script = Script(); }
  void TearDown() override { EXPECT_EQ(script.registered, 0); }

  Status read(size_t bytes, uint64_t offset_bytes) {
    FOREBAY_ASSIGN_OR_RETURN(const auto opened, DirectFile::open(kFunctions, nullptr, file_.path()));
    got_.assign(bytes, '\0');
    return opened->read(got_.data(), bytes, offset_bytes);
  }

  ContentFile file_;
  std::string got_;
};

TEST_F(DirectFileTest, ReadsARangeInAsManyCallsAsItTakes) {
  script.most_bytes = 700;
  script.interruptions = 2;
  ASSERT_EQ(read(5000, 123), ok_status());
  EXPECT_EQ(got_, file_.content().substr(123, 5000));
  ASSERT_EQ(read(0, 123), ok_status());
}

TEST_F(DirectFileTest, TheEndOfTheFileIsNamed) {
  const Status status = read(5000, 8000);
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(message(status)), HasSubstr(file_.path() + " at 9000: the file ends there"));
}

TEST_F(DirectFileTest, ErrorsOfTheSystemAndOfCuFileAreToldApart) {
  script.error = -1;
  const Status system = read(100, 50);
  EXPECT_THAT(std::string(message(system)), HasSubstr(file_.path() + " at 50: Input/output error"));
  script.error = -kFileErrorMemoryKind;
  const Status cufile = read(100, 50);
  EXPECT_EQ(cufile.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(cufile)), HasSubstr("cuFile error 5013"));
}

TEST_F(DirectFileTest, AFileThatIsNotThereOrNotKnownIsAnErrorThatNamesIt) {
  const Status missing = DirectFile::open(kFunctions, nullptr, file_.path() + ".no").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(message(missing)), HasSubstr(file_.path() + ".no"));
  script.register_error = {.error = kFileErrorFile};
  const Status refused = DirectFile::open(kFunctions, nullptr, file_.path()).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(refused)), HasSubstr(file_.path()));
}

TEST_F(DirectFileTest, AFileSystemThatRefusesODirectIsAskedWithout) {
  const char* const path = "/proc/self/status";
  const int refused = ::open(path, O_RDONLY | O_DIRECT);
  ASSERT_EQ(refused, -1);
  ASSERT_EQ(errno, EINVAL);
  script.is_direct = true;
  ASSERT_TRUE(DirectFile::open(kFunctions, nullptr, path).ok());
  EXPECT_FALSE(script.is_direct);
}

class CudaDirectFile : public GpuTest {};

TEST_F(CudaDirectFile, FillsDeviceMemory) {
  const Status cufile = file_functions().status();
  if (!cufile.ok()) {
    GTEST_SKIP() << message(cufile);
  }
  const ContentFile file;
  const auto opened = memory::find_direct_reader(device_->driver())->open(file.path());
  if (!opened.ok()) {
    GTEST_SKIP() << message(opened.status());
  }
  const memory::BufferRef buffer = *memory::Buffer::allocate(8192, device_resource(device_));
  ASSERT_EQ((*opened)->read(buffer->data(), 8000, 123), ok_status());
  std::string back(8000, '\0');
  ASSERT_EQ(memory::wait(*memory::copy_async(device_->driver(), 0, back.data(), buffer->data(), back.size())),
            ok_status());
  EXPECT_EQ(back, file.content().substr(123, 8000));
}

}  // namespace
}  // namespace forebay::cuda
