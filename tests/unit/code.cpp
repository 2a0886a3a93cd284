// The readers of machine code and PTX, on whole and damaged files.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "jit/code.hpp"
#include "jit/program.hpp"
#include "jit/sources.hpp"
#include "tests/cubin.hpp"

namespace {

std::vector<std::uint32_t> bytes_of(const adj::KernelEntry& kernel) {
  std::vector<std::uint32_t> bytes;
  for (const adj::KernelParameter& p : kernel.parameters) bytes.push_back(p.bytes);
  return bytes;
}
std::vector<std::uint32_t> offsets_of(const adj::KernelEntry& kernel) {
  std::vector<std::uint32_t> offsets;
  for (const adj::KernelParameter& p : kernel.parameters) offsets.push_back(p.offset);
  return offsets;
}
using List = std::vector<std::uint32_t>;

constexpr const char* kPtx =
    "// .entry commented(.param .u64 x)\n"
    "/* .version 1.0\n */ .version 8.4\n.target\tsm_90a, debug\n.address_size 64\n\n"
    ".extern .func (.param .b32 r) helper(.param .b64 h);\n"
    ".visible .entry scale(\n"
    "\t.param .u64 .ptr .global .align 16 scale_param_0, // , )\n"
    "\t.param .u64 scale_param_1,\n"
    "\t.param .u32 scale_param_2,\n"
    "\t.param .f64 scale_param_3,\n"
    "\t.param .u8 scale_param_4,\n"
    "\t.param .align 8 .b8 scale_param_5[5600],\n"
    "\t.param .f16x2 scale_param_6\n"
    ")\n.maxntid 32, 1, 1\n{\n\tld.param.u64 %rd1, [scale_param_0];\n\t.reg .pred %p<2>;\n\tret;\n}\n"
    ".entry none()\n{ ret; }\n.weak .entry bare { ret; }\n";

}  // namespace

TEST_CASE("PTX: target, kernels, sizes and offsets of parameters") {
  const auto code = adj::read_ptx(kPtx);
  REQUIRE_MESSAGE(code.ok(), (code ? "" : code.error().message));
  CHECK(code->cc == 90);
  CHECK(code->exact);
  REQUIRE(code->kernels.size() == 3);
  CHECK(code->kernels[0].name == "scale");
  CHECK(bytes_of(code->kernels[0]) == List{8, 8, 4, 8, 1, 5600, 4});
  CHECK(offsets_of(code->kernels[0]) == List{0, 8, 16, 24, 32, 40, 5640});
  CHECK(code->kernels[1].name == "none");
  CHECK(code->kernels[2].name == "bare");
  CHECK(code->kernels[2].parameters.empty());
  const auto family = adj::read_ptx(".version 8.8\n.target sm_100f\n");
  REQUIRE(family.ok());
  CHECK(family->cc == 100);
  CHECK_FALSE(family->exact);
}

TEST_CASE("PTX that is none, or damaged") {
  auto refused = [](const char* text, const char* why) {
    const auto code = adj::read_ptx(text);
    REQUIRE_FALSE(code.ok());
    CHECK(code.error().code == ADJ_ERROR_CORRUPT);
    CHECK_MESSAGE(code.error().message.find(why) != std::string::npos, code.error().message);
  };
  refused("", "does not begin with .version");
  refused(
      "\x7f"
      "ELF",
      "does not begin with .version");
  refused(".version 8.0", "no .target");
  refused(".version 8.0 .target sm_", "no architecture");
  refused(".version 8.0 .target texmode_independent", "no architecture");
  refused(".version 8.0 .target sm_80 .entry", "has no name");
  refused(".version 8.0 .target sm_80 .entry k(.param .u64 a", "does not end");
  refused(".version 8.0 .target sm_80 .entry k(.param .u64 a,", "do not end");
  refused(".version 8.0 .target sm_80 .entry k(.param a)", "type of parameter 0");
  refused(".version 8.0 .target sm_80 .entry k(.param .u64 a, .param .b8 b[99999999])", "type of parameter 1");
  refused(".version 8.0 .target sm_80 .entry k(.param .b8 b[1048577])", "type of parameter 0");
  const auto most = adj::read_ptx(".version 8.0 .target sm_80 .entry k(.param .b8 b[1048576])");
  REQUIRE(most.ok());
  CHECK(bytes_of(most->kernels.at(0)) == List{1048576});
  // Cut off anywhere: it must be read or refused, never beyond its end.
  const std::string whole = kPtx;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::unique_ptr<char[]> exact(new char[length]);
    std::memcpy(exact.get(), whole.data(), length);
    (void)adj::read_ptx({exact.get(), length});
  }
}

TEST_CASE("machine code: both versions of the format, both forms of parameters") {
  for (int version : {7, 8})
    for (bool large : {false, true}) {
      const auto code = adj::read_cubin(make_cubin(90, {{"scale", {8, 8, 4, 8}}, {"none", {}}}, version, large));
      REQUIRE_MESSAGE(code.ok(), (code ? "" : code.error().message));
      CHECK(code->cc == 90);
      REQUIRE(code->kernels.size() == 2);
      CHECK(code->kernels[0].name == "scale");
      CHECK(bytes_of(code->kernels[0]) == List{8, 8, 4, 8});
      CHECK(offsets_of(code->kernels[0]) == List{0, 8, 16, 24});
      CHECK(code->kernels[1].parameters.empty());
    }
}

TEST_CASE("machine code that is none, or damaged") {
  const std::string whole = make_cubin(80, {{"k", {8, 4}}});
  CHECK(adj::read_cubin("").error().code == ADJ_ERROR_CORRUPT);
  CHECK(adj::read_cubin(".version 8.0").error().message.find("not a whole 64-bit ELF file for CUDA") != std::string::npos);
  std::string other = whole;
  other[18] = 62;  // a program for x86-64
  CHECK_FALSE(adj::read_cubin(other).ok());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::unique_ptr<char[]> exact(new char[length]);
    std::memcpy(exact.get(), whole.data(), length);
    CHECK_FALSE(adj::read_cubin({exact.get(), length}).ok());
  }
  // One parameter is stated twice, and another not at all.
  std::string twice = whole;
  const std::size_t ordinal = twice.find(std::string("\x04\x17\x0c\x00", 4)) + 8;
  twice[ordinal] = 0;
  const auto code = adj::read_cubin(twice);
  REQUIRE_FALSE(code.ok());
  CHECK(code.error().message.find("does not state parameter 1 of k") != std::string::npos);
}

TEST_CASE("machine code: registers, stack and shared memory of each kernel") {
  const std::string whole = make_cubin(90, {{"plain", {8}, MadeResources{32, 0, 0, 0}}, {"large", {8}, MadeResources{255, 16, 48, 4096}}, {"silent", {8}}});
  const auto plain = adj::read_resources(whole, "plain"), large = adj::read_resources(whole, "large");
  REQUIRE_MESSAGE(plain.ok(), (plain ? "" : plain.error().message));
  REQUIRE_MESSAGE(large.ok(), (large ? "" : large.error().message));
  CHECK(plain->registers == 32);
  CHECK(plain->local_bytes == 0);
  CHECK(plain->static_shared_bytes == 0);
  CHECK(plain->code_bytes == 16);
  CHECK(large->registers == 255);
  CHECK(large->local_bytes == 48);
  CHECK(large->static_shared_bytes == 4096);
  // A kernel that needs none states 0, which is a number like others.
  const auto bare = adj::read_resources(make_cubin(90, {{"bare", {}, MadeResources{0, 0, 0, 0}}}), "bare");
  REQUIRE_MESSAGE(bare.ok(), (bare ? "" : bare.error().message));
  CHECK(bare->registers == 0);
  for (const char* none : {"silent", "absent", "other"}) {
    const auto resources = adj::read_resources(whole, none);
    REQUIRE_FALSE(resources.ok());
    CHECK(resources.error().code == ADJ_ERROR_CORRUPT);
    CHECK(resources.error().message.find(none) != std::string::npos);
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::unique_ptr<char[]> exact(new char[length]);
    std::memcpy(exact.get(), whole.data(), length);
    CHECK_FALSE(adj::read_resources({exact.get(), length}, "large").ok());
  }
}

namespace {

// Names in the text's own lines `#include "..."`.
std::set<std::string> named_by(const adj::EmbeddedFile& file) {
  std::set<std::string> names;
  std::istringstream text(file.text);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("#include \"")) names.insert(line.substr(10, line.find('"', 10) - 10));
  return names;
}

}  // namespace

// Keys of compiled kernels, and what NVRTC is given, follow from these lists: a missing file would leave a stale kernel in a cache, and one too
// many would throw away kernels that have not changed.
TEST_CASE("the key of a program follows every file that it includes, and no other") {
  const auto files = adj::embedded_files();
  for (const adj::EmbeddedFile& file : files) CHECK(adj::sha256_hex(file.text) == file.sha256);
  const adj::Program program("segment_sum/lookup.cu", "embedding_forward", std::vector<std::string>{"ADJ_T=f32", "ADJ_I=i64"});
  const adj::EmbeddedFile* source = adj::find_embedded(program.source());
  REQUIRE(source);
  REQUIRE(source->includes.size() > 1);
  const std::string key = program.key(90);
  CHECK(program.key(90, files) == key);
  CHECK(program.key(80) != key);
  CHECK(adj::Program::entry_key(key, 13) != adj::Program::entry_key(key, 12));
  CHECK(adj::Program(program.source(), program.entry(), std::vector<std::string>{"ADJ_T=f32 ADJ_I=i64"}).key(90) != key);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::vector<adj::EmbeddedFile> changed(files.begin(), files.end());
    const std::string text = std::string(files[i].text) + " ", digest = adj::sha256_hex(text);
    changed[i].text = text.c_str();
    changed[i].sha256 = digest.c_str();
    const bool part = &files[i] == source || std::count(source->includes.begin(), source->includes.end(), i);
    CHECK_MESSAGE((program.key(90, changed) != key) == part, files[i].name);
  }
}

TEST_CASE("a kernel source brings the files that it includes, directly or not, and no other") {
  int kernels = 0, largest = 0;
  for (int i = 0; i < adj::kEmbeddedFileCount; ++i) {
    const adj::EmbeddedFile& file = adj::kEmbeddedFiles[i];
    if (!std::string_view(file.name).ends_with(".cu")) continue;
    ++kernels;
    std::set<std::string> reached, open = named_by(file);
    while (!open.empty()) {
      const std::string name = *open.begin();
      open.erase(open.begin());
      const adj::EmbeddedFile* next = adj::find_embedded(name);
      if (!next || !reached.insert(name).second) continue;  // device.hpp is the CPU execution's
      open.merge(named_by(*next));
    }
    std::set<std::string> stated;
    for (std::uint16_t row : file.includes) stated.insert(adj::kEmbeddedFiles[row].name);
    CHECK_MESSAGE(stated == reached, std::string(file.name));
    largest = std::max(largest, static_cast<int>(stated.size()));
  }
  CHECK(kernels > 70);
  CHECK(largest > 5);
  CHECK(largest < adj::kEmbeddedFileCount / 4);
}
