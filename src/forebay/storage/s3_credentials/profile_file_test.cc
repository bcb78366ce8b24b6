#include "forebay/storage/s3_credentials/profile_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "forebay/storage/remote/environment.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

TEST(ProfileFile, SectionsSettingsAndNestedOnes) {
  const Result<ProfileFile> file = parse_profile_file(
      "# a comment\n; another\n\n[default]\nregion = eu-west-1 # here\r\nkey=a#b\n"
      "[ profile two ]\ns3 =\n  addressing_style = path\n\tmax_queue = 7\nregion=x\n  indented = y\n",
      "config");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->at("default"), (ProfileSettings{{"region", "eu-west-1"}, {"key", "a#b"}}));
  EXPECT_EQ(file->at("profile two"), (ProfileSettings{{"s3", ""},
                                                      {"s3.addressing_style", "path"},
                                                      {"s3.max_queue", "7"},
                                                      {"region", "x"},
                                                      {"indented", "y"}}));
}

TEST(ProfileFile, BrokenLinesAreNamedWithoutTheirText) {
  const std::pair<std::string, std::string> cases[] = {
      {"[default\n", "config:1:"},
      {"\nsecret = x\n", "config:2:"},
      {"[a]\nx = 1\nsecret\n", "config:3:"},
      {std::string("[a]\nsecret = \0x\n", 17), "config:2:"},
  };
  for (const auto& [text, place] : cases) {
    const Status status = parse_profile_file(text, "config").status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << text;
    EXPECT_TRUE(message(status).starts_with(place)) << status;
    EXPECT_EQ(message(status).find("secret"), std::string_view::npos) << status;
  }
}

TEST(ProfileFile, HasLimits) {
  EXPECT_EQ(parse_profile_file(std::string(kMaxProfileFileBytes + 1, '\n'), "c").status().code(),
            StatusCode::kDataLoss);
  std::string many = "[a]\n";
  for (int i = 0; i < 20'000; ++i) {
    many += "k" + std::to_string(i) + "=v\n";
  }
  EXPECT_EQ(parse_profile_file(many, "c").status().code(), StatusCode::kDataLoss);
  EXPECT_TRUE(parse_profile_file("", "c")->empty());
}

TEST(ProfileFile, AProfileIsReadFromBothFiles) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "config")
      << "[profile one]\nregion = r1\nservices = mine\naws_access_key_id = old\n"
         "[services mine]\ns3 =\n  endpoint_url = http://h\n[default]\nregion = r0\n";
  std::ofstream(directory / "credentials") << "[one]\naws_access_key_id = new\n";
  StoreVariables variables = {{"AWS_CONFIG_FILE", directory / "config"},
                              {"AWS_SHARED_CREDENTIALS_FILE", directory / "credentials"}};
  const Result<Profile> by_default = read_profile("", environment_of(variables));
  ASSERT_TRUE(by_default.ok()) << by_default.status();
  EXPECT_EQ(by_default->settings, (ProfileSettings{{"region", "r0"}}));
  variables["AWS_PROFILE"] = "one";
  const Result<Profile> one = read_profile("", environment_of(variables));
  EXPECT_EQ(one->name, "one");
  EXPECT_EQ(one->settings.at("region"), "r1");
  EXPECT_EQ(one->settings.at("aws_access_key_id"), "new");
  EXPECT_EQ(one->services.at("s3.endpoint_url"), "http://h");
  EXPECT_FALSE(read_profile("none", environment_of(variables))->is_known);
}

TEST(ProfileFile, FilesThatDoNotExistAreEmptyAndOthersAreErrors) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(read_profile("", environment_of({{"HOME", directory.path()}}))->is_known);
  const Status status = read_profile("", environment_of({{"AWS_CONFIG_FILE", directory.path()}})).status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(message(status).find(directory.path()), std::string_view::npos) << status;
}

}  // namespace
}  // namespace forebay::storage
