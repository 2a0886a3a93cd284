// Growing structures: structures that are shorter or longer than the library's own, or garbage. Every entry that takes one is called with
// every defect, for every structure of the interface. It must return the right code and a sentence that names structure, member and value, and
// write nothing. The program abi_grown is the same with earlier_sizes.cpp: there every structure has grown from its header to what it is, so that
// every shorter size must be taken as well.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <adjoint.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/arguments.hpp"
#include "harness/harness.hpp"
#include "plan/first_sizes.gen.hpp"
#include "plan/plan.hpp"
#include "plan/structs.hpp"

namespace {

constexpr std::uint64_t kLargest = 1 << 16;  // largest size that is taken for a future version

bool says(const std::string& what) { return std::string(adj_last_error()).find(what) != std::string::npos; }

std::set<adj_tag> tried;  // structures that every_defect has seen

// Structure at the start of a large area of zeros, as a newer program would have it.
class Grown {
 public:
  Grown(const void* value, std::uint64_t size) : size_(size), words_(kLargest / 8 + 2) {
    std::memcpy(words_.data(), value, size);
    header()->struct_size = size_;
  }
  adj_header* header() { return reinterpret_cast<adj_header*>(words_.data()); }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(words_.data());
  }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(words_.data()); }
  std::uint64_t size() const { return size_; }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::uint64_t size_;
  std::vector<std::uint64_t> words_;
};

using Call = std::function<adj_status(Grown&)>;

// Calls with every defect. `name`: name of the structure in the sentence. `defaults`: what a member stands at that an earlier program lacks.
// `untouched` says, after each refusal, that nothing was written. A structure without defect need not be a problem that the library serves: it
// must then be refused for what it is, as the complete structure with the same members is.
void every_defect(
    const void* good, const void* defaults, std::uint64_t size, const std::string& name, const Call& call,
    const std::function<bool()>& untouched = [] { return true; }) {
  CAPTURE(name);
  const adj_tag tag = static_cast<const adj_header*>(good)->tag;
  const std::uint64_t first = adj::first_size(tag);
  tried.insert(tag);
  REQUIRE(first >= sizeof(adj_header));
  REQUIRE(first <= size);
  using Answer = std::pair<adj_status, std::string>;  // with the sentence of a refusal
  auto ask = [&](Grown& s) {
    const adj_status status = call(s);
    return Answer{status, status == ADJ_OK ? "" : adj_last_error()};
  };
  auto refused = [&](Grown& s, adj_status code, const std::string& sentence) {
    const std::vector<std::uint64_t> before = s.words();
    CAPTURE(sentence);
    CHECK(call(s) == code);
    CHECK_MESSAGE(says(sentence), adj_last_error());
    CHECK_MESSAGE(says(name), adj_last_error());
    CHECK(s.words() == before);
    CHECK(untouched());
  };
  const Answer accepted = [&] {
    Grown s(good, size);
    return ask(s);
  }();
  CHECK_MESSAGE(accepted.first != ADJ_ERROR_STRUCT_SIZE, accepted.second);
  for (std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{sizeof(adj_header)}, first - 8, first - 1, kLargest + 1, std::uint64_t{1} << 40, UINT64_MAX}) {
    if (wrong >= first && wrong <= kLargest) continue;
    Grown s(good, size);
    s.header()->struct_size = wrong;
    refused(s, ADJ_ERROR_STRUCT_SIZE, "struct_size = " + std::to_string(wrong));
  }
  for (std::uint64_t shorter = first; shorter < size; shorter += 8) {  // an earlier program's: bytes beyond are not part of it
    CAPTURE(shorter);
    Grown s(good, size), complete(good, size);
    s.header()->struct_size = shorter;
    std::memset(s.bytes() + shorter, 0xff, size - shorter + 64);
    std::memcpy(complete.bytes() + shorter, static_cast<const char*>(defaults) + shorter, size - shorter);
    const Answer got = ask(s), want = ask(complete);
    CHECK_MESSAGE(got == want, got.second << " / " << want.second);
  }
  for (std::uint64_t longer : {size + 1, size + 8, size + 64, kLargest}) {
    CAPTURE(longer);
    Grown zeros(good, size);
    zeros.header()->struct_size = longer;
    CHECK_MESSAGE(ask(zeros) == accepted, adj_last_error());
    Grown set(good, size);
    set.header()->struct_size = longer;
    set.bytes()[longer - 1] = 1;
    refused(set, ADJ_ERROR_STRUCT_SIZE, "byte " + std::to_string(longer - 1) + " is not zero");
    Grown beyond(good, size);  // bytes beyond struct_size are not part of the structure
    beyond.header()->struct_size = longer;
    beyond.bytes()[longer] = 1;
    CHECK_MESSAGE(ask(beyond) == accepted, adj_last_error());
  }
  for (std::int32_t wrong : {0, -1, 0x7777, 0x30001}) {
    Grown s(good, size);
    s.header()->tag = wrong;
    const std::vector<std::uint64_t> before = s.words();
    CHECK(call(s) == ADJ_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(says("header.tag = "), adj_last_error());
    CHECK(s.words() == before);
    CHECK(untouched());
  }
  {
    Grown s(good, size);
    s.header()->reserved = 7;
    refused(s, ADJ_ERROR_INVALID_ARGUMENT, "header.reserved = 7");
  }
  {
    const adj_header chained{sizeof(adj_header), 0x1234, 0, nullptr};
    Grown s(good, size);
    s.header()->next = &chained;
    refused(s, ADJ_ERROR_INVALID_ARGUMENT, "no structure is chained in this version");
  }
}
template <class T>
void every_defect(const T& good, const std::string& name, const Call& call, const std::function<bool()>& untouched = [] { return true; }) {
  const T defaults;
  every_defect(&good, &defaults, sizeof good, name, call, untouched);
  // What was tried before must have been served, not only refused for a good reason.
  Grown s(&good, sizeof good);
  CHECK_MESSAGE(call(s) == ADJ_OK, adj_last_error());
}

// A problem for an operator: the harness's first case. A collective has none there; its descriptor is made from the names of its fields.
harness::Problem problem_of(const adj::OpInfo& op) {
  for (const adj::Signature& signature : op.signatures)
    if (const auto cases = harness::cases_of(op.id)(signature, harness::Level::quick, 1); !cases.empty()) return *cases[0].problem;
  std::vector<std::uint64_t> bytes((op.descriptor_size + 7) / 8);
  std::memcpy(bytes.data(), op.default_descriptor, op.descriptor_size);
  const std::int64_t numel[] = {4};
  auto write = [&](std::uint32_t offset, auto value) { std::memcpy(reinterpret_cast<char*>(bytes.data()) + offset, &value, sizeof value); };
  for (const adj::Field& field : op.fields) {
    const std::string name = field.name;
    if (field.kind == adj::kFieldI64List) write(field.offset, &numel[0]), write(field.offset - 8, std::int64_t{1});
    else if (name == "ranks") write(field.offset, std::int64_t{2});
    else if (name == "peer") write(field.offset, std::int64_t{1});
    else if (name == "numel") write(field.offset, std::int64_t{4});
    else if (field.kind == adj::kFieldDtype) write(field.offset, op.signatures[0][0]);
  }
  return harness::Problem(*reinterpret_cast<const adj_header*>(bytes.data()));
}

// A problem with all its buffers.
struct Example {
  explicit Example(const adj::OpInfo& op) : problem(problem_of(op)) {
    for (auto& argument : problem.contents()) {
      addresses.emplace_back();
      for (harness::Data& data : argument.data) addresses.back().push_back(data.bytes.empty() ? nullptr : data.bytes.data());
    }
    for (std::size_t i = 0; i < addresses.size(); ++i)
      if (const int other = problem.contents()[i].shares; other >= 0) addresses[i] = addresses[static_cast<std::size_t>(other)];
    args = std::make_unique<harness::Arguments>(problem, addresses);
  }
  harness::Problem problem;
  std::vector<std::vector<void*>> addresses;
  std::unique_ptr<harness::Arguments> args;
};

const adj_stream kHost = adj_stream_host();

// An embedding gradient that can be run, and says whether it was.
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

TEST_CASE("descriptors of every operator") {
  for (const adj::OpInfo* op : adj::all_ops()) {
    const Example example(*op);
    const std::string name = std::string(op->name) + " descriptor";
    const auto check = [&](const Call& call, const std::function<bool()>& untouched) {
      every_defect(example.problem.descriptor(), op->default_descriptor, op->descriptor_size, name, call, untouched);
    };
    adj_plan* plan = nullptr;
    adj_error* error = nullptr;
    bool report = false;
    for (const auto get : {adj_plan_select, adj_plan_acquire})
      check(
          [&](Grown& s) {
            adj_error_release(error);
            plan = reinterpret_cast<adj_plan*>(&report);
            const adj_status status = get(&kHost, s.header(), nullptr, &plan, &error);
            if (status == ADJ_OK) adj_plan_release(plan);
            report = error && adj_error_code(error) == status && std::string(adj_error_message(error)) == adj_last_error();
            return status;
          },
          [&] { return plan == nullptr && report; });
    adj_error_release(error);
    check(
        [&](Grown& s) {
          adj_error* out = nullptr;
          const adj_status status = adj_plan_explain(&kHost, s.header(), nullptr, &out);
          CHECK(out != nullptr);
          adj_error_release(out);
          return status;
        },
        [] { return true; });
  }
}

// A program of any version gets the descriptor that it knows: what lies behind its structure is not written.
TEST_CASE("defaults of a descriptor of every size") {
  for (const adj::OpInfo* op : adj::all_ops()) {
    CAPTURE(op->name);
    const std::uint64_t first = adj::first_size(ADJ_DESCRIPTOR_TAG(op->id)), size = op->descriptor_size;
    for (std::uint64_t capacity = first - 8; capacity <= size + 64; capacity += 8) {
      CAPTURE(capacity);
      std::vector<unsigned char> memory(size + 128, 0x5a);
      const adj_status status = adj_op_descriptor_init(op->id, memory.data(), capacity);
      const std::uint64_t written = capacity < first ? 0 : std::min(capacity, size);
      CHECK(status == (written ? ADJ_OK : ADJ_ERROR_BUFFER_TOO_SMALL));
      if (!written) CHECK_MESSAGE(says("needs " + std::to_string(first) + " bytes, got " + std::to_string(capacity)), adj_last_error());
      for (std::uint64_t i = written; i < memory.size(); ++i) REQUIRE(memory[i] == 0x5a);
      if (!written) continue;
      adj_header header;
      std::memcpy(&header, memory.data(), sizeof header);
      CHECK(header.struct_size == written);
      CHECK(std::memcmp(memory.data() + 8, static_cast<const unsigned char*>(op->default_descriptor) + 8, written - 8) == 0);
      adj_error* out = nullptr;  // whatever the problem, the structure itself is right
      CHECK(adj_plan_explain(&kHost, reinterpret_cast<const adj_header*>(memory.data()), nullptr, &out) != ADJ_ERROR_STRUCT_SIZE);
      adj_error_release(out);
    }
  }
}

TEST_CASE("arguments of every operator") {
  for (const adj::OpInfo* op : adj::all_ops()) {
    const Example example(*op);
    adj_plan* plan = nullptr;
    REQUIRE_MESSAGE(adj_plan_select(&kHost, example.problem.descriptor(), nullptr, &plan, nullptr) == ADJ_OK, adj_last_error());
    adj_plan_info info;
    REQUIRE(adj_plan_get_info(plan, &info) == ADJ_OK);
    std::vector<std::uint64_t> memory(info.bind_workspace_size / 8 + 64);
    void* aligned = memory.data();
    std::size_t space = memory.size() * 8;
    REQUIRE(std::align(256, info.bind_workspace_size, aligned, space));
    const adj_workspace workspace{aligned, info.bind_workspace_size};
    const auto check = [&](const Call& call, const std::function<bool()>& untouched) {
      every_defect(example.args->get(), op->default_args, op->args_size, std::string(op->name) + " args", call, untouched);
    };
    check([&](Grown& s) { return adj_plan_can_implement(plan, s.header()); }, [] { return true; });
    adj_bound* bound = nullptr;
    check(
        [&](Grown& s) {
          bound = reinterpret_cast<adj_bound*>(&space);
          const adj_status status = adj_plan_bind(plan, &kHost, &workspace, s.header(), &bound);
          if (status == ADJ_OK) adj_bound_release(bound);
          return status;
        },
        [&] { return bound == nullptr; });
    // A collective waits for other ranks, an event for another stream.
    if (std::string(op->family) != "collective" && std::string(op->family) != "control")
      check([&](Grown& s) { return adj_plan_run(plan, &kHost, &workspace, s.header()); }, [] { return true; });
    adj_plan_release(plan);
  }
}

TEST_CASE("arguments that are refused write nothing, and those that are taken are run") {
  Problem p;
  auto untouched = [&] { return p.untouched(); };
  every_defect(p.args, "embedding_backward args", [&](Grown& s) { return adj_plan_can_implement(p.plan, s.header()); }, untouched);
  auto restored = [&](adj_status status) {
    if (status == ADJ_OK) {
      CHECK(p.dweight[0] == 0);
      CHECK(p.dweight[3] == 2);
      for (float& x : p.dweight) x = 9;
    }
    return status;
  };
  every_defect(p.args, "embedding_backward args", [&](Grown& s) { return restored(adj_plan_run(p.plan, &p.stream, &p.workspace, s.header())); }, untouched);
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
      [&] { return p.untouched() && bound == nullptr; });
}

TEST_CASE("preference") {
  Problem p;
  adj_preference preference;
  preference.workspace_limit = 1 << 20;
  preference.fallback = 1;
  for (const auto get : {adj_plan_select, adj_plan_acquire})
    every_defect(preference, "preference", [&](Grown& s) {
      adj_plan* plan = nullptr;
      const adj_status status = get(&p.stream, &p.descriptor.header, s.as<adj_preference>(), &plan, nullptr);
      CHECK((plan != nullptr) == (status == ADJ_OK));
      adj_plan_release(plan);
      return status;
    });
  every_defect(preference, "preference", [&](Grown& s) {
    adj_error* out = nullptr;
    const adj_status status = adj_plan_explain(&p.stream, &p.descriptor.header, s.as<adj_preference>(), &out);
    adj_error_release(out);
    return status;
  });
}

TEST_CASE("information") {
  Problem p;
  adj_error* report = nullptr;
  REQUIRE(adj_plan_explain(&p.stream, &p.descriptor.header, nullptr, &report) == ADJ_OK);
  every_defect(adj_sku_info{}, "adj_sku_get", [](Grown& s) { return adj_sku_get(0, s.as<adj_sku_info>()); });
  every_defect(adj_sku_info{}, "adj_sku_find", [](Grown& s) { return adj_sku_find("embedding_backward/reference/f32.i32/host", s.as<adj_sku_info>()); });
  every_defect(adj_kernel_info{}, "adj_sku_kernel", [](Grown& s) {
    const adj_status status = adj_sku_kernel("embedding_forward/row_copy/f32.i32/sm80", 0, "sm_80", s.as<adj_kernel_info>(), nullptr);
    return status == ADJ_ERROR_BACKEND_UNAVAILABLE ? ADJ_OK : status;  // no NVRTC here: the structure was accepted before
  });
  every_defect(adj_sku_info{}, "adj_plan_sku", [&](Grown& s) { return adj_plan_sku(p.plan, s.as<adj_sku_info>()); });
  every_defect(adj_field_limits{}, "adj_op_field_limits", [](Grown& s) { return adj_op_field_limits(ADJ_OP_ADAM, 0, s.as<adj_field_limits>()); });
  every_defect(adj_requirement{}, "adj_op_infer", [&](Grown& s) { return adj_op_infer(&p.descriptor.header, 0, s.as<adj_requirement>()); });
  every_defect(adj_requirement{}, "adj_plan_argument", [&](Grown& s) { return adj_plan_argument(p.plan, 0, s.as<adj_requirement>()); });
  every_defect(adj_plan_info{}, "adj_plan_get_info", [&](Grown& s) { return adj_plan_get_info(p.plan, s.as<adj_plan_info>()); });
  every_defect(adj_rejection{}, "adj_plan_candidate", [&](Grown& s) { return adj_plan_candidate(p.plan, 0, s.as<adj_rejection>()); });
  every_defect(adj_rejection{}, "adj_error_rejection", [&](Grown& s) { return adj_error_rejection(report, 0, s.as<adj_rejection>()); });
  every_defect(adj_cache_info{}, "adj_cache_stat", [](Grown& s) { return adj_cache_stat(s.as<adj_cache_info>()); });
  every_defect(adj_cache_info{}, "adj_cache_verify", [](Grown& s) { return adj_cache_verify(s.as<adj_cache_info>()); });
  every_defect(adj_library_info{}, "adj_library_get", [](Grown& s) { return adj_library_get(0, s.as<adj_library_info>()); });
  if (adj_device_count() == 0) tried.insert(ADJ_TAG_DEVICE_INFO);  // written as the others are, by write_info
  else every_defect(adj_device_info{}, "adj_device_get", [](Grown& s) { return adj_device_get(0, s.as<adj_device_info>()); });
  REQUIRE(adj_registry_count() > 0);
  every_defect(adj_registry_row{}, "adj_registry_get", [](Grown& s) { return adj_registry_get(0, s.as<adj_registry_row>()); });
  every_defect(adj_registry_row{}, "adj_registry_lookup",
               [](Grown& s) { return adj_registry_lookup("ms", "SoftmaxGrad_13", 1, "float", s.as<adj_registry_row>()); });
  adj_error_release(report);
}

// An out structure of an earlier program keeps its size; the library fills what fits and leaves its header alone.
TEST_CASE("information keeps the caller's header") {
  adj_sku_info info;
  REQUIRE(adj_sku_get(0, &info) == ADJ_OK);
  CHECK(info.header.struct_size == sizeof info);
  CHECK(info.header.tag == ADJ_TAG_SKU_INFO);
  CHECK(std::string(info.id).find('/') != std::string::npos);
  const adj_sku_info none;
  Grown grown(&none, sizeof none);
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
    return status == ADJ_ERROR_INVALID_ARGUMENT && says("unknown architecture 'sm_1'") ? ADJ_OK : status;
  });
}

// Info of an earlier program: what it knows is written, and nothing behind it.
TEST_CASE("a shorter information structure gets what it has room for") {
  adj_sku_info whole;
  REQUIRE(adj_sku_get(0, &whole) == ADJ_OK);
  for (std::uint64_t size = adj::first_size(ADJ_TAG_SKU_INFO); size <= sizeof whole; size += 8) {
    const adj_sku_info none;
    Grown s(&none, sizeof none);
    s.header()->struct_size = size;
    std::memset(s.bytes() + size, 0x5a, 256);
    REQUIRE(adj_sku_get(0, s.as<adj_sku_info>()) == ADJ_OK);
    CHECK(s.header()->struct_size == size);
    CHECK(std::memcmp(s.bytes() + sizeof(adj_header), reinterpret_cast<const char*>(&whole) + sizeof(adj_header), size - sizeof(adj_header)) == 0);
    for (std::uint64_t i = size; i < size + 256; ++i) REQUIRE(s.bytes()[i] == 0x5a);
  }
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

TEST_CASE("every structure with a header was tried") {
  const std::set<adj_tag> given{ADJ_TAG_CALLBACK_CALL};  // the library makes it, and no entry takes it
#define ADJ_TRIED(tag, bytes) CHECK_MESSAGE((tried.count(tag) || given.count(tag)), #tag);
  ADJ_FIRST_SIZES(ADJ_TRIED)
#undef ADJ_TRIED
}
