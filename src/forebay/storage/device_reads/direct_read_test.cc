// Reads to a device that reads files itself: a simulated device with that ability.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "forebay/memory/device/direct_reader.h"
#include "forebay/memory/device_driver.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/device_reads/device_read.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/hooked_store.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/simulated_place.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using ::testing::HasSubstr;

/// What the reader below does.
struct Script {
  Status open_error;
  Status read_error;
  std::function<void()> after_read;
};

/// Reads on a queue of its own.
class SimulatedFile final : public memory::DirectFile {
 public:
  SimulatedFile(std::shared_ptr<memory::SimulatedDevice> device, const Script& script, std::string content)
      : device_(std::move(device)), script_(script), content_(std::move(content)) {}

  Status read(void* destination, size_t bytes, uint64_t offset_bytes) override {
    constexpr uint32_t kOwnQueue = 2;
    const size_t filled = script_.read_error.ok() ? bytes : bytes / 2;
    FOREBAY_RETURN_IF_ERROR(device_->submit(kOwnQueue, [&] {
      memory::copy_for_driver(destination, content_.data() + offset_bytes, filled);
      return ok_status();
    }));
    FOREBAY_RETURN_IF_ERROR(memory::wait(*device_->record(kOwnQueue)));
    if (script_.after_read) {
      script_.after_read();
    }
    return script_.read_error;
  }

 private:
  const std::shared_ptr<memory::SimulatedDevice> device_;
  const Script& script_;
  const std::string content_;
};

class SimulatedReader final : public memory::DirectReader {
 public:
  SimulatedReader(std::shared_ptr<memory::SimulatedDevice> device, const Script& script)
      : device_(std::move(device)), script_(script) {}

  Result<std::unique_ptr<memory::DirectFile>> open(const std::string& path) override {
    FOREBAY_RETURN_IF_ERROR(script_.open_error);
    std::ifstream file(path, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(file), {});
    return std::make_unique<SimulatedFile>(device_, script_, std::move(content));
  }

 private:
  const std::shared_ptr<memory::SimulatedDevice> device_;
  const Script& script_;
};

class DirectReadTest : public SimulatedPlaceTest {
 protected:
  DirectReadTest() {
    put(text_);
    teach(true, 1);
  }
  ~DirectReadTest() override {
    for (const bool eager : {false, true}) {
      memory::set_direct_reader(device(eager)->driver(), nullptr);
    }
  }

  void teach(bool eager, uint64_t seed) {
    use(eager, seed);
    memory::set_direct_reader(device_->driver(), std::make_shared<SimulatedReader>(device_, script_));
  }

  void put(const std::string& text) {
    ASSERT_EQ(write_now(store_, "k", as_bytes(text)).status(), ok_status());
  }

  Result<DeviceRead> read(const DevicePlace& place, const DeviceReadOptions& options = {.chunk_bytes = 100}) {
    return end_of(read_to_device(store_, {.key = "k", .offset_bytes = 7}, place, options));
  }

  void expect_direct(const DevicePlace& to, const Result<DeviceRead>& got) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(got->is_direct()) << got->direct;
    EXPECT_EQ(to.buffer->last_write(), Fence{});
    EXPECT_EQ(look(*to.buffer).substr(to.offset_bytes), text_.substr(7));
  }

  /// Checks that the bytes came through the host, and for which reason.
  void expect_staged(const DevicePlace& to, const Result<DeviceRead>& got, const std::string& words) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_FALSE(got->is_direct());
    EXPECT_THAT(std::string(message(got->direct)), HasSubstr(words));
    EXPECT_EQ(look(*to.buffer), text_.substr(7));
  }

  TemporaryDirectory directory_;
  HookedStore store_{std::make_shared<LocalStore>(LocalStoreOptions{.root = directory_.path()})};
  const std::string text_ = text_of_length(1007);
  Script script_;
};

TEST_F(DirectReadTest, AFileGoesPastTheHost) {
  const DevicePlace to = place(1010, 10);
  size_t host_reads = 0;
  store_.before_read = [&](const ReadRequest&) { ++host_reads; };
  const uint64_t copied = memory::bytes_copied();
  const Result<DeviceRead> got = read(to);
  EXPECT_EQ(memory::bytes_copied(), copied);
  EXPECT_EQ(host_reads, 0u);
  expect_direct(to, got);
  EXPECT_EQ(got->size_bytes, 1000u);
}

TEST_F(DirectReadTest, EarlierWorkIsWaitedFor) {
  const std::string old_text = text_of_length(1000, 2);
  for (uint64_t seed = 0; seed < 500; ++seed) {
    teach(seed % 2 == 0, seed);
    const DevicePlace to = place(1000);
    to.buffer->set_last_write(fill(*to.buffer, 1, old_text));
    std::string seen = old_text;
    if (seed % 4 < 2) {
      seen.assign(1000, '\0');
      ASSERT_EQ(memory::wait_on_queue(device_->driver(), 3, to.buffer->last_write()), ok_status());
      to.buffer->add_reader(
          *memory::copy_async(device_->driver(), 3, seen.data(), to.buffer->data(), seen.size()));
    }
    expect_direct(to, read(to));
    ASSERT_EQ(seen, old_text) << "seed " << seed;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

// A pool may hand out memory that earlier work of the queue still uses.
TEST_F(DirectReadTest, EarlierWorkOfTheQueueIsWaitedForThoughTheBufferKnowsNothingOfIt) {
  const std::string old_text = text_of_length(1000, 2);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    teach(seed % 2 == 0, seed);
    const DevicePlace to = place(1000);
    fill(*to.buffer, 0, old_text);
    const Result<DeviceRead> got = read(to);
    EXPECT_EQ(device_->synchronize(), ok_status());
    expect_direct(to, got);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_F(DirectReadTest, WhereItCannotBeTheHostDoesIt) {
  const DevicePlace to = place(1000);
  expect_staged(to, read(to, {.may_be_direct = false}), "not asked for");
  script_.read_error = unavailable("the disk is on another bus");
  expect_staged(to, read(to), "another bus");
  script_.open_error = unimplemented("no such file system");
  expect_staged(to, read(to), "no such file system");
  memory::set_direct_reader(device_->driver(), nullptr);
  expect_staged(to, read(to), "'simulated' cannot read files into its own memory");
}

TEST_F(DirectReadTest, ObjectsThatAreNoFilesAndHostMemoryGoThroughTheHost) {
  MemoryStore memory;
  ASSERT_TRUE(write_now(memory, "k", as_bytes(text_)).ok());
  const DevicePlace to = place(1000);
  expect_staged(to, end_of(read_to_device(memory, {.key = "k", .offset_bytes = 7}, to)),
                "is not a local file");
  DevicePlace host = to;
  host.buffer = *memory::Buffer::allocate(1000);
  const Result<DeviceRead> got = read(host);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(std::string(message(got->direct)),
              HasSubstr("direct reads go to device memory, not to host memory"));
}

TEST_F(DirectReadTest, AFileThatChangesMeanwhileIsAnError) {
  const std::string other = text_of_length(2000, 2);
  script_.after_read = [&] { put(other); };
  const Status changed = read(place(1000)).status();
  EXPECT_EQ(changed.code(), StatusCode::kAborted);
  EXPECT_THAT(std::string(message(changed)), HasSubstr(store_.uri_of("k")));
  const Status another = read_to_device(store_, {.key = "k", .if_version = "another"}, place(2000)).status();
  EXPECT_EQ(another.code(), StatusCode::kAborted);
  EXPECT_EQ(read_to_device(store_, {.key = "no"}, place(1)).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read_to_device(store_, {.key = "k", .length_bytes = 2001}, place(3000)).status().code(),
            StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace forebay::storage
