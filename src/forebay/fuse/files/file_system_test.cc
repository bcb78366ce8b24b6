#include "forebay/fuse/files/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "forebay/fuse/testing/file_system_fixture.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::fuse {
namespace {

using testing::ElementsAre;
using FuseFileSystem = FileSystemFixture;

/// Has keys as web stores have them.
class UrlStore final : public storage::ForwardingStore {
 public:
  explicit UrlStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
  std::string name_of(std::string_view key_part) const override {
    return key_part == "%41" ? "A" : std::string(key_part);
  }
};

TEST_F(FuseFileSystem, NamesLeadToFilesAndFolders) {
  put("r/a.jpg", "hello");
  put("r/sub/b", "x");
  put("other", "not shown");
  const EntryOut file = look_up(kRootNode, "a.jpg");
  EXPECT_NE(file.node, 0u);
  EXPECT_EQ(file.attributes.size, 5u);
  EXPECT_EQ(file.attributes.mode, S_IFREG | 0644u);
  EXPECT_EQ(file.attributes.uid, 17u);
  EXPECT_EQ(file.attributes.gid, 18u);
  EXPECT_EQ(file.attributes.links, 1u);
  EXPECT_EQ(file.entry_valid_s, 1u);
  const EntryOut folder = look_up(kRootNode, "sub");
  EXPECT_EQ(folder.attributes.mode, S_IFDIR | 0755u);
  EXPECT_EQ(folder.attributes.modified_s, 1'700'000'000u) << "the store knows none, so that of the mount";
  EXPECT_EQ(folder.attributes.modified_ns, 1u);
  EXPECT_NE(look_up(folder.node, "b").node, 0u);
  EXPECT_EQ(look_up(kRootNode, "a.jpg").node, file.node);
}

TEST_F(FuseFileSystem, WhatIsNotThereMayBeRemembered) {
  const EntryOut absent = look_up(kRootNode, "nothing");
  EXPECT_EQ(absent.node, 0u);
  EXPECT_EQ(absent.entry_valid_s, 1u);
  EXPECT_EQ(look_up(kRootNode, "r").node, 0u);
  EXPECT_EQ(files_->nodes(), 1u);
}

TEST_F(FuseFileSystem, TakesNamesOfAnyBytes) {
  for (const std::string& name :
       {std::string("caf\xe9"), std::string(" "), std::string("\n"), std::string("\xff\xfe"),
        std::string("-rf"), std::string("a\\040b"), std::string(1024, 'n')}) {
    put("r/" + name, name);
    const EntryOut file = look_up(kRootNode, name);
    ASSERT_NE(file.node, 0u) << name;
    EXPECT_EQ(read(open(file.node).handle, 0, 4096).bytes, name);
  }
  EXPECT_EQ(ask(Opcode::kLookup, kRootNode, with_nul(std::string(1025, 'n'))).error, ENAMETOOLONG);
}

TEST_F(FuseFileSystem, NamesOfWebStoresLeadToNoOtherFolder) {
  for (const std::string name : {"a", "a?b", "%2e%2e", "a%2Fb", "a%20b"}) {
    put("r/" + name, "x");
  }
  EXPECT_NE(look_up(kRootNode, "a?b").node, 0u);
  mount(std::make_shared<UrlStore>(memory_));
  EXPECT_NE(look_up(kRootNode, "a%20b").node, 0u);
  EXPECT_EQ(look_up(kRootNode, "a?b").node, 0u);
  EXPECT_EQ(look_up(kRootNode, "%2e%2e").node, 0u);
  EXPECT_EQ(look_up(kRootNode, "a%2Fb").node, 0u);
  EXPECT_THAT(names_of(list(open_directory(kRootNode), 0, 4096, false)),
              ElementsAre(".", "..", "a", "a%20b"));
}

TEST_F(FuseFileSystem, ForgottenNodesAreGone) {
  put("r/a", "x");
  const EntryOut file = look_up(kRootNode, "a");
  look_up(kRootNode, "a");
  ask(Opcode::kForget, file.node, bytes_of_value(ForgetIn{1}));
  EXPECT_EQ(ask(Opcode::kGetAttributes, file.node).error, 0);
  const std::string batch =
      bytes_of_value(BatchForgetIn{.count = 1}) + bytes_of_value(ForgetOne{file.node, 1});
  ask(Opcode::kBatchForget, 0, batch);
  EXPECT_EQ(ask(Opcode::kGetAttributes, file.node).error, ESTALE);
  EXPECT_EQ(files_->nodes(), 1u);
}

TEST_F(FuseFileSystem, WhatNobodyHearsIsNotCounted) {
  put("r/a", "x");
  replies_.is_heard = false;
  const std::string lookup = request_bytes(Opcode::kLookup, kRootNode, with_nul("a"));
  files_->answer(*decode_request(as_bytes_of(lookup)), {}, replies_, steady_clock().now_ns());
  EXPECT_EQ(files_->nodes(), 1u);
  replies_.is_heard = true;
  const uint64_t directory = open_directory(kRootNode);
  replies_.is_heard = false;
  const std::string list =
      request_bytes(Opcode::kReadDirectoryPlus, kRootNode, read_body(directory, 0, 4096));
  files_->answer(*decode_request(as_bytes_of(list)), {}, replies_, steady_clock().now_ns());
  EXPECT_EQ(files_->nodes(), 1u);
}

TEST_F(FuseFileSystem, ErrorsOfTheStoreAreErrnos) {
  put("r/a", "x");
  const OpenOut file = open(look_up(kRootNode, "a").node);
  faulty_->fail_reads("r/a", unavailable("down"), 1);
  EXPECT_EQ(read(file.handle, 0, 10).error, EIO);
  faulty_->fail_reads("r/a", storage::no_such_object("mem://r/a"), 1);
  EXPECT_EQ(read(file.handle, 0, 10).error, ESTALE);
  EXPECT_EQ(read(file.handle, 0, 10).bytes, "x");
  faulty_->fail_stats("r/a", permission_denied("no"), 1);
  EXPECT_EQ(ask(Opcode::kLookup, kRootNode, with_nul("a")).error, EACCES);
  EXPECT_EQ(read(4711, 0, 10).error, EBADF);
  EXPECT_EQ(ask(Opcode::kLookup, 4711, with_nul("a")).error, ESTALE);
  EXPECT_EQ(ask(Opcode::kLookup, look_up(kRootNode, "a").node, with_nul("b")).error, ENOTDIR);
  EXPECT_EQ(ask(Opcode::kOpen, kRootNode, bytes_of_value(OpenIn{})).error, EISDIR);
}

TEST_F(FuseFileSystem, FilesOfThisHostAreNotShownToOthers) {
  const storage::TemporaryDirectory directory;
  const auto local =
      std::make_shared<storage::LocalStore>(storage::LocalStoreOptions{.root = directory.path()});
  ASSERT_TRUE(storage::write_now(*local, "r/a", as_bytes_of("secret")).ok());
  mount(local);
  const EntryOut file = look_up(kRootNode, "a");
  EXPECT_EQ(read(open(file.node).handle, 0, 4096).bytes, "secret");
  is_for_others_ = true;
  const auto without_path = std::make_shared<storage::FaultInjectingStore>(local);
  for (const std::shared_ptr<storage::ObjectStore>& store :
       {std::shared_ptr<storage::ObjectStore>(local), std::shared_ptr<storage::ObjectStore>(without_path)}) {
    mount(store);
    EXPECT_EQ(ask(Opcode::kLookup, kRootNode, with_nul("a")).error, EACCES);
    EXPECT_EQ(ask(Opcode::kOpenDirectory, kRootNode, bytes_of_value(OpenIn{})).error, EACCES);
  }
  put("r/b", "x");
  mount(faulty_);
  EXPECT_EQ(read(open(look_up(kRootNode, "b").node).handle, 0, 10).bytes, "x");
}

/// Says that nothing may be written.
class RefusingStore final : public storage::ForwardingStore {
 public:
  RefusingStore(std::shared_ptr<storage::ObjectStore> inner, Status refusal)
      : ForwardingStore(std::move(inner)), refusal_(std::move(refusal)) {}
  Status check_write(std::string_view, bool) const override { return refusal_; }

 private:
  const Status refusal_;
};

TEST_F(FuseFileSystem, WhatAStoreRefusesIsSaidBeforeAnythingIsWritten) {
  const std::pair<Status, int> refusals[] = {{errno_status(EACCES, "r"), EACCES},
                                             {errno_status(EROFS, "r"), EROFS},
                                             {unimplemented("r"), EROFS},
                                             {invalid_argument("r"), EINVAL}};
  for (const auto& [refusal, error] : refusals) {
    put("r/a", "hello");
    mount(std::make_shared<RefusingStore>(faulty_, refusal));
    const uint64_t node = look_up(kRootNode, "a").node;
    const std::string size = bytes_of_value(SetAttributesIn{.valid = kSetSize, .size = 5});
    EXPECT_EQ(ask(Opcode::kOpen, node, bytes_of_value(OpenIn{.flags = O_RDWR})).error, error);
    EXPECT_EQ(ask(Opcode::kSetAttributes, node, size).error, error);
    EXPECT_EQ(ask(Opcode::kCreate, kRootNode, bytes_of_value(CreateIn{}) + with_nul("b")).error, error);
    EXPECT_EQ(ask(Opcode::kMakeDirectory, kRootNode, bytes_of_value(MakeDirectoryIn{}) + with_nul("c")).error,
              error);
    EXPECT_EQ(ask(Opcode::kUnlink, kRootNode, with_nul("a")).error, error == EROFS ? EROFS : 0);
  }
}

TEST_F(FuseFileSystem, NothingIsWrittenWhereThatIsRefused) {
  put("r/a", "x");
  is_read_only_ = true;
  mount(faulty_);
  const uint64_t node = look_up(kRootNode, "a").node;
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC}) {
    EXPECT_EQ(ask(Opcode::kOpen, node, bytes_of_value(OpenIn{.flags = static_cast<uint32_t>(flags)})).error,
              EROFS);
  }
  EXPECT_EQ(ask(Opcode::kCreate, kRootNode, bytes_of_value(CreateIn{}) + with_nul("b")).error, EROFS);
  EXPECT_EQ(ask(Opcode::kUnlink, kRootNode, with_nul("a")).error, EROFS);
  EXPECT_EQ(
      ask(Opcode::kRename, kRootNode, bytes_of_value(RenameIn{kRootNode}) + with_nul("a") + with_nul("b"))
          .error,
      EROFS);
  EXPECT_EQ(ask(Opcode::kMakeDirectory, kRootNode, bytes_of_value(MakeDirectoryIn{}) + with_nul("b")).error,
            EROFS);
  EXPECT_EQ(ask(Opcode::kSetAttributes, node, bytes_of_value(SetAttributesIn{})).error, EROFS);
  for (const Opcode opcode : {Opcode::kSymlink, Opcode::kSetXattr}) {
    EXPECT_EQ(ask(opcode, node, "whatever").error, EROFS);
  }
  EXPECT_EQ(ask(Opcode::kAccess, node, bytes_of_value(AccessIn{.mask = W_OK})).error, EROFS);
  EXPECT_EQ(ask(Opcode::kAccess, node, bytes_of_value(AccessIn{.mask = R_OK})).error, 0);
  EXPECT_EQ(ask(static_cast<Opcode>(4711), node).error, ENOSYS);
}

TEST_F(FuseFileSystem, DirectoriesAreReadInAnyPieces) {
  std::vector<std::string> wanted = {".", ".."};
  for (int i = 0; i < 100; ++i) {
    wanted.push_back(fmt::format("file{:03}{}", i, std::string(static_cast<size_t>(i % 9), 'x')));
    put("r/" + wanted.back(), "x");
  }
  put("r/folder/x", "x");
  wanted.insert(wanted.begin() + 102, "folder");
  std::ranges::sort(wanted);
  for (const bool with_attributes : {false, true}) {
    for (const uint32_t size : {200u, 4096u, 1u << 20}) {
      const uint64_t handle = open_directory(kRootNode);
      std::vector<std::string> names;
      uint64_t offset = 0;
      for (std::vector<SeenEntry> part = list(handle, 0, size, with_attributes); !part.empty();
           part = list(handle, offset, size, with_attributes)) {
        for (const SeenEntry& each : part) {
          names.push_back(each.name);
          offset = each.listed.offset;
          EXPECT_EQ(each.listed.type, each.name == "folder" || each.name[0] == '.' ? DT_DIR : DT_REG);
        }
      }
      EXPECT_EQ(names, wanted);
      ask(Opcode::kReleaseDirectory, kRootNode, bytes_of_value(ReleaseIn{.handle = handle}));
    }
  }
  EXPECT_EQ(files_->open_directories(), 0u);
}

TEST_F(FuseFileSystem, ListedAttributesAreThoseOfALookup) {
  put("r/a", "hello");
  put("r/sub/b", "x");
  const std::vector<SeenEntry> entries = list(open_directory(kRootNode), 0, 4096, true);
  ASSERT_THAT(names_of(entries), ElementsAre(".", "..", "a", "sub"));
  EXPECT_EQ(entries[0].entry.node, 0u) << "the kernel counts no lookup of these";
  EXPECT_EQ(entries[1].entry.node, 0u);
  for (const SeenEntry& each : {entries[2], entries[3]}) {
    const EntryOut looked_up = look_up(kRootNode, each.name);
    EXPECT_EQ(bytes_of_value(looked_up), bytes_of_value(each.entry)) << each.name;
    EXPECT_EQ(each.listed.inode, looked_up.attributes.inode);
    ask(Opcode::kForget, looked_up.node, bytes_of_value(ForgetIn{2}));
  }
  EXPECT_EQ(files_->nodes(), 1u);
}

TEST_F(FuseFileSystem, AListingKeepsItsPlaceWhileOthersList) {
  put("r/a", "");
  put("r/b", "");
  const uint64_t one = open_directory(kRootNode);
  const uint64_t other = open_directory(kRootNode);
  EXPECT_THAT(names_of(list(one, 0, 96, false)), ElementsAre(".", "..", "a"));
  EXPECT_THAT(names_of(list(other, 2, 4096, false)), ElementsAre("a", "b"));
  EXPECT_THAT(names_of(list(one, 3, 96, false)), ElementsAre("b"));
  EXPECT_THAT(names_of(list(one, 4, 96, false)), ElementsAre());
  EXPECT_THAT(names_of(list(one, 0, 96, false)), ElementsAre(".", "..", "a")) << "rewound";
}

TEST_F(FuseFileSystem, ADirectoryThatIsRewoundShowsWhatIsNew) {
  put("r/a", "");
  const uint64_t directory = open_directory(kRootNode);
  EXPECT_THAT(names_of(list(directory, 0, 4096, false)), ElementsAre(".", "..", "a"));
  put("r/b", "");
  EXPECT_THAT(names_of(list(directory, 3, 4096, false)), ElementsAre());
  EXPECT_THAT(names_of(list(directory, 0, 4096, false)), ElementsAre(".", "..", "a", "b"));
}

TEST_F(FuseFileSystem, TheVersionIsAnAttribute) {
  const std::string version = put("r/a", "x");
  const uint64_t node = look_up(kRootNode, "a").node;
  const auto get = [&](const std::string& name, uint32_t size) {
    return ask(Opcode::kGetXattr, node, bytes_of_value(GetXattrIn{size}) + with_nul(name));
  };
  EXPECT_EQ(value_of_bytes<GetXattrOut>(get("user.forebay.version", 0).bytes).size, version.size());
  EXPECT_EQ(get("user.forebay.version", 100).bytes, version);
  EXPECT_EQ(get("user.forebay.version", static_cast<uint32_t>(version.size())).bytes, version);
  EXPECT_EQ(get("security.capability", 100).error, ENODATA);
  const KernelAnswer names = ask(Opcode::kListXattr, node, bytes_of_value(GetXattrIn{100}));
  EXPECT_EQ(names.bytes, with_nul("user.forebay.version") + with_nul("user.forebay.resident"));
  EXPECT_EQ(ask(Opcode::kListXattr, node, bytes_of_value(GetXattrIn{3})).error, ERANGE);
  EXPECT_EQ(ask(Opcode::kListXattr, kRootNode, bytes_of_value(GetXattrIn{100})).bytes, "");
}

TEST_F(FuseFileSystem, SaysWhatFits) {
  auto out = value_of_bytes<StatFileSystemOut>(ask(Opcode::kStatFileSystem, kRootNode).bytes);
  EXPECT_GT(out.blocks_available, 0u);
  EXPECT_EQ(out.name_bytes, 1024u);
  is_read_only_ = true;
  mount(faulty_);
  out = value_of_bytes<StatFileSystemOut>(ask(Opcode::kStatFileSystem, kRootNode).bytes);
  EXPECT_EQ(out.blocks_available, 0u);
}

}  // namespace
}  // namespace forebay::fuse
