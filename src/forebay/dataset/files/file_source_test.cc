#include "forebay/dataset/files/file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/dataset/files/file_list.h"
#include "forebay/dataset/testing/gone_file.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/outage_store.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::dataset {
namespace {

using testing::text_of;

using Listing = std::vector<std::pair<std::string, int64_t>>;

/// Options by name.
struct Named {
  std::string file_root = {};
  std::string file_list = {};
  std::vector<std::string> files = {};
  std::vector<int32_t> labels = {};

  operator FileSourceOptions() const {  // NOLINT: where options are taken
    FileSourceOptions options;
    options.file_root = file_root;
    options.file_list = file_list;
    options.files = files;
    options.labels = labels;
    return options;
  }
};

class FileSourceTest : public ::testing::Test {
 protected:
  void put(const std::string& key, const std::string& content) {
    const storage::ObjectAddress address = *storage::default_registry().resolve(path(key));
    ASSERT_TRUE(storage::write_now(*address.store, address.key, testing::bytes_of(content)).ok());
  }
  std::string path(const std::string& key) const { return directory_ / key; }

  std::shared_ptr<Source> make(const FileSourceOptions& options) {
    Result<std::shared_ptr<Source>> source = make_file_source(options);
    EXPECT_TRUE(source.ok()) << source.status();
    return source.ok() ? *source : nullptr;
  }
  StatusCode make_error(const FileSourceOptions& options) {
    return make_file_source(options).status().code();
  }

  /// Content and label of all samples. Files here contain their own names.
  Listing listing(const Source& source) {
    Listing all;
    for (int64_t i = 0; i < source.size(); ++i) {
      const Result<Record> record = read_now(source, i);
      EXPECT_TRUE(record.ok()) << record.status();
      all.emplace_back(text_of(record->fields[0]), *record->fields[1].view().as<int32_t>());
      EXPECT_EQ(record->index, i);
      EXPECT_EQ(source.locate(i)->label, all.back().second);
      EXPECT_EQ(source.locate(i)->length_bytes, all.back().first.size());
    }
    return all;
  }

  void put_folders() {
    for (const char* key :
         {"top.jpg", "b/1.jpg", "b/10.JPG", "b/2.png", "a/x.txt", "a/y.jpeg", "a/.hidden.jpg", "c/deep/z.jpg",
          "B/q.jpg", "d/notes.md", ".h/x.jpg", "a-b/k.wav"}) {
      put(key, key);
    }
  }

  storage::TemporaryDirectory directory_;
};

TEST_F(FileSourceTest, TellsOfFoldersAndFilesThatWereLookedAt) {
  put_folders();
  std::vector<std::pair<size_t, size_t>> told;
  uint64_t samples = 0;
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.progress = [&](const IndexProgress& now) {
    told.emplace_back(now.shards_done, now.shards);
    samples = now.samples_found;
  };
  const auto source = make(options);
  EXPECT_EQ(told.size(), 7);
  EXPECT_EQ(told.back(), std::pair(size_t{7}, size_t{7}));
  EXPECT_EQ(samples, source->size());
  told.clear();
  options.file_root.clear();
  options.files.assign(5000, path("top.jpg"));
  for (size_t i = 0; i < options.files.size(); ++i) {
    options.files[i] += std::to_string(i);
  }
  make(options);
  EXPECT_EQ(told, (std::vector<std::pair<size_t, size_t>>{{4096, 5000}, {5000, 5000}}));
}

TEST_F(FileSourceTest, FoldersAreLabelsAsInDali) {
  put_folders();
  std::filesystem::create_symlink("../b/1.jpg", path("a/link.jpg"));
  std::filesystem::create_directory_symlink("b", path("zlink"));
  // Recorded with nvidia-dali 2.4, except a-b, which a plain sort of the names puts behind a.
  EXPECT_EQ(listing(*make(Named{.file_root = directory_.path()})), (Listing{{".h/x.jpg", 0},
                                                                            {"B/q.jpg", 1},
                                                                            {"a/.hidden.jpg", 2},
                                                                            {"b/1.jpg", 2},
                                                                            {"a/y.jpeg", 2},
                                                                            {"a-b/k.wav", 3},
                                                                            {"b/1.jpg", 4},
                                                                            {"b/10.JPG", 4},
                                                                            {"b/2.png", 4},
                                                                            {"b/1.jpg", 7},
                                                                            {"b/10.JPG", 7},
                                                                            {"b/2.png", 7}}));
}

TEST_F(FileSourceTest, Filters) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.dir_filters = {"[a-b]"};
  EXPECT_EQ(listing(*make(options)), (Listing{{"B/q.jpg", 0},
                                              {"a/.hidden.jpg", 1},
                                              {"a/y.jpeg", 1},
                                              {"b/1.jpg", 2},
                                              {"b/10.JPG", 2},
                                              {"b/2.png", 2}}));
  options.dir_filters = {"b", "c"};
  options.case_sensitive_filter = true;
  EXPECT_EQ(listing(*make(options)), (Listing{{"b/1.jpg", 0}, {"b/2.png", 0}}));
  options.file_filters = {"*.txt", "1*"};
  EXPECT_EQ(listing(*make(options)), (Listing{{"b/1.jpg", 0}, {"b/10.JPG", 0}}));
  options.file_filters = {"none"};
  EXPECT_EQ(make_error(options), StatusCode::kNotFound);
  EXPECT_EQ(make_error(Named{.file_root = path("nowhere")}), StatusCode::kNotFound);
}

TEST_F(FileSourceTest, ListsAreParsedFromTheRight) {
  const Result<std::vector<ListedFile>> files =
      parse_file_list("a b.jpg 3\r\n\n   \nc.jpg\t  14  \n  lead.jpg 5\nnum 12 6", "list");
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 4u);
  EXPECT_EQ((*files)[0].path, "a b.jpg");
  EXPECT_EQ((*files)[0].label, 3);
  EXPECT_EQ((*files)[1].path, "c.jpg");
  EXPECT_EQ((*files)[1].label, 14);
  EXPECT_EQ((*files)[2].path, "  lead.jpg");
  EXPECT_EQ((*files)[3].path, "num 12");
  for (const char* line : {"a.jpg", "a.jpg -4", "a.jpg x", "a.jpg 3.5", "12", "a.jpg 99999999999", " 3"}) {
    const Status status = parse_file_list(std::string("ok 1\n") + line, "list").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << line;
    EXPECT_NE(message(status).find("list:2"), std::string_view::npos) << status;
  }
}

TEST_F(FileSourceTest, ListsAndFiles) {
  put_folders();
  put("list.txt", "b/2.png 7\ntop.jpg 1\nb/2.png 8\n");
  const Listing expected = {{"b/2.png", 7}, {"top.jpg", 1}, {"b/2.png", 8}};
  EXPECT_EQ(listing(*make(Named{.file_list = path("list.txt")})), expected);
  EXPECT_EQ(listing(*make(Named{.file_root = directory_.path(), .file_list = path("list.txt")})), expected);
  EXPECT_EQ(listing(*make(Named{.file_root = directory_.path(), .files = {"top.jpg", "b/1.jpg"}})),
            (Listing{{"top.jpg", 0}, {"b/1.jpg", 1}}));
  EXPECT_EQ(listing(*make(Named{.files = {path("top.jpg"), path("b/1.jpg")}, .labels = {-5, 6}})),
            (Listing{{"top.jpg", -5}, {"b/1.jpg", 6}}));
}

TEST_F(FileSourceTest, OptionsThatContradictEachOther) {
  EXPECT_EQ(make_error(Named{}), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_error(Named{.file_list = "x", .files = {"y"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_error(Named{.files = {"y"}, .labels = {1, 2}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_error(Named{.file_root = "x", .labels = {1}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_error(Named{.file_root = "nfs9://x"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(make_error(Named{.file_list = path("none.txt")}), StatusCode::kNotFound);
}

TEST_F(FileSourceTest, BrokenFilesAreNamed) {
  put("empty.jpg", "");
  const auto source = make(Named{.files = {path("gone.jpg"), path("empty.jpg")}});
  const StatusCode expected[] = {StatusCode::kNotFound, StatusCode::kDataLoss};
  for (int64_t i = 0; i < 2; ++i) {
    const Status status = read_now(*source, i).status();
    EXPECT_EQ(status.code(), expected[i]) << status;
    ASSERT_TRUE(context_of(status).has_value());
    EXPECT_EQ(context_of(status)->sample_index, i);
    EXPECT_EQ(context_of(status)->origin.object, source->locate(i)->object);
  }
  EXPECT_EQ(read_now(*source, 2).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(read_now(*source, -1).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(source->locate(2).status().code(), StatusCode::kOutOfRange);
}

TEST_F(FileSourceTest, ReadsWithPaddingAndWithoutCopies) {
  put("a/1.jpg", std::string(1000, 'x'));
  const auto source = make(Named{.file_root = directory_.path()});
  const uint64_t before = memory::bytes_copied();
  const Result<Record> record = read_now(*source, 0, {.padding_bytes = 64});
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(memory::bytes_copied(), before);
  const tensor::Tensor& bytes = record->fields[0];
  EXPECT_EQ(bytes.shape(), tensor::Shape{1000});
  ASSERT_EQ(bytes.buffer()->size_bytes(), 1064u);
  EXPECT_EQ(bytes.buffer()->bytes()[1063], std::byte{0});
}

TEST_F(FileSourceTest, AnIndexFileIsMadeUsedAndKeptFresh) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side/index");
  const Listing all = listing(*make(options));
  EXPECT_TRUE(std::filesystem::exists(options.index_file));
  EXPECT_EQ(listing(*make(options)), all);
  put("b/3.jpg", "b/3.jpg");
  put("b/1.jpg", "changed");
  EXPECT_EQ(make(options)->size(), static_cast<int64_t>(all.size()) + 1);
  options.dir_filters = {"b"};
  EXPECT_LT(make(options)->size(), static_cast<int64_t>(all.size()));  // other parameters need another index
}

TEST_F(FileSourceTest, ADamagedIndexIsMadeAnewAndOthersFilesAreLeftAlone) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side/index");
  const Listing all = listing(*make(options));
  const auto size = std::filesystem::file_size(options.index_file);
  const std::string cut(static_cast<size_t>(size) / 2, '\0');
  std::filesystem::resize_file(options.index_file, size / 2);
  EXPECT_EQ(listing(*make(options)), all);
  EXPECT_EQ(std::filesystem::file_size(options.index_file), size);
  for (const std::string& nothing : {std::string(), cut}) {
    put("side/index", nothing);
    EXPECT_EQ(listing(*make(options)), all);
    EXPECT_EQ(std::filesystem::file_size(options.index_file), size);
  }
  put("side/index", "a user's notes");
  const Status status = make_file_source(options).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(status)),
              ::testing::HasSubstr("index is not a sample index; it was left alone"));
  EXPECT_EQ(std::filesystem::file_size(options.index_file), 14u);
}

TEST_F(FileSourceTest, AFolderIsNoIndexFile) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  for (const std::string& folder : {path("a"), path("a/"), path("nowhere/"), std::string("mem://set/a/")}) {
    options.index_file = folder;
    const Status status = make_file_source(options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(message(status)), ::testing::HasSubstr("this is a folder")) << folder;
  }
}

/// Sets the time of a file or folder: hours after now.
void set_hours(const std::filesystem::path& path, int hours) {
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(path, now + std::chrono::hours(hours));
}

/// Makes an old data set, whose folders have surely not changed within a clock tick.
void set_all_hours(const std::filesystem::path& folder, int hours) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) {
      set_hours(entry.path(), hours);
    }
  }
  set_hours(folder, hours);
}

/// Names of files of one class: more than are looked at when an index is opened.
std::vector<std::string> many_names() {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    names.push_back(fmt::format("a/{:04}.jpg", i));
  }
  return names;
}

TEST_F(FileSourceTest, AnIndexWithAFileThatIsNotLookedAtIsMadeAnewOnceThatIsRead) {
  for (const std::string& name : many_names()) {
    put(name, "old");
  }
  set_all_hours(directory_.path(), -5);
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side.index");
  make(options);
  for (const size_t changed : {500, 501, 502}) {  // between two that are looked at
    std::ofstream(path(many_names()[changed])) << "changed";
  }
  const auto broken = [&](const Source& source) {
    int64_t count = 0;
    for (int64_t i = 0; i < source.size(); ++i) {
      count += read_now(source, i).ok() ? 0 : 1;
    }
    return count;
  };
  const auto outdated = make(options);
  EXPECT_EQ(broken(*outdated), 3);
  EXPECT_TRUE(testing::goes(options.index_file)) << "the index stays";
  const auto opened = make(options);
  EXPECT_EQ(broken(*opened), 0);
  EXPECT_TRUE(std::filesystem::exists(options.index_file));
  EXPECT_EQ(broken(*outdated), 3);
  EXPECT_TRUE(std::filesystem::exists(options.index_file)) << "one that was made anew was removed";
}

TEST_F(FileSourceTest, ALinkedDataSetKeepsItsIndex) {
  for (const std::string& name : many_names()) {
    put(name, "old");
  }
  set_all_hours(directory_.path(), -5);
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side.index");
  const auto source = make(options);
  std::filesystem::create_hard_link(options.index_file, path("kept"));
  for (const std::string& name : many_names()) {
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_read);
  }
  EXPECT_TRUE(read_now(*source, 7).ok());
  make(options);
  EXPECT_EQ(std::filesystem::hard_link_count(options.index_file), 2u) << "it was made anew";
}

TEST_F(FileSourceTest, AnIndexThatCannotBeWrittenIsAnErrorOfTheSystem) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = "/proc/forebay.index";  // a place where nobody can create a file
  const Status status = make_file_source(options).status();
  EXPECT_TRUE(errno_of(status).has_value()) << status;
  EXPECT_NE(message(status).find(options.index_file), std::string_view::npos) << status;
}

TEST_F(FileSourceTest, AnIndexFileIsMadeAgainWhenAFolderHasChanged) {
  put_folders();
  put("side/other", "x");
  set_all_hours(directory_.path(), -5);
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side/index");
  const auto count = [&] { return make(options)->size(); };
  const int64_t before = count();
  const auto written = std::filesystem::last_write_time(options.index_file);
  EXPECT_EQ(count(), before);
  EXPECT_EQ(std::filesystem::last_write_time(options.index_file), written) << "it was made again";
  put("b/3.jpg", "b/3.jpg");
  set_hours(path("b"), -5);  // unchanged except for its change time
  EXPECT_EQ(count(), before + 1);
  put("new/4.jpg", "new/4.jpg");
  EXPECT_EQ(count(), before + 2);
}

TEST_F(FileSourceTest, FilesAddedWhileAFolderIsListedAreNoticed) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side/index");
  const int64_t before = make(options)->size();
  // As if the file had been added after the listing but before the index was written: the index is newer.
  put("b/3.jpg", "b/3.jpg");
  set_hours(options.index_file, 1);
  EXPECT_EQ(make(options)->size(), before + 1);
}

TEST_F(FileSourceTest, AFolderListedWithinATickOfItsChangeIsListedAgain) {
  put_folders();
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("side/index");
  make(options);
  const auto id = [&] { return std::filesystem::hard_link_count(options.index_file); };
  std::filesystem::create_hard_link(options.index_file, path("kept"));
  ASSERT_EQ(id(), 2u);
  set_hours(options.index_file, 0);  // the time of the folders' last change
  make(options);
  EXPECT_EQ(id(), 1u) << "the index was used, although a file may have come in the same tick";
}

TEST_F(FileSourceTest, AnIndexFileMayLieInTheFolder) {
  put_folders();
  set_all_hours(directory_.path(), -5);
  FileSourceOptions options = Named{.file_root = directory_.path()};
  options.index_file = path("index");
  make(options);
  const auto written = std::filesystem::last_write_time(options.index_file);
  make(options);
  EXPECT_EQ(std::filesystem::last_write_time(options.index_file), written) << "it was written again";
}

TEST_F(FileSourceTest, AReplacedFileIsToldByItsVersion) {
  put("a/1.jpg", "one");
  const auto source = make(Named{.file_root = directory_.path()});
  put("a/1.jpg", "two");
  const Status status = read_now(*source, 0).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_EQ(context_of(status)->origin.object, path("a/1.jpg"));
}

TEST_F(FileSourceTest, NamesHoldAnyByte) {
  std::string name;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') {
      name.push_back(static_cast<char>(byte));
    }
  }
  name = name.substr(0, 240) + ".jpg";
  put("\xff\xfe/" + name, "");
  put("\xff\xfe/whole.jpg", "whole");
  for (const char* const locale : {"C", "C.UTF-8"}) {
    ASSERT_NE(std::setlocale(LC_ALL, locale), nullptr);
    const auto source = make(Named{.file_root = directory_.path()});
    ASSERT_EQ(source->size(), 2);
    const Status status = read_now(*source, 0).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss);
    EXPECT_EQ(context_of(status)->origin.object, path("\xff\xfe/" + name));
    EXPECT_TRUE(read_now(*source, 1).ok());
  }
  std::setlocale(LC_ALL, "C");
}

TEST_F(FileSourceTest, AnOutageWhileItIsOpenedIsOutlasted) {
  const auto store = std::make_shared<storage::OutageStore>(std::make_shared<storage::MemoryStore>());
  storage::StoreRegistry registry;
  registry.mount("mem://set/", store);
  for (const char* key : {"a/0.png", "b/1.png"}) {
    const std::string content = key;
    ASSERT_TRUE(storage::write_now(*store, key, testing::bytes_of(content)).ok());
  }
  store->set_outage(true);
  FileSourceOptions of_folders = Named{.file_root = "mem://set"};
  of_folders.index_file = "mem://set/index";
  FileSourceOptions of_files = Named{.files = {"mem://set/b/1.png"}};
  of_folders.registry = of_files.registry = &registry;
  for (int i = 0; i < 2; ++i) {  // the index is made, then opened
    EXPECT_EQ(make(of_folders)->size(), 2);
  }
  EXPECT_EQ(make(of_files)->size(), 1);
}

TEST_F(FileSourceTest, WhatCannotBeAskedIsNotRecordedAsMissing) {
  testing::MemorySet set;
  set.put("a/0.png", "text");
  set.put("a/1.png", "text");
  FileSourceOptions options = Named{.files = {"mem://set/a/0.png", "mem://set/a/1.png"}};
  options.registry = &set.registry;
  options.index_file = "mem://set/index";
  for (const Status& error :
       {unavailable("an outage"), invalid_argument("refused"), resource_exhausted("x")}) {
    set.store->fail_stats("a/1.png", error, 1);  // while the index is made, then while it is looked at
    EXPECT_EQ(make_file_source(options).status().code(), error.code());
    EXPECT_EQ(make(options)->locate(1)->length_bytes, 4u);
  }
  set.store->fail_stats("a/1.png", permission_denied("not yours"));
  EXPECT_EQ(make(options)->locate(1)->length_bytes, 4u) << "the index is kept";
}

TEST_F(FileSourceTest, AnyStoreServes) {
  auto faulty = std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  storage::StoreRegistry registry;
  registry.mount("mem://set/", faulty);
  for (const char* key : {"a/0.png", "b/1.png"}) {
    const std::string content = key;
    ASSERT_TRUE(storage::write_now(*faulty, key, testing::bytes_of(content)).ok());
  }
  FileSourceOptions options = Named{.file_root = "mem://set"};
  options.registry = &registry;
  const auto source = make(options);
  EXPECT_EQ(listing(*source), (Listing{{"a/0.png", 0}, {"b/1.png", 1}}));
  EXPECT_EQ(source->locate(1)->object, "mem://set/b/1.png");

  std::vector<PlannedRead> reads;
  source->plan(1, &reads);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].store, faulty.get());
  EXPECT_EQ(reads[0].range.key, "b/1.png");
  EXPECT_EQ(source->stores(), std::vector<std::shared_ptr<storage::ObjectStore>>{faulty});
  testing::expect_plans_of_what_is_read(*source, *faulty);

  faulty->fail_reads("a/0.png", unavailable("scripted"), 1);
  EXPECT_EQ(read_now(*source, 0).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(read_now(*source, 0).ok());
}

}  // namespace
}  // namespace forebay::dataset
