#include "plan/structs.hpp"

#include <cctype>

#include "plan/op.hpp"

namespace adj {

namespace {

struct Tagged {
  adj_tag tag;
  const char *name, *initialiser;
};
constexpr Tagged kTagged[] = {{ADJ_TAG_PREFERENCE, "a preference", "ADJ_PREFERENCE_INIT"},
                              {ADJ_TAG_SKU_INFO, "an adj_sku_info", "ADJ_SKU_INFO_INIT"},
                              {ADJ_TAG_PLAN_INFO, "an adj_plan_info", "ADJ_PLAN_INFO_INIT"},
                              {ADJ_TAG_PACK_OPTIONS, "pack options", "ADJ_PACK_OPTIONS_INIT"},
                              {ADJ_TAG_REGISTRY_ROW, "an adj_registry_row", "ADJ_REGISTRY_ROW_INIT"},
                              {ADJ_TAG_CACHE_INFO, "an adj_cache_info", "ADJ_CACHE_INFO_INIT"},
                              {ADJ_TAG_LIBRARY_INFO, "an adj_library_info", "ADJ_LIBRARY_INFO_INIT"},
                              {ADJ_TAG_DEVICE_INFO, "an adj_device_info", "ADJ_DEVICE_INFO_INIT"},
                              {ADJ_TAG_REJECTION, "an adj_rejection", "ADJ_REJECTION_INIT"},
                              {ADJ_TAG_KERNEL_INFO, "an adj_kernel_info", "ADJ_KERNEL_INFO_INIT"},
                              {ADJ_TAG_REQUIREMENT, "an adj_requirement", "ADJ_REQUIREMENT_INIT"},
                              {ADJ_TAG_FIELD_LIMITS, "an adj_field_limits", "ADJ_FIELD_LIMITS_INIT"}};

struct Owner {
  const OpInfo* op = nullptr;
  bool arguments = false;
};
Owner operator_of(adj_tag tag) {
  if (tag >= ADJ_ARGS_TAG(0)) return {find_op(static_cast<adj_op>(tag - ADJ_ARGS_TAG(0))), true};
  return {described_op(tag), false};
}

}  // namespace

std::string owner_of(adj_tag tag) {
  if (const Owner owner = operator_of(tag); owner.op) return fmt::format("the {} of {}", owner.arguments ? "arguments" : "descriptor", owner.op->name);
  for (const Tagged& t : kTagged)
    if (t.tag == tag) return t.name;
  return {};
}

std::string initialiser_of(adj_tag tag) {
  if (const Owner owner = operator_of(tag); owner.op) {
    std::string name = owner.op->name;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format("ADJ_{}_{}_INIT", name, owner.arguments ? "ARGS" : "DESCRIPTOR");
  }
  for (const Tagged& t : kTagged)
    if (t.tag == tag) return t.initialiser;
  return {};
}

Error wrong_tag(const char* what, adj_tag tag, adj_tag expected) {
  const std::string wanted = expected ? fmt::format(", expected {:#x}", expected) : "";
  if (const std::string owner = owner_of(tag); !owner.empty())
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: given {} (header.tag = {:#x}{})", what, owner, tag, wanted);
  const std::string initialiser = expected ? initialiser_of(expected) : "the ADJ_..._DESCRIPTOR_INIT of an operator";
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: header.tag = {:#x}{}: initialise the structure with {}, or with its default members in C++", what, tag, wanted,
              initialiser);
}

}  // namespace adj
