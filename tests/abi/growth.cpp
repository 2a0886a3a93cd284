// Growing structures: structures that are shorter or longer than the library's own, or garbage. Every entry that takes one is called with
// every defect. It must return the right code and a sentence that names structure, member and value, and write nothing.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <adjoint.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plan/structs.hpp"

namespace {

constexpr std::uint64_t kLargest = 1 << 16;  // largest size that is taken for a future version
// Sizes of the first versions.
constexpr std::uint64_t kFirstDescriptor = offsetof(adj_embedding_backward_descriptor, use_index_plan);
constexpr std::uint64_t kFirstArgs = offsetof(adj_embedding_backward_args, sorted_rows);
static_assert(kFirstDescriptor == 80 && kFirstArgs == 632);
static_assert(offsetof(adj_gather_grad_descriptor, use_index_plan) == 72 && offsetof(adj_gather_grad_args, sorted_rows) == 632);
static_assert(offsetof(adj_embedding_bag_backward_descriptor, use_index_plan) == 104);
static_assert(offsetof(adj_embedding_bag_backward_args, sorted_rows) == 1088);

bool says(const std::string& what) { return std::string(adj_last_error()).find(what) != std::string::npos; }

// Structure at the start of a large area of zeros, as a newer program would have it.
class Grown {
 public:
  template <class T>
  explicit Grown(const T& value) : size_(sizeof value), words_(kLargest / 8 + 2) {
    std::memcpy(words_.data(), &value, sizeof value);
    header()->struct_size = size_;
  }
  adj_header* header() { return reinterpret_cast<adj_header*>(words_.data()); }
  template <class T>
  T* as() { return reinterpret_cast<T*>(words_.data()); }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(words_.data()); }
  std::uint64_t size() const { return size_; }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::uint64_t size_;
  std::vector<std::uint64_t> words_;
};

// Calls with every defect. `name`: name of the structure in the sentence. `first`: size of its first version. `untouched` says, after each
// failure, that nothing was written.
template <class T>
void every_defect(const T& good, const std::string& name, const std::function<adj_status(Grown&)>& call,
                  const std::function<bool()>& untouched = [] { return true; }, std::uint64_t first = sizeof(T)) {
  CAPTURE(name);
  auto refused = [&](Grown& s, adj_status code, const std::string& sentence) {
    const std::vector<std::uint64_t> before = s.words();
    CAPTURE(sentence);
    CHECK(call(s) == code);
    CHECK_MESSAGE(says(sentence), adj_last_error());
    CHECK_MESSAGE(says(name), adj_last_error());
    CHECK(s.words() == before);
    CHECK(untouched());
  };
  {
    Grown s(good);
    CHECK_MESSAGE(call(s) == ADJ_OK, adj_last_error());
  }
  for (std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{sizeof(adj_header)}, first - 8, first - 1,
                             kLargest + 1, std::uint64_t{1} << 40, UINT64_MAX}) {
    Grown s(good);
    s.header()->struct_size = size;
    refused(s, ADJ_ERROR_STRUCT_SIZE, "struct_size = " + std::to_string(size));
  }
  for (std::uint64_t size = first; size < sizeof(T); size += 4) {  // an earlier program's: bytes beyond `size` are not part of it
    Grown s(good);
    s.header()->struct_size = size;
    std::memset(s.bytes() + size, 0xff, 64);
    CHECK_MESSAGE(call(s) == ADJ_OK, adj_last_error());
  }
  for (std::uint64_t size : {sizeof(T) + 1, sizeof(T) + 8, sizeof(T) + 64, std::size_t{kLargest}}) {
    Grown zeros(good);
    zeros.header()->struct_size = size;
    CHECK_MESSAGE(call(zeros) == ADJ_OK, adj_last_error());
    Grown set(good);
    set.header()->struct_size = size;
    set.bytes()[size - 1] = 1;
    refused(set, ADJ_ERROR_STRUCT_SIZE, "byte " + std::to_string(size - 1) + " is not zero");
    // Bytes beyond struct_size are not part of the structure.
    Grown beyond(good);
    beyond.header()->struct_size = size;
    beyond.bytes()[size] = 1;
    CHECK_MESSAGE(call(beyond) == ADJ_OK, adj_last_error());
  }
  for (std::int32_t tag : {0, -1, 0x7777, 0x30001}) {
    Grown s(good);
    s.header()->tag = tag;
    const std::vector<std::uint64_t> before = s.words();
    CHECK(call(s) == ADJ_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(says("header.tag = "), adj_last_error());
    CHECK(s.words() == before);
    CHECK(untouched());
  }
  {
    Grown s(good);
    s.header()->reserved = 7;
    refused(s, ADJ_ERROR_INVALID_ARGUMENT, "header.reserved = 7");
  }
  {
    const adj_header chained{sizeof(adj_header), 0x1234, 0, nullptr};
    Grown s(good);
    s.header()->next = &chained;
    refused(s, ADJ_ERROR_INVALID_ARGUMENT, "no structure is chained in this version");
  }
}

struct Problem {
  float dout[2] = {1, 2};
  std::int32_t indices[1] = {1};
  float dweight[4] = {9, 9, 9, 9};
  alignas(256) unsigned char scratch[256];
  adj_stream stream = adj_stream_host();
  adj_embedding_backward_descriptor descriptor;
  adj_embedding_backward_args args;
  adj_workspace workspace{scratch, sizeof scratch};
  adj_plan* plan = nullptr;

  Problem() {
    descriptor.num_embeddings = 2;
    descriptor.embedding_dim = 2;
    descriptor.num_indices = 1;
    descriptor.element = ADJ_F32;
    descriptor.index = ADJ_I32;
    args.dout = {dout, sizeof dout, ADJ_F32, 0, {}, {}};
    args.indices = {indices, sizeof indices, ADJ_I32, 0, {}, {}};
    args.dweight = {dweight, sizeof dweight, ADJ_F32, 0, {}, {}};
    REQUIRE_MESSAGE(adj_plan_select(&stream, &descriptor.header, nullptr, &plan, nullptr) == ADJ_OK, adj_last_error());
  }
  ~Problem() { adj_plan_release(plan); }
  bool untouched() const {
    for (float x : dweight)
      if (x != 9) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("descriptors") {
  Problem p;
  adj_plan* plan = nullptr;
  adj_error* error = nullptr;
  bool report = false;
  for (const auto get : {adj_plan_select, adj_plan_acquire})
    every_defect(
        p.descriptor, "embedding_backward descriptor",
        [&](Grown& s) {
          adj_error_release(error);
          plan = reinterpret_cast<adj_plan*>(&p);
          const adj_status status = get(&p.stream, s.header(), nullptr, &plan, &error);
          if (status == ADJ_OK) adj_plan_release(plan);
          report = error && adj_error_code(error) == status && std::string(adj_error_message(error)) == adj_last_error();
          return status;
        },
        [&] { return plan == nullptr && report; }, kFirstDescriptor);
  adj_error_release(error);
  every_defect(p.descriptor, "embedding_backward descriptor", [&](Grown& s) {
    adj_error* out = nullptr;
    const adj_status status = adj_plan_explain(&p.stream, s.header(), nullptr, &out);
    CHECK(out != nullptr);
    adj_error_release(out);
    return status;
  }, [] { return true; }, kFirstDescriptor);
}

TEST_CASE("arguments") {
  Problem p;
  auto untouched = [&] { return p.untouched(); };
  every_defect(p.args, "embedding_backward args", [&](Grown& s) { return adj_plan_can_implement(p.plan, s.header()); }, untouched, kFirstArgs);
  auto restored = [&](adj_status status) {
    if (status == ADJ_OK) {
      CHECK(p.dweight[0] == 0);
      CHECK(p.dweight[3] == 2);
      for (float& x : p.dweight) x = 9;
    }
    return status;
  };
  every_defect(
      p.args, "embedding_backward args",
      [&](Grown& s) { return restored(adj_plan_run(p.plan, &p.stream, &p.workspace, s.header())); }, untouched, kFirstArgs);
  adj_bound* bound = nullptr;
  every_defect(
      p.args, "embedding_backward args",
      [&](Grown& s) {
        bound = reinterpret_cast<adj_bound*>(&p);
        adj_status status = adj_plan_bind(p.plan, &p.stream, &p.workspace, s.header(), &bound);
        if (status != ADJ_OK) return status;
        std::memset(s.bytes(), 0xff, s.size());  // a bound call keeps its own copy
        status = restored(adj_bound_run(bound, &p.stream));
        adj_bound_release(bound);
        return status;
      },
      [&] { return p.untouched() && bound == nullptr; }, kFirstArgs);
}

TEST_CASE("preference") {
  Problem p;
  adj_preference preference;
  for (const auto get : {adj_plan_select, adj_plan_acquire})
    every_defect(preference, "preference", [&](Grown& s) {
      adj_plan* plan = nullptr;
      const adj_status status = get(&p.stream, &p.descriptor.header, s.as<adj_preference>(), &plan, nullptr);
      CHECK((plan != nullptr) == (status == ADJ_OK));
      adj_plan_release(plan);
      return status;
    });
}

TEST_CASE("information") {
  Problem p;
  adj_error* report = nullptr;
  REQUIRE(adj_plan_explain(&p.stream, &p.descriptor.header, nullptr, &report) == ADJ_OK);
  every_defect(adj_sku_info{}, "adj_sku_get", [](Grown& s) { return adj_sku_get(0, s.as<adj_sku_info>()); });
  every_defect(adj_sku_info{}, "adj_sku_find",
               [](Grown& s) { return adj_sku_find("embedding_backward/reference/f32.i32/host", s.as<adj_sku_info>()); });
  every_defect(adj_kernel_info{}, "adj_sku_kernel", [](Grown& s) {
    const adj_status status = adj_sku_kernel("embedding_forward/row_copy/f32.i32/sm80", 0, "sm_80", s.as<adj_kernel_info>(), nullptr);
    return status == ADJ_ERROR_BACKEND_UNAVAILABLE ? ADJ_OK : status;  // no NVRTC here: the structure was accepted before
  });
  every_defect(adj_sku_info{}, "adj_plan_sku", [&](Grown& s) { return adj_plan_sku(p.plan, s.as<adj_sku_info>()); });
  every_defect(adj_plan_info{}, "adj_plan_get_info", [&](Grown& s) { return adj_plan_get_info(p.plan, s.as<adj_plan_info>()); });
  every_defect(adj_rejection{}, "adj_error_rejection", [&](Grown& s) { return adj_error_rejection(report, 0, s.as<adj_rejection>()); });
  every_defect(adj_cache_info{}, "adj_cache_stat", [](Grown& s) { return adj_cache_stat(s.as<adj_cache_info>()); });
  every_defect(adj_cache_info{}, "adj_cache_verify", [](Grown& s) { return adj_cache_verify(s.as<adj_cache_info>()); });
  every_defect(adj_library_info{}, "adj_library_get", [](Grown& s) { return adj_library_get(0, s.as<adj_library_info>()); });
  if (adj_device_count() > 0)
    every_defect(adj_device_info{}, "adj_device_get", [](Grown& s) { return adj_device_get(0, s.as<adj_device_info>()); });
  REQUIRE(adj_registry_count() > 0);
  every_defect(adj_registry_row{}, "adj_registry_get", [](Grown& s) { return adj_registry_get(0, s.as<adj_registry_row>()); });
  adj_error_release(report);
}

// An out structure of an earlier program keeps its size; the library fills what fits and leaves its header alone.
TEST_CASE("information keeps the caller's header") {
  adj_sku_info info;
  REQUIRE(adj_sku_get(0, &info) == ADJ_OK);
  CHECK(info.header.struct_size == sizeof info);
  CHECK(info.header.tag == ADJ_TAG_SKU_INFO);
  CHECK(std::string(info.id).find('/') != std::string::npos);
  Grown grown{adj_sku_info{}};
  grown.header()->struct_size = sizeof(adj_sku_info) + 16;
  REQUIRE(adj_sku_get(0, grown.as<adj_sku_info>()) == ADJ_OK);
  CHECK(grown.header()->struct_size == sizeof(adj_sku_info) + 16);
  CHECK(std::string(grown.as<adj_sku_info>()->id) == info.id);
  for (std::uint64_t i = sizeof(adj_sku_info); i < kLargest; ++i) REQUIRE(grown.bytes()[i] == 0);
}

// No pack is built here: valid options fail later, on an architecture that does not exist.
TEST_CASE("pack options") {
  adj_pack_options options;
  options.archs = "sm_1";
  every_defect(options, "pack options", [](Grown& s) {
    adj_error* error = nullptr;
    const adj_status status = adj_pack_build("/nonexistent/pack", s.as<adj_pack_options>(), &error);
    CHECK(error != nullptr);
    adj_error_release(error);
    return status == ADJ_ERROR_INVALID_ARGUMENT && says("unknown architecture 'sm_1'") ? adj_status{ADJ_OK} : status;
  });
}

// Structures that have grown: the first version had 32 bytes, ours has 48.
TEST_CASE("a shorter structure takes defaults for what it lacks") {
  struct Ours {
    adj_header header{48, 99, 0, nullptr};
    std::int64_t a = 1, b = 2, c = 3;
  };
  static_assert(sizeof(Ours) == 48);
  Ours caller;
  caller.a = 10;
  caller.b = 20;
  caller.c = 30;
  for (const auto& [size, accepted] : {std::pair<std::uint64_t, bool>{24, false}, {31, false}, {32, true}, {40, true}, {48, true}}) {
    caller.header.struct_size = size;
    auto checked = adj::check_header(&caller.header, 99, 32, 48, "thing");
    CHECK(checked.ok() == accepted);
    if (!checked) {
      CHECK(checked.error().code == ADJ_ERROR_STRUCT_SIZE);
      continue;
    }
    Ours ours;
    adj::copy_struct(&ours, &caller.header, sizeof ours);
    CHECK(ours.header.struct_size == sizeof ours);
    CHECK(ours.a == 10);
    CHECK(ours.b == (size >= 40 ? 20 : 2));
    CHECK(ours.c == (size >= 48 ? 30 : 3));
  }
}
