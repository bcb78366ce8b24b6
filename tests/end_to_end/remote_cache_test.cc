// A C++ pipeline over s3:// whose program has called assemble(): a real S3 server, and the daemon of the real
// program `forebay`, started on demand. What one pipeline has read, the next takes from the host's cache.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "data_set.h"
#include "forebay/assembly/assemble.h"
#include "forebay/base/units.h"
#include "forebay/cache/client/daemon_process.h"
#include "forebay/cache/client/install_host.h"
#include "forebay/control/cache_counts.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/versitygw_server.h"

namespace forebay::end_to_end {
namespace {

constexpr int kRemoteImages = 24;

class RemoteCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (storage::VersitygwServer::program().empty()) {
      GTEST_SKIP() << "versitygw is not installed";
    }
    const storage::VersitygwServer& server = storage::VersitygwServer::shared();
    set("AWS_ENDPOINT_URL_S3", server.endpoint());
    set("AWS_ACCESS_KEY_ID", storage::VersitygwServer::kAccessKeyId);
    set("AWS_SECRET_ACCESS_KEY", storage::VersitygwServer::kSecretAccessKey);
    set("AWS_REGION", "us-east-1");
    set("FOREBAY_DAEMON", "on");
    const std::string bucket = storage::VersitygwServer::shared().make_bucket();
    const storage::StoreRegistry direct;  // what writes here leaves nothing in the cache
    for (int i = 0; i < kRemoteImages; ++i) {
      files_.push_back("s3://" + bucket + "/image" + std::to_string(i));
      const std::string image = small_image(i);
      const Result<storage::ObjectAddress> address = direct.resolve(files_.back());
      ASSERT_TRUE(address.ok()) << address.status();
      ASSERT_TRUE(storage::write_now(*address->store, address->key, std::as_bytes(std::span(image))).ok());
    }
  }
  void TearDown() override {
    storage::default_registry().decorate({});
    if (const Result<std::string> socket = cache::host_socket(); socket.ok()) {
      const Result<bool> was_stopped = cache::stop_daemon(*socket, 60 * kSecond);
      EXPECT_TRUE(was_stopped.ok()) << was_stopped.status();
    }
    for (const std::string& name : variables_) {
      ::unsetenv(name.c_str());
    }
  }

  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    variables_.insert(name);
  }
  /// One epoch.
  std::vector<SampleHash> run() const {
    std::vector<SampleHash> samples;
    const Result<std::unique_ptr<Pipeline>> job = open_job(files_input(files_), {});
    EXPECT_TRUE(job.ok()) << job.status();
    while (job.ok() && samples.size() < kRemoteImages) {
      const auto delivery = (*job)->session().run();
      if (!delivery.ok()) {
        ADD_FAILURE() << delivery.status();
        break;
      }
      const std::vector<SampleHash> batch = hashes_of(*delivery);
      samples.insert(samples.end(), batch.begin(), batch.end());
    }
    return samples;
  }
  static uint64_t count(const char* name) {
    const Result<std::string> text = control::ask_cache_counts();
    EXPECT_TRUE(text.ok()) << text.status();
    if (!text.ok()) {
      return 0;
    }
    const Result<nlohmann::json> counts = control::parse_cache_counts(*text);
    EXPECT_TRUE(counts.ok()) << counts.status();
    return counts.ok() ? control::count_in_json(*counts, name) : 0;
  }

  std::vector<std::string> files_;
  std::set<std::string> variables_;
};

TEST_F(RemoteCacheTest, WhatOnePipelineHasReadTheNextTakesFromTheHostsCache) {
  assembly::assemble({.programs = {FOREBAY_PROGRAM}});
  const std::vector<SampleHash> first = run();
  const uint64_t brought = count("upstream_reads");
  EXPECT_GE(brought, kRemoteImages);
  EXPECT_EQ(run(), first);
  EXPECT_EQ(count("upstream_reads"), brought);
  EXPECT_GE(count("hits"), kRemoteImages);
}

TEST_F(RemoteCacheTest, WithTheDaemonOffStoresAreReadDirectly) {
  set("FOREBAY_DAEMON", "off");
  assembly::assemble({.programs = {FOREBAY_PROGRAM}});
  EXPECT_EQ(run().size(), kRemoteImages);
  EXPECT_EQ(control::connect_to_cache().status().code(), StatusCode::kNotFound) << "a daemon was started";
}

}  // namespace
}  // namespace forebay::end_to_end
