#include "forebay/storage/s3_credentials/credentials.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/storage/s3/allowed_credentials.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <map>
#include <optional>

#include "forebay/storage/remote/environment.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

CredentialsRef keys_until(const std::string& id, int64_t expires_s) {
  return std::make_shared<const ExpiringCredentials>(ExpiringCredentials{{id, "secret", "token"}, expires_s});
}

/// Holds the questions until the test answers them.
class HeldSource final : public CredentialsSource {
 public:
  void fetch(CredentialsCallback done) override { asked.push_back(std::move(done)); }
  void answer(Result<CredentialsRef> result) {
    CredentialsCallback done = std::move(asked.back());
    asked.pop_back();
    ++answered;
    done(std::move(result));
  }

  std::vector<CredentialsCallback> asked;
  int answered = 0;
};

struct CachedCredentialsTest : ::testing::Test {
  ~CachedCredentialsTest() override { source->asked.clear(); }  // what is never answered holds `cache`

  Result<CredentialsRef>& get() {
    answers.push_back(unavailable("not answered"));
    const size_t index = answers.size() - 1;
    cache->get([this, index](Result<CredentialsRef> keys) { answers[index] = std::move(keys); });
    return answers[index];
  }

  int64_t now = 1000;
  std::shared_ptr<HeldSource> source = std::make_shared<HeldSource>();
  std::shared_ptr<CachedCredentials> cache =
      std::make_shared<CachedCredentials>(source, [this] { return now; });
  std::deque<Result<CredentialsRef>> answers;
};

TEST_F(CachedCredentialsTest, HoweverManyAskOneFetchIsUnderWay) {
  Result<CredentialsRef>& one = get();
  Result<CredentialsRef>& two = get();
  ASSERT_EQ(source->asked.size(), 1u);
  EXPECT_FALSE(one.ok());
  source->answer(keys_until("a", 5000));
  EXPECT_EQ((*one)->keys.access_key_id, "a");
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(*get(), *one);  // inline
  EXPECT_TRUE(source->asked.empty());
}

TEST_F(CachedCredentialsTest, KeysAreRenewedBeforeTheyExpire) {
  get();
  source->answer(keys_until("a", 5000));
  now = 4700;
  EXPECT_EQ((*get())->keys.access_key_id, "a");  // still good; new ones are on their way
  EXPECT_EQ((*get())->keys.access_key_id, "a");
  ASSERT_EQ(source->asked.size(), 1u);
  source->answer(keys_until("b", 9000));
  EXPECT_EQ((*get())->keys.access_key_id, "b");
}

TEST_F(CachedCredentialsTest, OldKeysServeWhileRenewalFails) {
  get();
  source->answer(keys_until("a", 5000));
  now = 4900;
  get();
  source->answer(unavailable("down"));
  EXPECT_EQ((*get())->keys.access_key_id, "a");
  EXPECT_TRUE(source->asked.empty());  // not again at once
  now = 4911;
  get();
  EXPECT_EQ(source->asked.size(), 1u);
  source->answer(unavailable("down"));
  now = 5001;
  Result<CredentialsRef>& late = get();
  source->answer(unavailable("down"));
  EXPECT_EQ(late.status().code(), StatusCode::kUnavailable);
  Result<CredentialsRef>& next = get();  // a failure is not kept
  source->answer(keys_until("b", 9000));
  EXPECT_TRUE(next.ok());
}

TEST_F(CachedCredentialsTest, RefusedKeysAreFetchedAnew) {
  Result<CredentialsRef>& first = get();
  source->answer(keys_until("a", kNeverExpires));
  cache->forget(*first);
  Result<CredentialsRef>& second = get();
  source->answer(keys_until("b", kNeverExpires));
  cache->forget(*first);  // late: these are no longer in use
  EXPECT_EQ(*get(), *second);
}

TEST_F(CachedCredentialsTest, AChildFetchesForItself) {
  get();
  const pid_t child = fork();
  if (child == 0) {
    bool answered = false;
    cache->get([&](const Result<CredentialsRef>& keys) { answered = keys.ok(); });
    const bool asks = source->asked.size() == 2;
    if (asks) {
      source->answer(keys_until("child", kNeverExpires));
    }
    _exit(asks && answered && !answers[0].ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
}

/// The keys that a chain over these variables finds, without any metadata service.
Result<CredentialsRef> find_keys(const StoreVariables& given, const S3Options& options = {}) {
  StoreVariables variables = given;
  variables.emplace("AWS_EC2_METADATA_DISABLED", "true");
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<CredentialsSource> source,
                           credentials_of(options, environment_of(variables), metadata_client()));
  Result<CredentialsRef> found = unavailable("not answered");
  source->fetch([&](Result<CredentialsRef> keys) { found = std::move(keys); });
  return found;
}

TEST(CredentialSources, AreAskedInOrder) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "credentials")
      << "[default]\naws_access_key_id = file\naws_secret_access_key = s\n"
         "[other]\naws_access_key_id = other\naws_secret_access_key = s\n"
         "aws_session_token = t\n";
  StoreVariables variables = {{"AWS_SHARED_CREDENTIALS_FILE", directory / "credentials"}};
  EXPECT_EQ((*find_keys(variables))->keys.access_key_id, "file");
  variables["AWS_PROFILE"] = "other";
  EXPECT_EQ((*find_keys(variables))->keys.session_token, "t");
  variables["AWS_ACCESS_KEY_ID"] = "environment";
  variables["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ((*find_keys(variables))->keys.access_key_id, "environment");
  EXPECT_EQ((*find_keys(variables, {.profile = "default"}))->keys.access_key_id, "file");
  EXPECT_EQ((*find_keys(variables, {.credentials = {"given", "s", ""}}))->keys.access_key_id, "given");
  EXPECT_EQ(*find_keys(variables, {.anonymous = true}), nullptr);
  for (const char* word : {"1", "true", "YES", "on"}) {
    variables["FOREBAY_S3_ANONYMOUS"] = word;
    EXPECT_EQ(*find_keys(variables), nullptr) << word;
  }
  for (const char* word : {"0", "False", "no", "OFF"}) {
    variables["FOREBAY_S3_ANONYMOUS"] = word;
    EXPECT_NE(*find_keys(variables), nullptr) << word;
  }
  variables["FOREBAY_S3_ANONYMOUS"] = "nein";
  EXPECT_EQ(find_keys(variables).status().code(), StatusCode::kInvalidArgument);
}

TEST(CredentialSources, ErrorsSayWhereTheyLookedAndNoSecret) {
  const TemporaryDirectory directory;
  const Status none = find_keys({{"HOME", directory.path()}}).status();
  EXPECT_EQ(none.code(), StatusCode::kPermissionDenied);
  for (const char* place : {"AWS_ACCESS_KEY_ID", "'default'", ".aws/credentials", "FOREBAY_S3_ANONYMOUS"}) {
    EXPECT_NE(message(none).find(place), std::string_view::npos) << none;
  }
  std::ofstream(directory / "credentials") << "[half]\naws_secret_access_key = hidden\n"
                                              "[role]\nrole_arn = hidden\n"
                                              "[sso]\nsso_session = hidden\n";
  const StoreVariables file = {{"AWS_SHARED_CREDENTIALS_FILE", directory / "credentials"}};
  for (const auto& [profile, code] :
       std::map<std::string, StatusCode>{{"half", StatusCode::kInvalidArgument},
                                         {"role", StatusCode::kInvalidArgument},
                                         {"sso", StatusCode::kUnimplemented},
                                         {"none", StatusCode::kInvalidArgument}}) {
    const Status status = find_keys(file, {.profile = profile}).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(message(status).find(profile), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
  }
  const Status half = find_keys({{"AWS_SECRET_ACCESS_KEY", "hidden"}}).status();
  EXPECT_EQ(half.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(half).find("hidden"), std::string_view::npos) << half;
}

}  // namespace
}  // namespace forebay::storage
