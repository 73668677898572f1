// What is kept of a profile, and how it is written.
#include "src/base/profiler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "frit/error.h"

namespace frit::base {
namespace {

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size()) ++found;
  return found;
}

class Profiler : public testing::Test {
 protected:
  void SetUp() override { start_profile(); }
  void TearDown() override {
    stop_profile();
    set_profile_limit(1000);
  }
};

TEST_F(Profiler, AnEventLastsFromItsStartToItsEnd) {
  {
    ProfileEvent event("op", "relu");
    event.note("call", "relu(f32[2])").note("bytes", 8).start();
  }
  const std::string json = profile_json();
  EXPECT_NE(json.find(R"json("name":"relu","cat":"op","ph":"X","ts":)json"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"json("args":{"call":"relu(f32[2])","bytes":8})json"), std::string::npos)
      << json;
}

TEST_F(Profiler, AnEventThatIsNotStartedIsAPointInTime) {
  { ProfileEvent event("exit", "exit"); }
  EXPECT_NE(profile_json().find(R"json("ph":"i","s":"t","ts":)json"), std::string::npos);
}

TEST_F(Profiler, NamesAreEscapedAndLongNotesCut) {
  {
    ProfileEvent event("op", "a\"b\n\xff");
    event.note("k\\", std::string(1000, 'x')).start();
  }
  const std::string json = profile_json();
  EXPECT_NE(json.find(R"json("name":"a\"b\u000a\ufffd")json"), std::string::npos) << json;
  EXPECT_NE(json.find(R"json("k\\":"xxx)json"), std::string::npos) << json;
  EXPECT_LT(json.size(), 700u);
}

TEST_F(Profiler, EventsBeyondTheLimitAreCounted) {
  set_profile_limit(3);
  for (int i = 0; i < 10; ++i) ProfileEvent("op", "a");
  const std::string json = profile_json();
  EXPECT_EQ(count(json, "\"cat\":\"op\""), 3);
  EXPECT_NE(json.find("\"dropped\":7"), std::string::npos) << json;
}

TEST_F(Profiler, NothingIsKeptWhenItIsOff) {
  stop_profile();
  { ProfileEvent event("op", "a"); }
  EXPECT_EQ(count(profile_json(), "\"cat\":\"op\""), 0);
}

TEST_F(Profiler, StartingForgetsWhatWasBefore) {
  { ProfileEvent event("op", "a"); }
  start_profile();
  EXPECT_EQ(count(profile_json(), "\"cat\":\"op\""), 0);
}

TEST_F(Profiler, ThreadsAddWhileAnotherWrites) {
  set_profile_limit(100'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) ProfileEvent("op", "a").note("i", i).start();
    });
  for (int i = 0; i < 10; ++i) profile_json();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count(profile_json(), "\"cat\":\"op\""), 4000);
}

TEST_F(Profiler, AChildProcessStartsWithNothing) {
  { ProfileEvent event("op", "parent"); }
  const pid_t child = fork();
  if (child == 0) {
    { ProfileEvent event("op", "child"); }
    const std::string json = profile_json();
    _exit(count(json, "parent") == 0 && count(json, "child") == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(profile_json(), "parent"), 1);
}

TEST_F(Profiler, WritesAFileOrSaysWhyNot) {
  const std::string path = testing::TempDir() + "/profile.json";
  { ProfileEvent event("op", "a"); }
  write_profile(path);
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), profile_json());
  EXPECT_THROW(write_profile(testing::TempDir() + "/none/profile.json"), Error);
  EXPECT_THROW(write_profile("/dev/full"), Error);
}

}  // namespace
}  // namespace frit::base
