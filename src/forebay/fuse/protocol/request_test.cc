#include "forebay/fuse/protocol/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/fuse/testing/kernel.h"

namespace forebay::fuse {
namespace {

Bytes bytes_of_message(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Result<Request> decode(const std::string& message) {
  return decode_request(bytes_of_message(message));
}

template <class Kind>
Kind decoded(const std::string& message) {
  const Result<Request> request = decode(message);
  EXPECT_TRUE(request.ok()) << request.status();
  return request.ok() ? std::get<Kind>(request->operation) : Kind{};
}

struct Sample {
  std::string name;
  std::string message;
};

/// One of each kind whose body is looked at.
std::vector<Sample> sound_requests() {
  const std::string forgets = bytes_of_value(BatchForgetIn{.count = 2}) + bytes_of_value(ForgetOne{5, 1}) +
                              bytes_of_value(ForgetOne{6, 9});
  return {
      {"init", request_bytes(Opcode::kInit, 0, init_body())},
      {"lookup", request_bytes(Opcode::kLookup, 1, with_nul("caf\xe9 \n.jpg"))},
      {"forget", request_bytes(Opcode::kForget, 7, bytes_of_value(ForgetIn{3}))},
      {"batch_forget", request_bytes(Opcode::kBatchForget, 0, forgets)},
      {"open", request_bytes(Opcode::kOpen, 7, bytes_of_value(OpenIn{.flags = 2}))},
      {"opendir", request_bytes(Opcode::kOpenDirectory, 1, bytes_of_value(OpenIn{}))},
      {"read", request_bytes(Opcode::kRead, 7, read_body(3, 4096, 131072))},
      {"readdirplus", request_bytes(Opcode::kReadDirectoryPlus, 1, read_body(4, 2, 4096))},
      {"release", request_bytes(Opcode::kRelease, 7, bytes_of_value(ReleaseIn{.handle = 3}))},
      {"getxattr", request_bytes(Opcode::kGetXattr, 7, bytes_of_value(GetXattrIn{64}) + with_nul("user.a"))},
      {"listxattr", request_bytes(Opcode::kListXattr, 7, bytes_of_value(GetXattrIn{64}))},
      {"create", request_bytes(Opcode::kCreate, 1, bytes_of_value(CreateIn{.flags = 1}) + with_nul("new"))},
      {"mknod", request_bytes(Opcode::kMakeNode, 1, bytes_of_value(MakeNodeIn{.mode = 2}) + with_nul("new"))},
      {"mkdir",
       request_bytes(Opcode::kMakeDirectory, 1, bytes_of_value(MakeDirectoryIn{}) + with_nul("new"))},
      {"unlink", request_bytes(Opcode::kUnlink, 1, with_nul("old"))},
      {"rmdir", request_bytes(Opcode::kRemoveDirectory, 1, with_nul("old"))},
      {"rename",
       request_bytes(Opcode::kRename, 1, bytes_of_value(RenameIn{5}) + with_nul("old") + with_nul("new"))},
      {"rename2", request_bytes(Opcode::kRename2, 1,
                                bytes_of_value(Rename2In{5, 1, 0}) + with_nul("old") + with_nul("new"))},
      {"write",
       request_bytes(Opcode::kWrite, 7,
                     bytes_of_value(WriteIn{.handle = 3, .offset = 9, .size = 4, .lock_owner = 8}) + "abcd")},
      {"flush", request_bytes(Opcode::kFlush, 7, bytes_of_value(FlushIn{.handle = 3, .lock_owner = 8}))},
      {"fsync", request_bytes(Opcode::kSync, 7, bytes_of_value(SyncIn{.handle = 3}))},
      {"fsyncdir", request_bytes(Opcode::kSyncDirectory, 1, bytes_of_value(SyncIn{.handle = 3}))},
      {"setattr", request_bytes(Opcode::kSetAttributes, 7, bytes_of_value(SetAttributesIn{.size = 5}))},
      {"access", request_bytes(Opcode::kAccess, 7, bytes_of_value(AccessIn{4}))},
      {"interrupt", request_bytes(Opcode::kInterrupt, 0, bytes_of_value(InterruptIn{8}), 9)}};
}

TEST(FuseRequest, SaysWhatTheKernelAsks) {
  const Init init = decoded<Init>(request_bytes(Opcode::kInit, 0, init_body()));
  EXPECT_EQ(init.major, kMajor);
  EXPECT_EQ(init.minor, 45u);
  EXPECT_EQ(init.max_readahead, 131072u);
  const std::string lookup = request_bytes(Opcode::kLookup, 1, with_nul("caf\xe9 \n.jpg"));
  EXPECT_EQ(decoded<Lookup>(lookup).name, "caf\xe9 \n.jpg");
  EXPECT_EQ(decode(lookup)->header.node, 1u);
  const Forget forget = decoded<Forget>(request_bytes(Opcode::kForget, 7, bytes_of_value(ForgetIn{3})));
  ASSERT_EQ(forget.nodes.size(), 1u);
  EXPECT_EQ(forget.nodes[0].node, 7u);
  EXPECT_EQ(forget.nodes[0].lookups, 3u);
  const Read read = decoded<Read>(request_bytes(Opcode::kRead, 7, read_body(3, 4096, 131072)));
  EXPECT_EQ(read.handle, 3u);
  EXPECT_EQ(read.offset, 4096u);
  EXPECT_EQ(read.size, 131072u);
  const std::string list = request_bytes(Opcode::kReadDirectoryPlus, 1, read_body(4, 2, 4096));
  EXPECT_TRUE(decoded<ReadDirectory>(list).with_attributes);
  const std::string xattr = bytes_of_value(GetXattrIn{64}) + with_nul("user.a");
  const std::string asked = request_bytes(Opcode::kGetXattr, 7, xattr);
  EXPECT_EQ(decoded<GetXattr>(asked).name, "user.a");
  EXPECT_EQ(decoded<GetXattr>(asked).size, 64u);
}

TEST(FuseRequest, TakesForgetsTogether) {
  const Forget forget = decoded<Forget>(sound_requests()[3].message);
  ASSERT_EQ(forget.nodes.size(), 2u);
  EXPECT_EQ(forget.nodes[1].node, 6u);
  EXPECT_EQ(forget.nodes[1].lookups, 9u);
}

std::string sound_request(std::string_view name) {
  for (const Sample& each : sound_requests()) {
    if (each.name == name) {
      return each.message;
    }
  }
  return {};
}

TEST(FuseRequest, SaysWhatIsToBeWritten) {
  const std::string message = sound_request("write");
  const Write write = decoded<Write>(message);
  EXPECT_EQ(write.handle, 3u);
  EXPECT_EQ(write.offset, 9u);
  EXPECT_EQ(write.owner, 8u);
  EXPECT_EQ(write.bytes.size(), 4u);
  EXPECT_EQ(decoded<Flush>(sound_request("flush")).owner, 8u);
  EXPECT_EQ(decoded<SetAttributes>(sound_request("setattr")).size, 5u);
  const std::string create = sound_request("create");
  EXPECT_EQ(decoded<Create>(create).name, "new");
  EXPECT_EQ(decoded<Create>(create).flags, 1u);
  EXPECT_EQ(decoded<MakeNode>(sound_request("mknod")).mode, 2u);
}

TEST(FuseRequest, TellsTwoNamesApart) {
  for (const std::string_view kind : {"rename", "rename2"}) {
    const std::string message = sound_request(kind);
    const Rename rename = decoded<Rename>(message);
    EXPECT_EQ(rename.name, "old");
    EXPECT_EQ(rename.new_name, "new");
    EXPECT_EQ(rename.new_folder, 5u);
    EXPECT_EQ(rename.flags, kind == "rename" ? 0u : 1u);
  }
  const std::string three =
      bytes_of_value(RenameIn{5}) + with_nul("old") + with_nul("new") + with_nul("other");
  EXPECT_FALSE(decode(request_bytes(Opcode::kRename, 1, three)).ok());
  EXPECT_FALSE(decode(request_bytes(Opcode::kRename, 1, bytes_of_value(RenameIn{5}) + with_nul("old"))).ok());
}

TEST(FuseRequest, AWriteHasTheBytesThatItSays) {
  const std::string head = bytes_of_value(WriteIn{.size = 4});
  EXPECT_FALSE(decode(request_bytes(Opcode::kWrite, 7, head + "abc")).ok());
  EXPECT_FALSE(decode(request_bytes(Opcode::kWrite, 7, head + "abcde")).ok());
}

TEST(FuseRequest, KnowsWhatWouldChangeSomething) {
  for (const Opcode opcode :
       {Opcode::kLink, Opcode::kSymlink, Opcode::kSetXattr, Opcode::kAllocate, Opcode::kTemporaryFile}) {
    decoded<Change>(request_bytes(opcode, 1, "whatever it says"));
  }
  decoded<Unknown>(request_bytes(static_cast<Opcode>(4711), 1, "of a newer kernel"));
}

TEST(FuseRequest, RefusesEveryRequestThatIsCutShort) {
  for (const Sample& sample : sound_requests()) {
    ASSERT_TRUE(decode(sample.message).ok()) << sample.name;
    for (size_t length = 0; length < sample.message.size(); ++length) {
      std::string cut = sample.message.substr(0, length);
      EXPECT_EQ(decode(cut).status().code(), StatusCode::kDataLoss) << sample.name << " " << length;
    }
  }
}

/// As long as it says, but shorter than its kind.
TEST(FuseRequest, RefusesBodiesThatAreTooShort) {
  for (const Sample& sample : sound_requests()) {
    const auto header = value_of_bytes<InHeader>(sample.message);
    const size_t least = sample.name == "init" ? sizeof(InitIn) : sample.message.size() - sizeof(InHeader);
    for (size_t length = 0; length < least; ++length) {
      const std::string body = sample.message.substr(sizeof(InHeader), length);
      const std::string cut = request_bytes(static_cast<Opcode>(header.opcode), header.node, body);
      EXPECT_FALSE(decode(cut).ok()) << sample.name << " " << length;
    }
  }
}

TEST(FuseRequest, RefusesWhatIsTooLong) {
  for (const Sample& sample : sound_requests()) {
    if (sample.name == "init") {
      continue;  // newer kernels say more
    }
    EXPECT_FALSE(decode(sample.message + "x").ok()) << sample.name;
    const auto header = value_of_bytes<InHeader>(sample.message);
    const std::string body = sample.message.substr(sizeof(InHeader)) + "12345678";
    EXPECT_FALSE(decode(request_bytes(static_cast<Opcode>(header.opcode), 1, body)).ok()) << sample.name;
  }
}

TEST(FuseRequest, RefusesNamesThatAreNone) {
  for (const std::string& name : {std::string(), std::string(1, '\0'), std::string("a"), with_nul("a/b"),
                                  with_nul("a") + "b", with_nul(with_nul("a"))}) {
    EXPECT_FALSE(decode(request_bytes(Opcode::kLookup, 1, name)).ok()) << name;
  }
}

TEST(FuseRequest, RefusesCountsWithoutEntries) {
  for (const uint32_t count : {0u, 1u, 3u, 0x10000000u, 0xffffffffu}) {
    const std::string body = bytes_of_value(BatchForgetIn{.count = count}) + bytes_of_value(ForgetOne{5, 1}) +
                             bytes_of_value(ForgetOne{6, 1});
    EXPECT_FALSE(decode(request_bytes(Opcode::kBatchForget, 0, body)).ok()) << count;
    const std::string alone = bytes_of_value(BatchForgetIn{.count = count});
    EXPECT_EQ(decode(request_bytes(Opcode::kBatchForget, 0, alone)).ok(), count == 0) << count;
  }
}

TEST(FuseRequest, LeavesExtensionsOut) {
  std::string message = request_bytes(Opcode::kLookup, 1, with_nul("a") + "extended");
  auto header = value_of_bytes<InHeader>(message);
  header.extension_words = 1;
  message.replace(0, sizeof(header), bytes_of_value(header));
  EXPECT_EQ(decoded<Lookup>(message).name, "a");
  header.extension_words = 0xffff;
  message.replace(0, sizeof(header), bytes_of_value(header));
  EXPECT_FALSE(decode(message).ok());
}

TEST(FuseRequest, HasSeedsForItsFuzzer) {
  for (const Sample& sample : sound_requests()) {
    expect_seeds("fuse_request_fuzzer", sample.name, sample.message);
  }
}

}  // namespace
}  // namespace forebay::fuse
