#include "forebay/dataset/webdataset/webdataset_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/packed_bytes.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/testing/hooked_store.h"

namespace forebay::dataset {
namespace {

using testing::tar_archive;
using testing::text_of;

using Fields = std::vector<std::vector<std::string>>;  // by field, by sample

class WebdatasetTest : public ::testing::Test {
 protected:
  WebdatasetOptions options(std::vector<std::string> ext,
                            MissingComponent missing = MissingComponent::kEmpty) {
    WebdatasetOptions options;
    options.paths = {path_};
    options.ext = std::move(ext);
    options.missing_component_behavior = missing;
    options.registry = &set_.registry;
    return options;
  }
  Fields fields_of(const WebdatasetOptions& options) {
    const Result<std::shared_ptr<Source>> source = make_webdataset_source(options);
    EXPECT_TRUE(source.ok()) << source.status();
    if (!source.ok()) {
      return {};
    }
    Fields fields(options.ext.size());
    for (int64_t i = 0; i < (*source)->size(); ++i) {
      const Result<Record> record = read_now(**source, i);
      EXPECT_TRUE(record.ok()) << record.status();
      for (size_t field = 0; field < fields.size(); ++field) {
        fields[field].push_back(text_of(record->fields[field]));
      }
    }
    return fields;
  }
  Status error_of(const WebdatasetOptions& options) { return make_webdataset_source(options).status(); }

  // The tests expect what nvidia-dali 2.4 makes of this archive.
  const std::string archive_ = tar_archive({{"d/x.jpg", "J0"},
                                            {"d/x.cls", "0"},
                                            {"y.png", "P1"},
                                            {"y.cls", "1"},
                                            {"z.seg.jpg", "S2"},
                                            {"z.cls", "2"},
                                            {".hid.jpg", "h"},
                                            {"e.f/w.JPG", "W3"},
                                            {"e.f/w.cls", "3"},
                                            {"nodot", "n"},
                                            {"q.cls", "4"},
                                            {"q.cls", "44"},
                                            {"r.other", "o"},
                                            {"t.txt", "t"}});
  testing::MemorySet set_;
  const std::string path_ = set_.put("a.tar", archive_);
};

TEST_F(WebdatasetTest, AnArchiveThatCouldNotBeReadMayHaveTheExtension) {
  WebdatasetOptions wanted = options({"cls", "json"});
  wanted.paths.push_back("mem://set/gone.tar");
  const auto source = make_webdataset_source(wanted);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(read_now(**source, (*source)->size() - 1).status().code(), StatusCode::kNotFound);
}

TEST_F(WebdatasetTest, SamplesAsInDali) {
  EXPECT_EQ(fields_of(options({"jpg;png", "cls"})),
            (Fields{{"J0", "P1", "", "", "", "", "", ""}, {"0", "1", "2", "3", "", "4", "", ""}}));
  EXPECT_EQ(fields_of(options({"jpg;png", "cls"}, MissingComponent::kSkip)),
            (Fields{{"J0", "P1"}, {"0", "1"}}));
  EXPECT_EQ(error_of(options({"jpg;png", "cls"}, MissingComponent::kError)).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(fields_of(options({"seg.jpg"}, MissingComponent::kSkip)), (Fields{{"S2"}}));
  WebdatasetOptions any_case = options({"jpg;png", "cls"});
  any_case.case_sensitive_extensions = false;
  EXPECT_EQ(fields_of(any_case)[0], (std::vector<std::string>{"J0", "P1", "", "W3", "", "", "", ""}));
  EXPECT_EQ(fields_of(options({"jpg;png", "png;cls"}))[1][1], "P1");  // one component fills two fields
}

TEST_F(WebdatasetTest, TheFirstPartThatFitsIsTaken) {
  WebdatasetOptions two = options({"png;jpg", "cls"});
  two.paths = {set_.put("two.tar", tar_archive({{"k.jpg", "A"},
                                                {"k.png", "B"},
                                                {"k.cls", "C"},
                                                {"l.png", "D"},
                                                {"l.jpg", "E"},
                                                {"k.jpg", "A2"}}))};
  EXPECT_EQ(fields_of(two), (Fields{{"A", "D", "A2"}, {"C", "", ""}}));
}

TEST_F(WebdatasetTest, AnExtensionThatOccursNowhereIsAnError) {
  for (const MissingComponent missing : {MissingComponent::kEmpty, MissingComponent::kSkip}) {
    WebdatasetOptions wrong = options({"cls", "jepg;jpe"}, missing);
    wrong.index_file = "mem://set/wrong.index";
    const Status status = error_of(wrong);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_NE(message(status).find("'jepg;jpe'"), std::string_view::npos) << status;
    EXPECT_NE(message(status).find("are 'cls', 'JPG', 'jpg', "), std::string_view::npos)
        << status;  // most frequent first
    EXPECT_NE(message(status).find(path_), std::string_view::npos) << status;
    EXPECT_FALSE(storage::stat_now(*set_.store, "wrong.index").ok());
    // What was found in shards is kept without the extensions; they are looked for again.
    EXPECT_EQ(message(error_of(wrong)), message(status));
  }
  WebdatasetOptions listed = options({"png"});
  listed.index_paths = {set_.put("a.idx", "v1.1 1\njpg 512 2 cls 1536 1\n")};
  EXPECT_NE(message(error_of(listed)).find("'cls', 'jpg'"), std::string_view::npos) << error_of(listed);
}

TEST_F(WebdatasetTest, AnExtensionMayHaveItsDot) {
  EXPECT_EQ(fields_of(options({".jpg;.png", ".cls"}, MissingComponent::kSkip)),
            (Fields{{"J0", "P1"}, {"0", "1"}}));
}

TEST_F(WebdatasetTest, ASampleThatLacksPartsIsNamedWithThem) {
  const Status status = error_of(options({"cls", "jpg;png", "seg.jpg"}, MissingComponent::kError));
  EXPECT_NE(message(status).find("'d/x' at 512 lacks 'seg.jpg'; it has 'jpg', 'cls'"), std::string_view::npos)
      << status;
}

TEST_F(WebdatasetTest, IndexFilesInsteadOfAScan) {
  WebdatasetOptions indexed = options({"jpg;png", "cls"});
  indexed.index_paths = {set_.put("a.idx",
                                  "v1.2 2\njpg 512 2 d/x.jpg cls 1536 1 d/x.cls\n"
                                  "png 2560 2 y.png cls 3584 1 y.cls\n")};
  EXPECT_EQ(fields_of(indexed), (Fields{{"J0", "P1"}, {"0", "1"}}));
  indexed.index_paths = {set_.put("b.idx", "v1.1 1\njpg 512 2 cls 153600 1\n")};
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(indexed);
  ASSERT_TRUE(source.ok());
  const Status status = read_now(**source, 0).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_EQ(context_of(status)->origin.object, path_);
  indexed.index_paths = {"mem://set/none.idx"};
  EXPECT_EQ(error_of(indexed).code(), StatusCode::kNotFound);
}

// Truncated at every position: every complete sample is delivered, and exactly one read fails, naming shard
// and offset.
TEST_F(WebdatasetTest, ACutArchiveLosesNothingSilently) {
  const std::string archive = tar_archive(
      {{"a.jpg", "J0"}, {"a.cls", "0"}, {"b.jpg", std::string(700, 'J')}, {"b.cls", "1"}, {"b.txt", "t"}});
  const std::string other = set_.put("other.tar", tar_archive({{"z.jpg", "J9"}, {"z.cls", "9"}}));
  for (const MissingComponent missing :
       {MissingComponent::kEmpty, MissingComponent::kSkip, MissingComponent::kError}) {
    for (size_t size = 0; size < archive.size() - 512; size += 100) {
      WebdatasetOptions cut = options({"jpg", "cls"}, missing);
      cut.paths = {set_.put("cut.tar", archive.substr(0, size)), other};
      const Result<std::shared_ptr<Source>> source = make_webdataset_source(cut);
      ASSERT_TRUE(source.ok()) << source.status() << " cut at " << size;
      const int64_t whole = (size >= 512 * 3 + 1) + (size >= 512 * 8 + 1);
      ASSERT_EQ((*source)->size(), whole + 2) << size;
      for (int64_t i = 0; i < whole; ++i) {
        const Result<Record> record = read_now(**source, i);
        EXPECT_TRUE(record.ok()) << record.status() << " cut at " << size;
      }
      const Status status = read_now(**source, whole).status();
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << size;
      EXPECT_EQ(context_of(status)->origin.object, cut.paths[0]);
      EXPECT_LE(context_of(status)->origin.offset_bytes, size);
      EXPECT_TRUE(read_now(**source, whole + 1).ok());
    }
  }
}

TEST_F(WebdatasetTest, DtypesGiveShapes) {
  WebdatasetOptions typed = options({"emb"});
  typed.paths = {
      set_.put("t.tar", tar_archive({{"a.emb", std::string("\1\0\0\0\2\0\0\0", 8)}, {"b.cls", "1"}}))};
  typed.dtypes = {tensor::DType::kInt32};
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(typed);
  ASSERT_TRUE(source.ok()) << source.status();
  const Result<Record> record = read_now(**source, 0);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->fields[0].shape(), tensor::Shape{2});
  EXPECT_EQ(record->fields[0].view().as<int32_t>()[1], 2);
  EXPECT_EQ(read_now(**source, 1)->fields[0].shape(), tensor::Shape{0});
  EXPECT_EQ(read_now(**source, 1)->fields[0].dtype(), tensor::DType::kInt32);
  typed.dtypes = {tensor::DType::kFloat64, tensor::DType::kUint8};
  EXPECT_EQ(error_of(typed).code(), StatusCode::kInvalidArgument);
  typed.paths = {set_.put("t.tar", tar_archive({{"a.emb", "123"}}))};
  typed.dtypes = {tensor::DType::kInt32};
  EXPECT_EQ(error_of(typed).code(), StatusCode::kDataLoss);
}

TEST_F(WebdatasetTest, AClassIsANumberWhereOneIsAskedFor) {
  const auto number = [&](const std::string& content, tensor::DType dtype) -> Result<tensor::Tensor> {
    WebdatasetOptions typed = options({"cls"});
    typed.paths = {set_.put("t.tar", tar_archive({{"a.cls", content}}))};
    typed.dtypes = {dtype};
    FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Source> source, make_webdataset_source(typed));
    FOREBAY_ASSIGN_OR_RETURN(const Record record, read_now(*source, 0));
    return record.fields[0];
  };
  const Result<tensor::Tensor> plain = number("7", tensor::DType::kInt64);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->shape(), tensor::Shape{1});
  EXPECT_EQ(*plain->view().as<int64_t>(), 7);
  EXPECT_EQ(*number(" 1234\r\n", tensor::DType::kInt32)->view().as<int32_t>(), 1234);
  EXPECT_EQ(*number("+1234", tensor::DType::kInt32)->view().as<int32_t>(), 1234);
  EXPECT_EQ(*number("-3", tensor::DType::kInt16)->view().as<int16_t>(), -3);
  EXPECT_EQ(*number("12", tensor::DType::kFloat)->view().as<float>(), 12.0f);
  EXPECT_EQ(*number("0.75", tensor::DType::kFloat)->view().as<float>(), 0.75f);
  EXPECT_EQ(*number("18446744073709551615", tensor::DType::kUint64)->view().as<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(static_cast<float>(*number("5", tensor::DType::kFloat16)->view().as<tensor::Float16>()), 5.0f);
  EXPECT_EQ(*number("1e-3", tensor::DType::kFloat)->view().as<float>(), 1e-3f);
  EXPECT_EQ(text_of(*number("7", tensor::DType::kUint8)), "7");  // bytes, as in DALI
  EXPECT_EQ(*number("7", tensor::DType::kInt8)->view().as<int8_t>(), '7');
  EXPECT_EQ(*number(std::string("\1\0\0\0", 4), tensor::DType::kInt32)->view().as<int32_t>(),
            1);  // binary, too
  for (const auto& [content, dtype] : {std::pair("70000", tensor::DType::kInt16),
                                       {"70000", tensor::DType::kFloat16},
                                       {"none", tensor::DType::kInt32},
                                       {"-1", tensor::DType::kUint16},
                                       {"cat", tensor::DType::kInt64},
                                       {"", tensor::DType::kInt64},
                                       {"99999999999999999999", tensor::DType::kInt64}}) {
    const Status status = number(content, dtype).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << content << ": " << status;
    EXPECT_EQ(context_of(status)->origin.object, "mem://set/t.tar");
  }
}

TEST_F(WebdatasetTest, TheKeyIsTheNameThatTheMembersShare) {
  WebdatasetOptions keyed = options({"__key__", "cls"});
  EXPECT_EQ(fields_of(keyed), (Fields{{"d/x", "y", "z", "e.f/w", "nodot", "q", "r", "t"},
                                      {"0", "1", "2", "3", "", "4", "", ""}}));
  keyed.missing_component_behavior = MissingComponent::kSkip;
  EXPECT_EQ(fields_of(keyed)[0], (std::vector<std::string>{"d/x", "y", "z", "e.f/w", "q"}));
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(keyed);
  testing::expect_plans_of_what_is_read(**source, *set_.store);

  keyed.index_paths = {set_.put("a.idx", "v1.2 1\njpg 512 2 d/x.jpg cls 1536 1 d/x.cls\n")};
  EXPECT_EQ(fields_of(keyed)[0], std::vector<std::string>{"d/x"});
  keyed.index_paths = {set_.put("b.idx", "v1.1 1\njpg 512 2 cls 1536 1\n")};
  EXPECT_NE(message(error_of(keyed)).find("leave out `index_paths`"), std::string_view::npos)
      << error_of(keyed);

  EXPECT_EQ(error_of(options({"jpg;__key__"})).code(), StatusCode::kInvalidArgument);
  WebdatasetOptions typed = options({"__key__"});
  typed.dtypes = {tensor::DType::kInt32};
  EXPECT_EQ(error_of(typed).code(), StatusCode::kInvalidArgument);
}

TEST_F(WebdatasetTest, TheKeyOfALongNameIsWhereTheArchiveHasIt) {
  const std::string gnu = std::string(150, 'g');
  const std::string pax = std::string(150, 'p');
  const std::string record = " path=" + pax + ".cls\n";
  std::string split = testing::tar_member("tail.cls", "2");
  split.replace(345, 9, "some/path");
  unsigned sum = 0;
  split.replace(148, 8, "        ");
  for (size_t i = 0; i < 512; ++i) {
    sum += static_cast<unsigned char>(split[i]);
  }
  split.replace(148, 7, fmt::format("{:06o}", sum) + std::string("\0", 1));
  WebdatasetOptions keyed = options({"__key__", "cls"});
  keyed.paths = {
      set_.put("long.tar", testing::tar_member("././@LongLink", gnu + ".cls" + std::string("\0", 1), 'L') +
                               testing::tar_member(gnu.substr(0, 100), "0") +
                               testing::tar_member("pax", std::to_string(record.size() + 3) + record, 'x') +
                               testing::tar_member("short", "1") + split + std::string(1024, '\0'))};
  EXPECT_EQ(fields_of(keyed), (Fields{{gnu, pax, "some/path/tail"}, {"0", "1", "2"}}));
  keyed.index_file = "mem://set/keyed.index";
  EXPECT_EQ(fields_of(keyed)[0], (std::vector<std::string>{gnu, pax, "some/path/tail"}));
  EXPECT_EQ(fields_of(keyed)[0],
            (std::vector<std::string>{gnu, pax, "some/path/tail"}));  // of the kept index
}

TEST_F(WebdatasetTest, ASampleIsReadInOneGoWithoutCopies) {
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(options({"jpg;png", "cls"}));
  ASSERT_TRUE(source.ok());
  set_.store->forget_reads();
  const Result<Record> record = read_now(**source, 1);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(set_.store->read_count(), 1u);
  EXPECT_EQ(record->fields[0].buffer(), record->fields[1].buffer());
  EXPECT_EQ((*source)->locate(1)->offset_bytes, set_.store->reads()[0].offset_bytes);
  EXPECT_EQ((*source)->locate(1)->length_bytes, set_.store->reads()[0].length_bytes);
}

TEST_F(WebdatasetTest, PartsFarApartAreReadApart) {
  WebdatasetOptions far = options({"jpg", "cls"});
  far.paths = {set_.put("far.tar",
                        tar_archive({{"k.jpg", "J"}, {"k.mid", std::string(300'000, 'm')}, {"k.cls", "C"}}))};
  EXPECT_EQ(fields_of(far), (Fields{{"J"}, {"C"}}));
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(far);
  set_.store->forget_reads();
  EXPECT_TRUE(read_now(**source, 0).ok());
  EXPECT_EQ(set_.store->read_count(), 2u);
  testing::expect_plans_of_what_is_read(**source, *set_.store);
}

TEST_F(WebdatasetTest, ACutArchiveLosesItsLastSampleOnly) {
  WebdatasetOptions cut = options({"jpg"});
  const std::string whole = tar_archive({{"a.jpg", "A"}, {"b.jpg", std::string(2000, 'B')}});
  cut.paths = {set_.put("cut.tar", whole.substr(0, 2000))};
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(cut);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_TRUE(read_now(**source, 0).ok());
  EXPECT_EQ(read_now(**source, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(context_of(read_now(**source, 1).status())->origin.offset_bytes, 1536u);
}

TEST_F(WebdatasetTest, ACompressedArchiveIsRefusedAsThat) {
  WebdatasetOptions packed = options({"jpg"});
  const std::string small = testing::pack(Compression::kGzip, archive_);
  ASSERT_LT(small.size(), 512u);
  std::string large = testing::pack(Compression::kZstd, archive_);
  large.resize(4096, 'x');
  packed.paths = {set_.put("small.tar", small)};
  const Status refused = error_of(packed);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << refused;
  EXPECT_NE(message(refused).find("mem://set/small.tar: gzip-compressed"), std::string_view::npos) << refused;
  EXPECT_NE(message(refused).find("decompress"), std::string_view::npos) << refused;
  packed.paths = {path_, set_.put("large.tar", large)};  // others that are whole do not hide it
  EXPECT_NE(message(error_of(packed)).find("zstd-compressed"), std::string_view::npos) << error_of(packed);
  const std::string beginnings[] = {std::string("\xfd\x37\x7a\x58\x5a\x00", 6), "BZh91AY&SY",
                                    "\x04\x22\x4d\x18"};
  const std::string_view names[] = {"xz-", "bzip2-", "lz4-"};
  for (size_t i = 0; i < std::size(names); ++i) {
    packed.paths = {set_.put("packed.tar", beginnings[i] + std::string(2000, 'x'))};
    EXPECT_NE(message(error_of(packed)).find(names[i]), std::string_view::npos) << error_of(packed);
  }
  // A member's name may begin with anything.
  WebdatasetOptions plain = options({"jpg"});
  plain.paths = {set_.put("plain.tar", tar_archive({{"BZh9.jpg", "J"}}))};
  EXPECT_EQ(fields_of(plain), (Fields{{"J"}}));
}

TEST_F(WebdatasetTest, ADamagedHeaderOrAMissingArchiveIsOneBrokenSample) {
  WebdatasetOptions broken = options({"jpg"});
  std::string damaged = tar_archive({{"a.jpg", "A"}, {"b.jpg", "B"}, {"c.jpg", "C"}});
  damaged[1024 + 150] = 'x';
  const std::string intact = set_.put("intact.tar", tar_archive({{"z.jpg", "Z"}}));
  broken.paths = {set_.put("damaged.tar", damaged), "mem://set/gone.tar",
                  set_.put("none.tar", std::string(4096, 'z')), intact};
  broken.index_file = "mem://set/side.index";
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(broken);
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_EQ((*source)->size(), 5);
  EXPECT_TRUE(read_now(**source, 0).ok());
  EXPECT_TRUE(read_now(**source, 4).ok());
  const StatusCode expected[] = {StatusCode::kDataLoss, StatusCode::kNotFound, StatusCode::kDataLoss};
  for (int64_t i = 1; i < 4; ++i) {
    const Status status = read_now(**source, i).status();
    EXPECT_EQ(status.code(), expected[i - 1]) << status;
    EXPECT_EQ(context_of(status)->origin.object, broken.paths[i - 1]);
  }
  EXPECT_EQ(context_of(read_now(**source, 1).status())->origin.offset_bytes, 1024u);

  set_.put("gone.tar", tar_archive({{"y.jpg", "Y"}, {"x.jpg", "X"}}));
  // Never bytes that were not indexed.
  EXPECT_EQ(read_now(**source, 2).status().code(), StatusCode::kAborted);
  EXPECT_EQ((*make_webdataset_source(broken))->size(), 6);
}

TEST_F(WebdatasetTest, AReplacedArchiveGivesNoOldOffsetsIntoNewBytes) {
  WebdatasetOptions one = options({"jpg"});
  one.paths = {set_.put("one.tar", tar_archive({{"a.jpg", "A"}, {"b.jpg", "B"}})), path_};
  one.index_file = "mem://set/side.index";
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(one);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(text_of(read_now(**source, 1)->fields[0]), "B");
  set_.put("one.tar", tar_archive({{"b.jpg", "b"}, {"a.jpg", "a"}}));  // of the same size
  const Status status = read_now(**source, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_EQ(context_of(status)->origin.object, one.paths[0]);
  EXPECT_NE(message(status).find(one.index_file), std::string_view::npos) << status;  // what to remove
  const Result<std::shared_ptr<Source>> again = make_webdataset_source(one);
  EXPECT_EQ(text_of(read_now(**again, 1)->fields[0]), "a");
}

TEST_F(WebdatasetTest, AnArchiveReplacedWhileItIsScannedIsNotHalfOfEach) {
  storage::StoreRegistry registry;
  auto store = std::make_shared<storage::HookedStore>(set_.store);
  const std::string large = tar_archive({{"a.jpg", std::string(50'000, 'a')}, {"b.jpg", "B"}});
  store->after_read = [&](const storage::ReadRequest&) { set_.put("a.tar", large); };
  registry.mount("mem://set/", store);
  WebdatasetOptions scanned = options({"jpg"});
  scanned.paths = {set_.put("a.tar", large)};
  scanned.registry = &registry;
  EXPECT_EQ(error_of(scanned).code(), StatusCode::kAborted);
}

TEST_F(WebdatasetTest, SeveralArchivesAndAnIndexFile) {
  WebdatasetOptions several = options({"cls"}, MissingComponent::kSkip);
  several.paths = {set_.put("z.tar", tar_archive({{"a.cls", "Z"}})), path_,
                   set_.put("b.tar", tar_archive({{"a.cls", "B"}})), "mem://set/z.tar"};
  several.index_file = "mem://set/side.index";
  const std::vector<std::string> expected = {"Z", "0", "1", "2", "3", "4", "B", "Z"};
  EXPECT_EQ(fields_of(several)[0], expected);
  set_.store->forget_reads();
  EXPECT_EQ(make_webdataset_source(several).value()->size(), 8);
  EXPECT_EQ(set_.store->read_count("b.tar"), 0u);  // not scanned again
  EXPECT_EQ(fields_of(several)[0], expected);
}

TEST_F(WebdatasetTest, PartsFarApartAreAskedForInOneCall) {
  const std::string far(100'000, 'x');
  set_.put("far.tar", tar_archive({{"a.jpg", "J0"}, {"a.bin", far}, {"a.cls", "0"}, {"b.jpg", "J1"}}));
  storage::StoreRegistry registry;
  const auto store = std::make_shared<storage::HookedStore>(set_.store);
  registry.mount("mem://set/", store);
  WebdatasetOptions parts = options({"jpg", "cls"});
  parts.paths = {"mem://set/far.tar"};
  parts.registry = &registry;
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(parts);
  ASSERT_TRUE(source.ok()) << source.status();
  set_.store->forget_reads();
  const Result<Record> record = read_now(**source, 0);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(text_of(record->fields[0]), "J0");
  EXPECT_EQ(text_of(record->fields[1]), "0");
  EXPECT_EQ(store->read_many_count(), 1u);
  EXPECT_EQ(set_.store->read_count(), 2u);  // not what lies between

  set_.put("far.tar", "replaced");
  const Status status = read_now(**source, 0).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_EQ(context_of(status)->origin.object, "mem://set/far.tar");
  EXPECT_EQ(context_of(status)->origin.size_bytes, 2u);  // of the part that is named
}

TEST_F(WebdatasetTest, ArchivesAreLookedAtInOneCall) {
  storage::StoreRegistry registry;
  const auto store = std::make_shared<storage::HookedStore>(set_.store);
  registry.mount("mem://set/", store);
  WebdatasetOptions many = options({"cls"});
  many.registry = &registry;
  many.paths.clear();
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    many.paths.push_back(set_.put(number + ".tar", tar_archive({{"a.cls", number}})));
  }
  many.index_file = "mem://set/side.index";
  ASSERT_TRUE(make_webdataset_source(many).ok());
  EXPECT_EQ(store->stat_many_count(), 1u);
  ASSERT_TRUE(make_webdataset_source(many).ok());  // whether the index fits is asked in one call, too
  EXPECT_EQ(store->stat_many_count(), 2u);
}

TEST_F(WebdatasetTest, AnArchiveReplacedBeforeItsScanIsScannedAsItIs) {
  storage::StoreRegistry registry;
  const auto store = std::make_shared<storage::HookedStore>(set_.store);
  bool is_replaced = false;
  store->before_read = [&](const storage::ReadRequest&) {
    if (!std::exchange(is_replaced, true)) {
      set_.put("a.tar", tar_archive({{"n.jpg", "new"}}));
    }
  };
  registry.mount("mem://set/", store);
  WebdatasetOptions scanned = options({"jpg"});
  scanned.registry = &registry;
  const Result<std::shared_ptr<Source>> source = make_webdataset_source(scanned);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(text_of(read_now(**source, 0)->fields[0]), "new");
}

TEST_F(WebdatasetTest, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(error_of(options({})).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(error_of(options({";"})).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(error_of(options({"seg.jpg", "other"}, MissingComponent::kSkip)).code(), StatusCode::kNotFound);
  WebdatasetOptions wrong = options({"cls"});
  wrong.paths = {};
  EXPECT_EQ(error_of(wrong).code(), StatusCode::kInvalidArgument);
  wrong.paths = {"mem://set/none.tar"};
  EXPECT_EQ(error_of(wrong).code(), StatusCode::kNotFound);
  wrong.index_paths = {"a", "b"};
  EXPECT_EQ(error_of(wrong).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::dataset
