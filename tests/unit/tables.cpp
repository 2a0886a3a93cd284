// The tables: SKUs, fields and arguments of every operator, and ONNX Runtime's registrations.
#include <adjoint.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "driver/device.hpp"
#include "ops/registry.hpp"
#include "plan/plan.hpp"

using namespace adj;

TEST_CASE("SKU ids are unique and findable") {
  std::set<std::string> ids;
  for (const Sku& sku : all_skus()) {
    CHECK(ids.insert(sku.id).second);
    CHECK(find_sku(sku.id) == &sku);
  }
  CHECK_FALSE(ids.empty());
  CHECK(find_sku("no/such/sku") == nullptr);
}

// Codes of eight bits have instructions from sm_89 on. Below it they are refused on a device, and computed by the host.
int least_capability(const Signature& signature) { return std::ranges::any_of(signature.types, is_f8) ? 89 : 80; }

TEST_CASE("every signature has a host SKU and a GPU SKU for sm_80 (codes of eight bits: sm_89) and later, in run-to-run determinism") {
  for (const OpInfo* op : all_ops())
    for (const Signature& signature : op->signatures) {
      bool host = false, gpu = false;
      for (const Sku& sku : skus_of(*op)) {
        if (!(sku.signature == signature) || sku.guarantee.determinism < ADJ_RUN_TO_RUN) continue;
        host |= sku.variant->backend == ADJ_BACKEND_HOST;
        gpu |= sku.variant->backend != ADJ_BACKEND_HOST && sku.variant->min_cc <= least_capability(signature) && !sku.variant->exact_cc;
      }
      CHECK_MESSAGE(host, (std::string(op->name) + " " + signature.name()));
      CHECK_MESSAGE(gpu, (std::string(op->name) + " " + signature.name()));
    }
}

TEST_CASE("programs of a row have different names") {
  for (const Sku& sku : all_skus()) {
    CAPTURE(sku.id);
    const auto& rows = sku.variant->programs;
    if (sku.parts.empty()) CHECK(rows.size() == sku.programs.size());
    else CHECK(rows.size() <= sku.programs.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(sku.program(rows[i].name) == sku.programs[i]);
  }
  enum Other : int { kOther };
  CHECK(ProgramName(kMain) == ProgramName(kMain, 0));
  CHECK_FALSE(ProgramName(kMain) == ProgramName(kMain, 1));
  CHECK_FALSE(ProgramName(kMain) == ProgramName(kOther));
  static_assert(!std::is_convertible_v<int, ProgramName>);
  const auto sku = std::ranges::find_if(all_skus(), [](const Sku& s) { return !s.programs.empty(); });
  CHECK_THROWS_AS(static_cast<void>(sku->program(kOther)), std::out_of_range);
}

TEST_CASE("a row without its own planning function has the operator's") {
  for (const Sku& sku : all_skus()) CHECK_MESSAGE((sku.variant->finish || sku.op->finish), sku.id);
}

TEST_CASE("guarantees are consistent") {
  for (const Sku& sku : all_skus()) {
    CAPTURE(sku.id);
    CHECK(sku.guarantee.determinism >= ADJ_NONDETERMINISTIC);
    CHECK(sku.guarantee.determinism <= ADJ_BATCH_INVARIANT);
    CHECK((sku.guarantee.bit_stable != 0) == (sku.guarantee.determinism >= ADJ_RUN_TO_RUN));
    CHECK_FALSE((sku.guarantee.bit_stable && sku.guarantee.float_atomics));
    CHECK(sku.guarantee.bound_ulp >= 0);
    CHECK(size_of(sku.guarantee.accumulator) > 0);
    // Device SKUs may have no program: some plans are only copies, events and calls.
    if (sku.variant->backend == ADJ_BACKEND_HOST) CHECK(sku.programs.empty());
  }
}

TEST_CASE("fields and arguments lie inside their structures") {
  for (const OpInfo* op : all_ops()) {
    CAPTURE(std::string(op->name));
    CHECK_FALSE(op->fields.empty());
    CHECK(op->arguments.size() <= 32);
    CHECK(op->args_size <= 4096);
    CHECK(std::count_if(op->arguments.begin(), op->arguments.end(), [](const adj::ArgumentInfo& s) { return s.kind == adj::ArgumentKind::list; }) <=
          static_cast<std::ptrdiff_t>(adj::kMostLists));
    for (const Field& field : op->fields) CHECK(field.offset + adj::bytes_of(field) <= op->descriptor_size);
    for (const ArgumentInfo& argument : op->arguments) CHECK(argument.offset < op->args_size);
    const auto* header = static_cast<const adj_header*>(op->default_descriptor);
    CHECK(header->tag == ADJ_DESCRIPTOR_TAG(op->id));
    CHECK(header->struct_size == op->descriptor_size);
    CHECK(op->first_descriptor_size >= sizeof(adj_header));
    CHECK(op->first_descriptor_size <= op->descriptor_size);
    CHECK(op->first_args_size >= sizeof(adj_header));
    CHECK(op->first_args_size <= op->args_size);
  }
}

TEST_CASE("registry: the rows are there, and each is served by SKUs") {
  CHECK(registry().size() == 212);
  int resolved = 0;
  for (const RegistryRow& row : registry()) {
    CAPTURE(row.op);
    CHECK_FALSE(row.combinations.empty());
    CHECK(row.resolved == row.reason.empty());
    CHECK(row.resolved != row.skus.empty());
    resolved += row.resolved;
  }
  CHECK(resolved == 212);
}

TEST_CASE("registry: a row says which settings and mappings make it") {
  const auto row_of = [](const char* op, const char* types) { return **find_registration("ms", op, 1, types); };
  CHECK(row_of("ReluGrad", "float").settings == "function=relu");
  CHECK(row_of("SGDOptimizer", "float").settings == "out_of_place=1 updates=1");
  CHECK(row_of("AdamOptimizer", "float_int64_t_float_float_float_float_MLFloat16").settings == "out_of_place=1 updates=1");
  CHECK(std::ranges::find(registry(), std::string_view("AdamWOptimizer"), &RegistryRow::op)->settings == "weight_decay=0.01");
  CHECK(row_of("BiasGeluGrad_dX", "float").settings.find("function=gelu") != std::string::npos);
  CHECK(row_of("GistPack8Encoder", "float").settings == "format=pack8");
  CHECK(row_of("InPlaceAccumulatorV2", "float_float").settings.find("copies") == std::string::npos);  // its second output is left out by graphs
  CHECK(std::string(row_of("GistPack8Encoder", "float").note).find("format=pack8_reference") != std::string::npos);
  CHECK(std::string(row_of("SoftmaxGrad", "float").note).find("inner = 1") != std::string::npos);
  // Operators of ONNX Runtime whose tensors may differ in type from one another.
  for (const char* op : {"Group", "PassThrough", "YieldOp", "RecordEvent", "WaitEvent", "Send", "Recv", "TritonOp", "PythonOp", "PythonOpGrad"}) {
    CAPTURE(op);
    const auto found = std::ranges::find(registry(), std::string_view(op), &RegistryRow::op);
    REQUIRE(found != registry().end());
    CHECK(std::string(found->note).find("element=u8") != std::string::npos);
  }
  // Settings are words that describe the row's descriptor.
  for (const RegistryRow& row : registry())
    for (std::size_t at = 0; at < row.settings.size();) {
      const std::size_t end = std::min(row.settings.find(' ', at), row.settings.size()), equals = row.settings.find('=', at);
      REQUIRE(equals < end);
      const std::string name = row.settings.substr(at, equals - at);
      CHECK(std::ranges::any_of(row.adjoint_op->fields, [&](const Field& field) { return name == field.name; }));
      at = end + 1;
    }
}

TEST_CASE("registry: a binding takes the types of its rows, each in its place, and no empty list") {
  for (const RegistryRow& row : registry())
    for (const OnnxBinding& binding : row.adjoint_op->onnx) {
      if (row.op != binding.op) continue;
      CAPTURE(row.op);
      std::vector<std::uint64_t> descriptor((row.adjoint_op->descriptor_size + 7) / 8);
      std::memcpy(descriptor.data(), row.adjoint_op->default_descriptor, row.adjoint_op->descriptor_size);
      CHECK(binding.describe(row.combinations.front(), descriptor.data()));
      CHECK_FALSE(binding.describe({}, descriptor.data()));
    }
  // Weights, gradients, moments and copies.
  CHECK((*find_registration("ms", "LambOptimizer", 1, "MLFloat16_float_MLFloat16_MLFloat16_float_MLFloat16"))->signature == "f32.f16.f16.f16");
  CHECK((*find_registration("ms", "LambOptimizer", 1, "float_float_MLFloat16_float_MLFloat16_MLFloat16"))->signature == "f32.f16.f32.f16");
}

TEST_CASE("registry: lookup by domain, operator, opset and types") {
  auto row = find_registration("onnx", "SoftmaxCrossEntropyLoss", 12, "float,int64_t");
  REQUIRE(row);
  CHECK((*row)->until_version == 12);
  row = find_registration("", "SoftmaxCrossEntropyLoss", 17, "BFloat16,int64_t");
  REQUIRE(row);
  CHECK((*row)->since_version == 13);
  CHECK(find_registration("com.microsoft", "LambOptimizer", 1, "float_float_MLFloat16_float_MLFloat16_MLFloat16"));
  CHECK(find_registration("ms", "SoftmaxGrad_13", 1, "BFloat16"));
  auto error = find_registration("ms", "NoSuchOp", 1, "float");
  REQUIRE_FALSE(error);
  CHECK(error.error().message.find("NoSuchOp") != std::string::npos);
  error = find_registration("onnx", "SoftmaxCrossEntropyLoss", 11, "float,int64_t");
  REQUIRE_FALSE(error);
  CHECK(error.error().message.find("opset 12 to 12") != std::string::npos);
  error = find_registration("onnx", "SoftmaxCrossEntropyLoss", 13, "double,int64_t");
  REQUIRE_FALSE(error);
  CHECK(error.error().message.find("double,int64_t") != std::string::npos);
}

TEST_CASE("architectures that are not known are put together, and those before sm_80 are refused with the reason") {
  constexpr std::uint32_t kSmall = 99 << 10, kLarge = 227 << 10;
  struct Facts {
    const char* arch;
    int cc, multiprocessors;
    std::uint32_t shared;
  };
  for (const auto& [arch, cc, multiprocessors, shared] : std::initializer_list<Facts>{
           {"sm_88", 88, 16, kSmall}, {"sm_101", 101, 148, kLarge}, {"sm_110", 110, 20, kLarge}, {"sm_122", 122, 48, kSmall}, {"sm_131", 131, 48, kSmall}}) {
    CAPTURE(std::string(arch));
    REQUIRE(parse_arch(arch));
    CHECK(*parse_arch(arch) == cc);
    const Device& device = **offline_device(cc);
    CHECK(device.arch == arch);
    CHECK(device.multiprocessors == multiprocessors);
    CHECK(device.shared_optin == shared);
    CHECK_FALSE(programs_for("softmax_backward/*", cc).empty());
    adj_softmax_backward_descriptor d;
    d.outer = 4, d.extent = 5, d.element = ADJ_F32;
    const adj_stream stream = *offline_stream(arch);
    auto plan = select_plan(stream, &d.header, nullptr);
    CHECK(plan);
    if (plan) release(*plan);
  }
  for (const char* old : {"sm_75", "sm_61", "sm_70a"}) {
    auto cc = parse_arch(old);
    REQUIRE_FALSE(cc);
    CHECK(cc.error().code == ADJ_ERROR_UNSUPPORTED);
    CHECK(cc.error().message.find("is older than sm_80") != std::string::npos);
    CHECK(cc.error().message.find("bfloat16") != std::string::npos);
  }
}

TEST_CASE("codes of eight bits are refused before sm_89 with the reason") {
  adj_quantize_descriptor d;
  d.rows = 4, d.columns = 5, d.element = ADJ_F32;
  const adj_stream ampere = *offline_stream("sm_86"), ada = *offline_stream("sm_89");
  const auto refused = select_plan(ampere, &d.header, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ADJ_ERROR_UNSUPPORTED);
  CHECK_MESSAGE(refused.error().message.find("needs sm_89 or later, the device is sm_86") != std::string::npos, refused.error().message);
  auto plan = select_plan(ada, &d.header, nullptr);
  REQUIRE(plan);
  release(*plan);
}

TEST_CASE("architectures") {
  CHECK(*parse_arch("sm_80") == 80);
  CHECK(*parse_arch("sm_90a") == 90);
  CHECK(*parse_arch("sm_90") == 90);
  for (const char* bad : {"", "sm_", "sm_a", "sm_9", "sm_200", "sm_900", "sm_-80", "90", "sm_90b", "sm_90aa", "compute_90", "sm_99999999999999999999"}) {
    auto cc = parse_arch(bad);
    CAPTURE(std::string(bad));
    REQUIRE_FALSE(cc);
    CHECK(cc.error().message.find("sm_90a") != std::string::npos);
  }
}

TEST_CASE("the role of an argument follows the descriptor") {
  adj_embedding_backward_descriptor gradient;
  gradient.num_embeddings = 3, gradient.embedding_dim = 4, gradient.num_indices = 5, gradient.element = ADJ_F32, gradient.index = ADJ_I64;
  const auto role = [](const adj_header& descriptor, std::int64_t i) {
    adj_requirement need;
    CHECK_MESSAGE(adj_op_infer(&descriptor, i, &need) == ADJ_OK, adj_last_error());
    return need.role;
  };
  CHECK(role(gradient.header, 0) == ADJ_ROLE_IN);
  CHECK(role(gradient.header, 2) == ADJ_ROLE_OUT);
  CHECK(role(gradient.header, 3) == ADJ_ROLE_INOUT);  // error_flag
  CHECK(role(gradient.header, 4) == 0);               // absent without an index plan
  gradient.write_mode = ADJ_WRITE_ACCUMULATE;
  CHECK(role(gradient.header, 2) == ADJ_ROLE_INOUT);

  const std::int64_t numel[] = {3};
  adj_clip_grad_norm_descriptor clip;
  clip.count = 1, clip.numel = numel, clip.grad = ADJ_F32, clip.max_norm = 1;
  CHECK(role(clip.header, 0) == ADJ_ROLE_INOUT);
  clip.norm_only = 1;
  CHECK(role(clip.header, 0) == ADJ_ROLE_IN);
  for (const OpInfo* op : all_ops()) {  // only what the header calls in/out depends on a descriptor
    if (!op->role) continue;
    for (std::size_t i = 0; i < op->arguments.size(); ++i)
      if (op->arguments[i].role != Role::inout) CHECK(op->role(op->default_descriptor, i) == op->arguments[i].role);
  }
}
