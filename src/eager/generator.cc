#include "src/eager/generator.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <sstream>
#include <vector>

#include "frit/random.h"
#include "src/eager/api.h"

namespace frit {
namespace random {
namespace {

constexpr uint64_t kDefaultSeed = 67280421310721;  // PyTorch's
constexpr int kWords = 624;                        // of the Mersenne twister

// PyTorch's layout.
struct State {
  uint64_t seed;
  int32_t left;    // numbers until the words are made anew, plus 1
  int32_t seeded;  // 1
  uint64_t next;   // the word that comes next
  uint64_t words[kWords];
  double normal_x;
  double normal_y;  // the normal number that waits
  double normal_rho;
  int32_t normal_is_valid;
  float next_float_normal;
  bool next_float_normal_is_valid;
};
static_assert(sizeof(State) == Engine::kStateBytes);

thread_local SharedEngine* scoped = nullptr;

SharedEngine& default_engine() {
  static SharedEngine engine(kDefaultSeed);
  return engine;
}

// One for each device that numbers have been drawn for, never to go.
struct DeviceEngines {
  struct Entry {
    Device device;
    SharedEngine* engine;
  };
  base::ForkMutex mutex{base::ForkLevel::kTables};
  uint64_t seed = kDefaultSeed;  // of those to come
  std::vector<Entry> entries;
};
DeviceEngines& device_engines() {
  static DeviceEngines* engines = new DeviceEngines;
  return *engines;
}

SharedEngine& default_engine(Device device) {
  if (device.is_cpu()) return default_engine();
  devices::check(device);
  DeviceEngines& all = device_engines();
  std::lock_guard lock(all.mutex);
  for (const DeviceEngines::Entry& entry : all.entries)
    if (entry.device == device) return *entry.engine;
  all.entries.push_back({device, new SharedEngine(all.seed)});
  return *all.entries.back().engine;
}

void seed_devices(uint64_t seed) {
  std::vector<DeviceEngines::Entry> entries;
  {
    std::lock_guard lock(device_engines().mutex);
    device_engines().seed = seed;
    entries = device_engines().entries;
  }
  for (const DeviceEngines::Entry& entry : entries) {
    std::lock_guard lock(entry.engine->mutex);
    entry.engine->engine.seed(seed);
  }
  devices::manual_seed(seed);
}

}  // namespace

SharedEngine& current() { return scoped != nullptr ? *scoped : default_engine(); }

OnDevice::OnDevice(Device device)
    : saved_(scoped == nullptr ? std::exchange(scoped, &default_engine(device)) : scoped) {}
OnDevice::~OnDevice() { scoped = saved_; }

void Engine::seed(uint64_t seed) {
  seed_ = seed;
  engine_.seed(static_cast<uint32_t>(seed));
  next_normal_.reset();
}

double Engine::uniform(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return static_cast<double>(bits64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
    case Dtype::kF32:
      return (bits32() & ((1u << 24) - 1)) * 0x1p-24;
    case Dtype::kF16:
      return (bits32() & ((1u << 11) - 1)) * 0x1p-11;
    default:
      return (bits32() & ((1u << 8) - 1)) * 0x1p-8;
  }
}

// The C library's functions, as in PyTorch.
double Engine::normal() {
  if (next_normal_) return *std::exchange(next_normal_, std::nullopt);
  const double angle = 2 * std::numbers::pi * uniform(kFloat64);
  const double radius = std::sqrt(-2 * std::log1p(-uniform(kFloat64)));
  next_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// The standard says how an engine is written: its words, then (in this library) its place.
void Engine::save(std::span<std::byte, kStateBytes> bytes) const {
  State state = {};
  std::stringstream text;
  text << engine_;
  for (uint64_t& word : state.words) text >> word;
  text >> state.next;
  state.seed = seed_;
  state.left = kWords + 1 - static_cast<int32_t>(state.next);
  state.seeded = 1;
  state.normal_y = next_normal_.value_or(0);
  state.normal_is_valid = next_normal_.has_value();
  std::memcpy(bytes.data(), &state, sizeof state);
}

bool Engine::load(std::span<const std::byte, kStateBytes> bytes) {
  State state;
  std::memcpy(&state, bytes.data(), offsetof(State, next_float_normal_is_valid));
  // A new engine of PyTorch has made no words yet and says so by `left`, whatever comes next.
  const uint64_t place = state.left == 1 ? kWords : state.next;
  if (state.seeded != 1 || place > kWords || state.left < 1 || state.left > kWords) return false;
  std::stringstream text;
  for (uint64_t word : state.words) text << (word & UINT32_MAX) << ' ';
  text << place;
  text >> engine_;
  seed_ = state.seed;
  next_normal_.reset();
  if (state.normal_is_valid != 0) next_normal_ = state.normal_y;
  return true;
}

}  // namespace random

Generator::Generator() : Generator(random::kDefaultSeed) {}
Generator::Generator(uint64_t seed) : engine_(std::make_shared<random::SharedEngine>(seed)) {}

Generator default_generator(Device device) {
  return Generator(std::shared_ptr<random::SharedEngine>(std::shared_ptr<void>(),
                                                         &random::default_engine(device)));
}

void Generator::manual_seed(uint64_t seed) {
  std::lock_guard lock(engine_->mutex);
  engine_->engine.seed(seed);
}

uint64_t Generator::initial_seed() const {
  std::lock_guard lock(engine_->mutex);
  return engine_->engine.initial_seed();
}

uint64_t Generator::seed() {
  std::random_device device;
  // 53 bits, so that the number is a double's too.
  const uint64_t seed = ((uint64_t{device()} << 32) | device()) & ((uint64_t{1} << 53) - 1);
  manual_seed(seed);
  return seed;
}

Tensor Generator::get_state() const {
  std::byte bytes[random::Engine::kStateBytes];
  {
    std::lock_guard lock(engine_->mutex);
    engine_->engine.save(bytes);
  }
  return from_host(bytes, {static_cast<int64_t>(sizeof bytes)}, TensorOptions(kUInt8).device(kCPU));
}

void Generator::set_state(const Tensor& state) {
  constexpr size_t kBytes = random::Engine::kStateBytes;
  const Tensor bytes = contiguous(api::checked("set_state", state));
  if (bytes.dtype() != kUInt8 || bytes.numel() != static_cast<int64_t>(kBytes))
    api::fail(ErrorKind::kRuntime, "set_state", state,
              api::text("expected ", kBytes, " elements of u8"));
  bool fits = false;
  bytes.with_data<const uint8_t>([&](const uint8_t* first) {
    std::lock_guard lock(engine_->mutex);
    fits = engine_->engine.load(std::as_bytes(std::span<const uint8_t, kBytes>(first, kBytes)));
  });
  if (!fits) api::fail(ErrorKind::kRuntime, "set_state", state, "this is no generator's state");
}

GeneratorScope::GeneratorScope(Generator generator)
    : generator_(std::move(generator)),
      saved_(std::exchange(random::scoped, generator_.engine_.get())) {}
GeneratorScope::~GeneratorScope() { random::scoped = saved_; }

void manual_seed(uint64_t seed) {
  default_generator().manual_seed(seed);
  random::seed_devices(seed);
}

}  // namespace frit
