#include "forebay/dataset/webdataset/tar.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/webdataset/wds_index.h"

namespace forebay::dataset {
namespace {

using testing::bytes_of;
using testing::tar_archive;
using testing::tar_member;

Result<std::vector<TarMember>> members_of(const std::string& archive) {
  const MemoryByteSource source(bytes_of(archive));
  TarReader reader(source, "x.tar");
  std::vector<TarMember> members;
  while (true) {
    FOREBAY_ASSIGN_OR_RETURN(std::optional<TarMember> member, reader.next());
    if (!member) {
      return members;
    }
    members.push_back(*std::move(member));
  }
}

TEST(Tar, FindsMembers) {
  const std::string archive = tar_member("d/", "", '5') + tar_member("d/a.txt", "hello") +
                              tar_member("e", "") + tar_member("l", "", '2') +
                              tar_archive({{"last", std::string(513, 'x')}});
  const std::vector<TarMember> members = *members_of(archive);
  ASSERT_EQ(members.size(), 5u);
  EXPECT_FALSE(members[0].is_file);
  EXPECT_EQ(members[1].name, "d/a.txt");
  EXPECT_EQ(members[1].offset_bytes, 1024u);
  EXPECT_EQ(members[1].size_bytes, 5u);
  EXPECT_TRUE(members[2].is_file);
  EXPECT_FALSE(members[3].is_file);
  EXPECT_EQ(members[4].size_bytes, 513u);
  EXPECT_EQ(archive.substr(members[4].offset_bytes, 3), "xxx");
}

TEST(Tar, LongNamesAndPaxHeaders) {
  const std::string name(300, 'n');
  const std::string pax =
      "20 comment=whatever\n" + std::to_string(306 + 3) + " path=" + std::string(299, 'p') + "\n";
  const std::string archive = tar_member("././@LongLink", name + std::string(1, '\0'), 'L') +
                              tar_member("short", "content") + tar_member("pax", pax, 'x') +
                              tar_member("short", "12345") + tar_member("g", "20 comment=whatever\n", 'g') +
                              tar_archive({{"plain", "1"}});
  const Result<std::vector<TarMember>> members = members_of(archive);
  ASSERT_TRUE(members.ok()) << members.status();
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ((*members)[0].name, name);
  EXPECT_EQ((*members)[1].name, std::string(299, 'p'));
  EXPECT_EQ((*members)[2].name, "plain");
}

TEST(Tar, APaxSizeCounts) {
  std::string member = tar_member("a", std::string(1000, 'a'));
  const std::string archive = tar_member("pax", "12 size=600\n", 'x') + member.substr(0, 512) +
                              std::string(1024, 'b') + tar_archive({{"next", "1"}});
  const Result<std::vector<TarMember>> members = members_of(archive);
  ASSERT_TRUE(members.ok()) << members.status();
  EXPECT_EQ((*members)[0].size_bytes, 600u);
  EXPECT_EQ((*members)[1].name, "next");
}

struct Scanned {
  size_t members = 0;
  std::optional<uint64_t> cut_at;
};

Scanned scanned(const std::string& archive) {
  const MemoryByteSource source(bytes_of(archive));
  TarReader reader(source, "x.tar");
  Scanned result;
  while (true) {
    const Result<std::optional<TarMember>> member = reader.next();
    EXPECT_TRUE(member.ok()) << member.status();
    if (!member.ok() || !*member) {
      result.cut_at = reader.cut_at();
      return result;
    }
    ++result.members;
  }
}

TEST(Tar, CutsAreNoticedWhereverTheyAre) {
  const std::string archive = tar_archive({{"a", "1"}, {"b", std::string(2000, 'x')}});
  ASSERT_EQ(archive.size(), 1024u + 512 + 2048 + 1024);
  for (size_t size = 0; size < archive.size(); ++size) {
    const Scanned cut = scanned(archive.substr(0, size));
    // A member is listed once its header is complete, whether or not its content is there.
    EXPECT_EQ(cut.members, size < 512 ? 0u : size < 1536 ? 1u : 2u) << size;
    if (size >= 3584 + 512) {  // one block of zeros suffices
      EXPECT_FALSE(cut.cut_at) << size;
      continue;
    }
    ASSERT_TRUE(cut.cut_at) << size;
    const bool is_in_content = (size >= 512 && size < 1024) || (size >= 1536 && size < 3584);
    EXPECT_EQ(*cut.cut_at, is_in_content ? size : size < 512 ? 0 : size < 1536 ? 1024 : 3584) << size;
  }
  EXPECT_FALSE(scanned(archive).cut_at);
}

TEST(Tar, ACutLongNameIsACut) {
  const std::string archive = tar_archive({{"a", "1"}}).substr(0, 1024) +
                              tar_member("././@LongLink", std::string(600, 'n'), 'L') + tar_member("b", "2");
  const Scanned cut = scanned(archive.substr(0, 2000));
  EXPECT_EQ(cut.members, 1u);
  EXPECT_EQ(cut.cut_at, 1024u);
}

TEST(Tar, DamagedHeadersAreFound) {
  const std::string archive = tar_archive({{"a", "1"}, {"b", "2"}});
  for (size_t bit = 0; bit < 512 * 8; ++bit) {
    std::string damaged = archive;
    damaged[1024 + bit / 8] = static_cast<char>(damaged[1024 + bit / 8] ^ (1 << bit % 8));
    const Result<std::vector<TarMember>> members = members_of(damaged);
    if (members.ok()) {
      EXPECT_EQ(members->size(), 2u);  // within the tolerance of how the checksum itself is written
    } else {
      EXPECT_EQ(members.status().code(), StatusCode::kDataLoss);
    }
  }
  EXPECT_EQ(members_of(std::string(4096, 'z')).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(members_of(tar_member("s", "x", 'S')).status().code(), StatusCode::kUnimplemented);
  for (const char* pax : {"x", "5 a=b\n", "999 a=b\n", "0 a=b\n", "13 size=-600\n", "6a=b \n"}) {
    EXPECT_EQ(members_of(tar_member("p", pax, 'x') + tar_archive({{"a", "1"}})).status().code(),
              StatusCode::kDataLoss)
        << pax;
  }
}

TEST(Tar, SizesThatOverflowAreRefused) {
  const auto with_size = [](std::string size) {
    std::string member = tar_member("a", "12345");
    member.replace(124, 12, size);
    member.replace(148, 8, "        ");
    const unsigned sum =
        std::accumulate(member.begin(), member.begin() + 512, 0u,
                        [](unsigned total, char c) { return total + static_cast<uint8_t>(c); });
    member.replace(148, 6, fmt::format("{:06o}", sum));
    return members_of(member + std::string(1024, '\0'));
  };
  const std::string five("\x80\0\0\0\0\0\0\0\0\0\0\x05", 12);
  ASSERT_TRUE(with_size(five).ok());
  EXPECT_EQ(with_size(five)->front().size_bytes, 5u);
  for (const size_t place : {1, 2, 3}) {  // 2^60 and more, which the last byte would shift out
    std::string wrapped = five;
    wrapped[place] = '\x10';
    EXPECT_EQ(with_size(wrapped).status().code(), StatusCode::kDataLoss) << place;
  }
}

TEST(WdsIndex, DamageEndsAScanAndIsTold) {
  std::string archive = tar_archive({{"a.jpg", "A"}, {"b.jpg", "B"}, {"c.jpg", "C"}});
  archive[1024 + 150] = 'x';  // changes the checksum field of b's header
  const MemoryByteSource source(bytes_of(archive));
  const Result<WdsArchive> found = scan_wds_archive(source, "x.tar");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->samples.size(), 1u);
  EXPECT_EQ(found->lost_at, 1024u);
  EXPECT_EQ(found->damage.code(), StatusCode::kDataLoss);
}

TEST(WdsIndex, GroupsByNameUpToTheFirstDot) {
  const std::string archive = tar_archive({{"d/x.jpg", "J"},
                                           {"d/x.cls", "0"},
                                           {"z.seg.jpg", "S"},
                                           {".hid.jpg", "h"},
                                           {"e.f/w.JPG", "W"},
                                           {"nodot", "n"}});
  const MemoryByteSource source(bytes_of(archive));
  const Result<WdsArchive> found = scan_wds_archive(source, "x.tar");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->lost_at);
  const std::vector<WdsSample>& samples = found->samples;
  ASSERT_EQ(samples.size(), 4u);
  ASSERT_EQ(samples[0].components.size(), 2u);
  EXPECT_EQ(samples[0].components[1].extension, "cls");
  EXPECT_EQ(samples[1].components[0].extension, "seg.jpg");
  EXPECT_EQ(samples[2].components[0].extension, "JPG");
  EXPECT_EQ(samples[3].components[0].extension, "");
}

TEST(WdsIndex, ParsesIndexFiles) {
  const std::string v12 = "v1.2 2\njpg 512 2 d/x.jpg cls 1536 1 d/x.cls\npng 2560 2 y.png cls 3584 1 y.cls\n";
  const std::string v11 = "v1.1 2\njpg 512 2 cls 1536 1\r\npng 2560 2 cls 3584 1";
  for (const std::string& text : {v12, v11}) {
    const Result<std::vector<WdsSample>> samples = parse_wds_index(text, "x.idx");
    ASSERT_TRUE(samples.ok()) << samples.status();
    ASSERT_EQ(samples->size(), 2u);
    EXPECT_EQ((*samples)[1].components[0].extension, "png");
    EXPECT_EQ((*samples)[1].components[1].offset_bytes, 3584u);
  }
  for (const char* wrong :
       {"", "v1.3 1\njpg 512 2\n", "v1.1\njpg 512 2\n", "v1.1 2\njpg 512 2\n", "v1.1 1\njpg 513 2\n",
        "v1.1 1\njpg 512\n", "v1.1 1\njpg x 2\n", "v1.1 1\n\n", "v1.2 1\njpg 512 2\n",
        "v1.1 1\njpg 99999999999999999999999 2\n", "v1.1 1\njpg -512 2\n", "v1.1 18446744073709551615\n"}) {
    const Status status = parse_wds_index(wrong, "x.idx").status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << wrong;
    EXPECT_NE(message(status).find("x.idx:"), std::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace forebay::dataset
