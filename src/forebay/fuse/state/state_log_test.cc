#include "forebay/fuse/state/state_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "forebay/base/testing/seeds.h"

namespace forebay::fuse {
namespace {

FileDescriptor same_file(const FileDescriptor& file) {
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
}

FileDescriptor new_file() {
  Result<FileDescriptor> made = StateLog::make_file();
  EXPECT_TRUE(made.ok());
  return made.ok() ? *std::move(made) : FileDescriptor();
}

std::string content_of(const FileDescriptor& file) {
  struct stat status {};
  ::fstat(file.get(), &status);
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  EXPECT_EQ(::pread(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

FileDescriptor file_of(const std::string& bytes) {
  FileDescriptor file = new_file();
  EXPECT_EQ(::ftruncate(file.get(), 0), 0);
  EXPECT_EQ(::pwrite(file.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return file;
}

/// The log, and the records in it. All are of use.
struct ReadLog {
  std::unique_ptr<StateLog> log;
  std::vector<std::string> records;
};

Result<ReadLog> read_log(FileDescriptor file) {
  ReadLog read;
  FOREBAY_ASSIGN_OR_RETURN(read.log, StateLog::open(std::move(file), [&](std::string_view record) {
                             read.records.emplace_back(record);
                             return StateLog::bytes_of(record);
                           }));
  return read;
}

std::vector<std::string> some_records() {
  return {"a", std::string(300, 'b'), std::string("\0\0\0\0\0\0\0\0\0", 9), "d", std::string(17, '\xff')};
}

std::string log_of_some_records() {
  const FileDescriptor file = new_file();
  const Result<ReadLog> read = read_log(same_file(file));
  for (const std::string& each : some_records()) {
    read->log->append(each, StateLog::bytes_of(each));
  }
  return content_of(file);
}

TEST(StateLog, ReadsWhatWasAppendedAndGoesOn) {
  const FileDescriptor file = new_file();
  std::vector<std::string> all;
  for (int round = 0; round < 3; ++round) {
    const Result<ReadLog> read = read_log(same_file(file));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->records, all);
    for (const std::string& each : some_records()) {
      read->log->append(each, StateLog::bytes_of(each));
      all.push_back(each);
    }
  }
}

TEST(StateLog, CutAtAnyByteItHasTheRecordsBefore) {
  const std::string whole = log_of_some_records();
  std::vector<size_t> ends = {4096};
  for (const std::string& each : some_records()) {
    ends.push_back(ends.back() + static_cast<size_t>(StateLog::bytes_of(each)));
  }
  ASSERT_EQ(ends.back(), whole.size());
  for (size_t cut = 4096; cut <= whole.size(); ++cut) {
    const FileDescriptor file = file_of(whole.substr(0, cut));
    const Result<ReadLog> read = read_log(same_file(file));
    ASSERT_TRUE(read.ok());
    const auto wanted = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin() - 1;
    ASSERT_EQ(std::ssize(read->records), wanted) << cut;
    read->log->append("next", 12);
    const Result<ReadLog> again = read_log(same_file(file));
    ASSERT_EQ(std::ssize(again->records), wanted + 1) << cut;
    EXPECT_EQ(again->records.back(), "next");
  }
}

TEST(StateLog, NothingBehindABrokenRecordIsTakenForOne) {
  const std::string whole = log_of_some_records();
  for (size_t at = 4096; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    const Result<ReadLog> read = read_log(file_of(flipped));
    ASSERT_TRUE(read.ok());
    ASSERT_LT(read->records.size(), some_records().size()) << at;
    for (size_t i = 0; i < read->records.size(); ++i) {
      ASSERT_EQ(read->records[i], some_records()[i]) << at;
    }
  }
}

TEST(StateLog, ACopyOfARecordAtAnotherPlaceIsNone) {
  const FileDescriptor file = new_file();
  {
    const Result<ReadLog> read = read_log(same_file(file));
    read->log->append("first", 13);
  }
  const std::string whole = content_of(file);
  const Result<ReadLog> read = read_log(file_of(whole + whole.substr(4096)));
  EXPECT_EQ(read->records, std::vector<std::string>{"first"});
}

TEST(StateLog, AHeaderOfOtherBytesIsRefused) {
  EXPECT_EQ(read_log(file_of("")).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(read_log(file_of(std::string(10'000, '\0'))).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(read_log(file_of(std::string(10'000, '\xff'))).status().code(), StatusCode::kDataLoss);
}

TEST(StateLog, ARecordThatIsNotUnderstoodIsAnError) {
  const Result<std::unique_ptr<StateLog>> log =
      StateLog::open(file_of(log_of_some_records()),
                     [](std::string_view) -> Result<int64_t> { return data_loss("what is that"); });
  EXPECT_EQ(log.status().code(), StatusCode::kDataLoss);
}

TEST(StateLog, IsWrittenAnewOnceMostIsOutOfDate) {
  const FileDescriptor file = new_file();
  const std::string record(1000, 'x');
  std::vector<std::string> live(50, std::string(3000, 'y'));
  int rewritten = 0;
  {
    const Result<ReadLog> read = read_log(same_file(file));
    for (const std::string& each : live) {
      read->log->append(each, StateLog::bytes_of(each));
    }
    for (int i = 0; i < 5000; ++i) {
      read->log->append(record, 0);
      if (read->log->is_due()) {
        ++rewritten;
        read->log->rewrite([&](const StateLog::PutRecord& put) { std::ranges::for_each(live, put); });
        EXPECT_FALSE(read->log->is_due());
      }
      ASSERT_LT(read->log->bytes(), 1 << 20);
    }
    EXPECT_LT(content_of(file).size(), size_t{2} << 20) << "and the file's size is bounded, too";
  }
  EXPECT_GT(rewritten, 10);
  const Result<ReadLog> read = read_log(same_file(file));
  ASSERT_GT(read->records.size(), live.size());
  EXPECT_TRUE(std::equal(live.begin(), live.end(), read->records.begin()));
}

/// No file of this process may be longer.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : before_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, before_handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t before_handler_;
};

TEST(StateLog, SaysThatItLacksRecordsUntilAllIsWrittenAnew) {
  const FileDescriptor file = new_file();
  const std::string long_record(10'000, 'x');
  const Result<ReadLog> read = read_log(same_file(file));
  read->log->append("first", 13);
  {
    const FileLimit limit(8192);
    read->log->append(long_record, StateLog::bytes_of(long_record));
    read->log->append("small", 13);
    EXPECT_TRUE(read->log->is_due());
    EXPECT_EQ(read_log(same_file(file)).status().code(), StatusCode::kDataLoss);
    read->log->rewrite([&](const StateLog::PutRecord& put) { put(long_record); });
    EXPECT_FALSE(read->log->is_due()) << "it does not try again at once";
    EXPECT_EQ(read_log(same_file(file)).status().code(), StatusCode::kDataLoss);
  }
  read->log->rewrite([&](const StateLog::PutRecord& put) { put(long_record); });
  read->log->append("small", 13);
  EXPECT_EQ(read_log(same_file(file))->records, (std::vector<std::string>{long_record, "small"}));
}

TEST(StateLog, ALogThatWasBeingWrittenAnewIsTheFormerOne) {
  const FileDescriptor file = new_file();
  std::string before;
  {
    const Result<ReadLog> read = read_log(same_file(file));
    read->log->append("old", 11);
    read->log->rewrite([&](const StateLog::PutRecord& put) {
      put("new");
      before = content_of(file);
    });
  }
  EXPECT_EQ(read_log(file_of(before))->records, std::vector<std::string>{"old"});
  EXPECT_EQ(read_log(same_file(file))->records, std::vector<std::string>{"new"});
}

TEST(StateLog, AnyBytesAreALogOrRefused) {
  const std::string whole = log_of_some_records();
  for_seeds(2000, [&](uint32_t seed) {
    uint64_t draw = seed * uint64_t{0x9E3779B97F4A7C15};
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) {
      draw = draw * 6364136223846793005 + 1442695040888963407;
      const bool in_header = (draw >> 20) % 4 == 0;
      const size_t at = in_header ? (draw >> 33) % 64 : (draw >> 33) % bytes.size();
      bytes[at] = static_cast<char>(draw >> 56);
    }
    const Result<ReadLog> read = read_log(file_of(bytes));
    if (read.ok()) {
      EXPECT_LE(read->records.size(), some_records().size());
    }
  });
}

}  // namespace
}  // namespace forebay::fuse
