#include "forebay/memory/adaptors/logging_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::memory {
namespace {

using ::testing::HasSubstr;

class Logging : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "forebay_log_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& text) const {
    std::ofstream(path("log.csv")) << text;
    return path("log.csv");
  }

  std::filesystem::path folder_;
};

TEST_F(Logging, Conforms) {
  check_conformance(
      {.make = [] { return std::make_shared<LoggingResource>(host_pool(), *RequestLog::create({})); }});
}

TEST_F(Logging, WritesDownWhatHappened) {
  SteppedClock clock;
  const auto log = *RequestLog::create({}, clock);
  LoggingResource logged(host_resource(), log);
  void* const block = *logged.allocate(100);
  clock.advance_ns(5000);
  EXPECT_FALSE(logged.allocate(std::numeric_limits<size_t>::max()).ok());
  logged.deallocate_on(block, 100, {0, 7});
  const std::vector<Request> records = log->records();
  ASSERT_EQ(records.size(), 3);
  EXPECT_EQ(records[0].action, RequestAction::kAllocate);
  EXPECT_EQ(records[0].pointer, reinterpret_cast<uintptr_t>(block));
  EXPECT_EQ(records[0].bytes, 100);
  EXPECT_EQ(records[1].action, RequestAction::kFailure);
  EXPECT_EQ(records[1].time_ns, records[0].time_ns + 5000);
  EXPECT_EQ(records[2].action, RequestAction::kFree);
  EXPECT_EQ(records[2].queue, (Queue{0, 7}));
  EXPECT_EQ(records[2].thread, records[0].thread);
}

TEST_F(Logging, ThreadsFillRingsOfTheirOwn) {
  for (const std::string& file : {std::string(), path("log")}) {
    const auto log = *RequestLog::create({.path = file, .records_per_thread = 7});
    const auto logged = std::make_shared<LoggingResource>(host_resource(), log);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (size_t bytes = 1; bytes <= 500; ++bytes) {
          logged->deallocate(*logged->allocate(bytes), bytes, Fence{});
        }
      });
    }
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(log->flush().ok());
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_TRUE(log->flush().ok());
    const std::vector<Request> records = file.empty() ? log->records() : *read_log(file);
    EXPECT_EQ(records.size(), 4000);
    EXPECT_EQ(log->lost(), 0);
    std::map<uint32_t, std::vector<Request>> by_thread;
    for (const Request& record : records) {
      by_thread[record.thread].push_back(record);
    }
    EXPECT_EQ(by_thread.size(), 4);
    for (const auto& [thread, own] : by_thread) {
      for (size_t i = 0; i < own.size(); ++i) {
        EXPECT_EQ(own[i].bytes, i / 2 + 1) << "each thread's own order is kept";
      }
    }
  }
}

TEST_F(Logging, KeepsSoManyRecordsWithoutAFile) {
  const auto log = *RequestLog::create({.records_per_thread = 3, .most_records = 10});
  for (int i = 0; i < 25; ++i) {
    log->add(RequestAction::kAllocate, nullptr, 1, {});
  }
  EXPECT_EQ(log->records().size(), 10);
  EXPECT_EQ(log->lost(), 15);
}

TEST_F(Logging, TextHasTheColumnsOfRmm) {
  const std::vector<Request> requests = {
      {.time_ns = 1755871622841961000, .pointer = 0x1000, .bytes = 256, .thread = 5},
      {.time_ns = 1755871622841962000,
       .bytes = 99,
       .queue = {2, 3},
       .thread = 5,
       .action = RequestAction::kFailure},
      {.time_ns = 1755871623000000999,
       .pointer = 0x1000,
       .bytes = 256,
       .thread = 6,
       .action = RequestAction::kFree}};
  const std::string text = to_csv(requests);
  EXPECT_EQ(text,
            "Thread,Time,Action,Pointer,Size,Stream\n"
            "5,14:07:02.841961,allocate,0x1000,256,0x0\n"
            "5,14:07:02.841962,allocate failure,0x0,99,0x200000003\n"
            "6,14:07:03.000000,free,0x1000,256,0x0\n");
  const std::vector<Request> again = *read_log(write(text));
  ASSERT_EQ(again.size(), 3);
  EXPECT_EQ(again[1].queue, (Queue{2, 3}));
  EXPECT_EQ(again[2].time_ns % 1000000000, 0);
  EXPECT_EQ(to_csv(again), text);
}

TEST_F(Logging, ReadsWhatRmmWrites) {
  const std::vector<Request> requests =
      *read_log(write("Thread,Time,Action,Pointer,Size,Stream\n"
                      "1979932,14:21:19:998533,allocate,0x30a000000,256,0x2\r\n"
                      "140573312345856,1634567890.123456,allocate,0x7f8a40000000,1024,0x7f8a38001020\n"
                      "1979932,14:21:32.661875,allocate failure,(nil),99999999999,0\n"
                      "1980043,14:21:32.661875,free,0x30a000000,256,0x2"));
  ASSERT_EQ(requests.size(), 4);
  EXPECT_EQ(requests[0].time_ns, 51679998533000);
  EXPECT_EQ(requests[0].queue, (Queue{0, 2}));
  EXPECT_EQ(requests[1].time_ns, 1634567890123456000);
  EXPECT_EQ(requests[1].queue, (Queue{0x7f8a, 0x38001020}));
  EXPECT_EQ(requests[2].bytes, 99999999999);
  EXPECT_EQ(requests[3].action, RequestAction::kFree);
  EXPECT_EQ(requests[3].pointer, 0x30a000000);
}

TEST_F(Logging, NamesTheLineThatMakesNoSense) {
  const std::string columns = "Thread,Time,Action,Pointer,Size,Stream\n";
  for (const std::string line : {"1,0:0:0.0,allocate,0x1,5", "1,0:0:0.0,allocate,0x1,5,0,0",
                                 "1,0:0:0.0,steal,0x1,5,0", "x,,free,0x1,5,0", "1,0:0:0.0,free,0x,5,0",
                                 "1,0:0:0.0,free,0x1,-5,0", "1,0:0:0.0,free,0x1,99999999999999999999,0"}) {
    const Status status = read_log(write(columns + "1,,free,0x1,5,0\n" + line + "\n")).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << line;
    EXPECT_THAT(std::string(message(status)), HasSubstr("line 3: not a request")) << line;
  }
  EXPECT_THAT(std::string(message(read_log(write("hello\n")).status())), HasSubstr("line 1: neither a log"));
  EXPECT_FALSE(read_log(::testing::TempDir()).ok());  // can be opened, but not read
  EXPECT_THAT(std::string(message(read_log(write(columns + std::string(1000, '1'))).status())),
              HasSubstr("line 2: too long"));
  EXPECT_EQ(read_log(write(columns + "1,,free,0x1,5,0\n1,,free,0x1,5,0\n"), 1).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(read_log(path("none")).status().code(), StatusCode::kNotFound);
}

TEST_F(Logging, RefusesRecordsThatMakeNoSense) {
  const std::string file = path("log");
  {
    const auto log = *RequestLog::create({.path = file});
    log->add(RequestAction::kAllocate, nullptr, 1, {});
    log->add(static_cast<RequestAction>(9), nullptr, 1, {});
  }
  EXPECT_THAT(std::string(message(read_log(file).status())), HasSubstr("record 1 is invalid"));
}

}  // namespace
}  // namespace forebay::memory
