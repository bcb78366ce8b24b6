#include "forebay/storage/listing/inventory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/gunzip.h"
#include "forebay/storage/listing/name_view.h"
#include "forebay/storage/listing/text_lines.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One member of gzip.
std::string packed(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// Files in a bucket in memory, and a snapshot made of them.
class InventoryTest : public ::testing::Test {
 protected:
  ObjectAddress put(const std::string& key, const std::string& content) {
    EXPECT_TRUE(write_now(*files_, key, as_bytes(content)).ok());
    return {files_, key};
  }
  Result<std::vector<std::string>> lines_of(const std::string& content) {
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line, uint64_t number) {
      lines.push_back(fmt::format("{} {}", number, line));
      return ok_status();
    };
    FOREBAY_RETURN_IF_ERROR(each_line(put("text", content), take));
    return lines;
  }
  Status fill(const FillEntries& fill) { return refresh_snapshot(path_, {}, fill).status(); }
  Status take(const ObjectAddress& file, const std::string& prefix = "") {
    return fill(inventory_entries(file, "bucket", prefix));
  }
  /// "key size" of all.
  std::vector<std::string> names() {
    std::vector<std::string> names;
    SnapshotCursor cursor((*NameView::open(path_))->base());
    for (Status status = cursor.seek(""); status.ok() && cursor.entry() != nullptr; status = cursor.next()) {
      names.push_back(fmt::format("{} {}", cursor.entry()->key, cursor.entry()->size_bytes));
    }
    return names;
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_ / "names";
  std::shared_ptr<MemoryStore> files_ = std::make_shared<MemoryStore>();
};

TEST(InventoryRow, HasTheFieldsOfItsColumns) {
  const auto row = parse_inventory_row(
      R"("bucket","a+b/%C3%A9%2B.jpg","123","2026-11-23T06:40:00.000Z","0123456789abcdef0123456789abcdef")");
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->bucket, "bucket");
  EXPECT_EQ(row->key, "a b/\xc3\xa9+.jpg");
  EXPECT_EQ(row->size_bytes, 123u);
  EXPECT_EQ(row->modified_ns % 1'000'000'000, 0);
  EXPECT_EQ(row->version, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(parse_inventory_row(R"("b""c",k)")->bucket, "b\"c");
  EXPECT_EQ(parse_inventory_row("b,k,,,")->size_bytes, 0u);
  for (const char* const line : {"", "b", "\"b,k", "\"b\"x,k", "b,%zz", "b,k,12x", "b,k,-1",
                                 "b,k,1,yesterday", "b,k,99999999999999999999"}) {
    EXPECT_EQ(parse_inventory_row(line).status().code(), StatusCode::kInvalidArgument) << line;
  }
}

TEST_F(InventoryTest, LinesArePassedOnWhateverEndsThem) {
  EXPECT_THAT(*lines_of("a\r\n\nb\nc"), ElementsAre("1 a", "3 b", "4 c"));
  EXPECT_THAT(*lines_of(""), ElementsAre());
  EXPECT_THAT(*lines_of(packed("a\nb\n") + packed("c\n")), ElementsAre("1 a", "2 b", "3 c"));
  EXPECT_THAT(*lines_of(packed("")), ElementsAre());
}

TEST_F(InventoryTest, LinesMayLieOnTheBordersOfPieces) {
  std::string text;
  uint64_t count = 0;
  for (; text.size() < 9 << 20; ++count) {
    text += std::to_string(count) + std::string(count % 1000, 'x') + "\n";
  }
  for (const std::string& content : {text, packed(text)}) {
    uint64_t next = 0;
    const auto take = [&](std::string_view line, uint64_t number) {
      EXPECT_EQ(number, next + 1);
      EXPECT_EQ(line, std::to_string(next) + std::string(next % 1000, 'x'));
      ++next;
      return ok_status();
    };
    ASSERT_TRUE(each_line(put("text", content), take).ok());
    EXPECT_EQ(next, count);
  }
}

TEST_F(InventoryTest, DamagedTextsAreErrors) {
  const std::string whole = packed("some text that is long enough to be packed: " + std::string(500, 'x'));
  for (size_t size = 2; size < whole.size(); ++size) {
    EXPECT_EQ(lines_of(whole.substr(0, size)).status().code(), StatusCode::kDataLoss) << size;
  }
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // within the checksum
  EXPECT_EQ(lines_of(flipped).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(lines_of(whole + "rest").status().code(), StatusCode::kDataLoss);
  EXPECT_TRUE(lines_of("a\n" + std::string(kMaxLineBytes, 'x')).ok());
  const Status long_line = lines_of(packed("a\n" + std::string(kMaxLineBytes + 1, 'x'))).status();
  EXPECT_EQ(long_line.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(long_line.message()), HasSubstr("text: line 2: more than"));
}

TEST_F(InventoryTest, AFileOfRows) {
  const std::string rows = "bucket,data/b,2\r\n\nbucket,data/a,1\nother,data/c,3\nbucket,elsewhere,4\n";
  for (const std::string& content : {rows, packed(rows)}) {
    ASSERT_TRUE(take(put("rows.csv", content), "data/").ok());
    EXPECT_THAT(names(), ElementsAre("a 1", "b 2"));
  }
  EXPECT_EQ(fill(inventory_entries({files_, "rows.csv"}, "none", "")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(take({files_, "none"}).code(), StatusCode::kNotFound);
  const Status wrong = take(put("wrong", "bucket,a,1\nbucket,b,x\n"));
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("wrong: line 2"));
}

constexpr char kManifest[] = R"({
  "sourceBucket": "bucket", "destinationBucket": "arn:aws:s3:::kept", "version": "2016-11-30",
  "fileFormat": "CSV",
  "fileSchema": "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass",
  "files": [{"key": "inv/bucket/daily/data/1.csv.gz", "size": 1, "MD5checksum": "x"},
            {"key": "inv/bucket/daily/data/2.csv.gz", "size": 1, "MD5checksum": "x"}]})";

TEST_F(InventoryTest, AManifestNamesFilesAndColumns) {
  const std::string first =
      packed(R"("bucket","a","v2","true","false","7","2026-11-23T06:40:00.000Z","e1","STANDARD")"
             "\n"
             R"("bucket","a","v1","false","false","5","2026-11-22T06:40:00.000Z","e0","STANDARD")"
             "\n");
  const std::string second =
      packed(R"("bucket","gone","v3","true","true","","2026-11-23T06:40:00.000Z","","")"
             "\n"
             R"("bucket","b","v1","true","false","8","2026-11-23T06:40:00.000Z","e2","STANDARD")"
             "\n");
  // As S3 writes it, and as one copies it.
  for (const std::string data : {"inv/bucket/daily/data/", "inv/bucket/daily/2026-11-23T01-00Z/data/",
                                 "inv/bucket/daily/2026-11-23T01-00Z/"}) {
    files_ = std::make_shared<MemoryStore>();
    const ObjectAddress manifest = put("inv/bucket/daily/2026-11-23T01-00Z/manifest.json", kManifest);
    put(data + "1.csv.gz", first);
    const Status missing = take(manifest);
    EXPECT_EQ(missing.code(), StatusCode::kNotFound);
    EXPECT_THAT(std::string(missing.message()), HasSubstr("2.csv.gz"));
    put(data + "2.csv.gz", second);
    const Status taken = take(manifest);
    ASSERT_TRUE(taken.ok()) << taken;
    EXPECT_THAT(names(), ElementsAre("a 7", "b 8"));
  }
}

TEST_F(InventoryTest, ManifestsOfSomethingElseAreRefused) {
  EXPECT_EQ(take(put("manifest.json", "{")).code(), StatusCode::kInvalidArgument);
  for (const char* const text :
       {"", "[]", "{}", R"({"fileFormat": 1})", R"({"fileFormat": "CSV"})",
        R"({"fileFormat": "CSV", "fileSchema": "Key, Size", "files": []})",
        R"({"fileFormat": "CSV", "fileSchema": "Bucket, Key"})",
        R"({"fileFormat": "CSV", "fileSchema": "Bucket, Key", "files": [1]})",
        R"({"fileFormat": "CSV", "fileSchema": "Bucket, Key", "files": [{"key": 1}]})"}) {
    EXPECT_EQ(parse_inventory_manifest(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
  const Status parquet = parse_inventory_manifest(R"({"fileFormat": "Parquet"})").status();
  EXPECT_EQ(parquet.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(parquet.message()), HasSubstr("CSV"));
}

TEST_F(InventoryTest, AListNamesObjectsThatTheStoreIsAskedFor) {
  const auto bucket = std::make_shared<MemoryStore>();
  ASSERT_TRUE(write_now(*bucket, "data/p", as_bytes("12345")).ok());
  ASSERT_TRUE(write_now(*bucket, "data/q", as_bytes("1")).ok());
  ASSERT_TRUE(fill(named_entries(*bucket, put("list", "q\np\n"), "data/")).ok());
  EXPECT_THAT(names(), ElementsAre("p 5", "q 1"));
  EXPECT_EQ(fill(named_entries(*bucket, put("list", "q\nmissing\n"), "data/")).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::storage
