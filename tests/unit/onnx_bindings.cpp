// Rows of the registry as data: what they say of every attribute, and how nodes become calls.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "capi/named_call.hpp"
#include "capi/onnxruntime/binding.hpp"
#include "ops/registry.hpp"

using namespace adjoint::onnxruntime;
using adjoint::named::Operator;

namespace {

// What a binding names that its operator has not.
std::string unknown_names(const Binding& b, const Operator& op) {
  std::string wrong;
  const auto known = [&](const std::string& name, bool argument) {
    const auto found = op.places.find(name);
    if (found == op.places.end() || (argument && found->second >= op.arguments.size())) wrong += " " + name;
  };
  for (const auto& [field, value] : b.settings) known(field, false);
  for (const auto& [a, other] : b.same) known(a, true), known(other, true);
  for (const auto* ports : {&b.inputs, &b.outputs})
    for (const Port& p : *ports) {
      for (const std::string& name : p.arguments) known(name, true);
      if (!p.field.empty()) known(p.field, false);
      if (!p.dims_field.empty()) known(p.dims_field, false);
    }
  for (const Attribute& a : b.attributes)
    if (!a.field.empty()) known(a.field, false);
  for (const Flag& f : b.flags) known(f.field, false);
  return wrong;
}

std::map<std::string, std::size_t> rows_by_session() {
  std::map<std::string, std::size_t> counts;
  for (const adj::RegistryRow& row : adj::registry()) ++counts[row.session];
  return counts;
}

}  // namespace

TEST_CASE("bindings: every row of the registry has one, or says why it has none") {
  CHECK(rows_by_session() == std::map<std::string, std::size_t>{{"none", 14}, {"rewrite", 22}, {"table", 176}});
  for (const adj::RegistryRow& row : adj::registry()) {
    CAPTURE(row.op);
    CHECK((row.session == "none") == row.binding.empty());
    CHECK((row.session == "none") == !row.obstacle.empty());
  }
}

TEST_CASE("bindings: they are understood, and name arguments and fields that there are") {
  for (const adj::RegistryRow& row : adj::registry()) {
    CAPTURE(row.op);
    const auto bindings = bindings_of(row.binding);
    CHECK((row.session == "none") == bindings.empty());
    for (const Binding& b : bindings) {
      CHECK(unknown_names(b, Operator::of(row.adjoint_op->id)) == "");
      CHECK((b.domain == "adjoint" || b.types.size() == row.combinations.at(0).size()));
      std::set<std::string> types(b.types.begin(), b.types.end());
      for (const auto& [variable, names] : b.also) types.insert(variable);
      for (const auto* ports : {&b.inputs, &b.outputs})
        for (const Port& p : *ports) CHECK_MESSAGE((types.contains(p.type) || p.type == "any" || adj_dtype_find(p.type.c_str()) != ADJ_DTYPE_NONE), p.name);
      for (std::size_t i = 0; i < b.outputs.size(); ++i) CHECK_MESSAGE((b.outputs[i].over < 0 || (i == 0 && b.outputs[i].over == 0)), b.op);
      for (std::size_t i = 0; i + 1 < b.inputs.size(); ++i) CHECK_FALSE_MESSAGE(b.inputs[i].variadic, "only the last input may be variadic");
    }
  }
}

TEST_CASE("bindings: the type combinations of a row are spelled out") {
  const auto found = std::ranges::find(adj::registry(), std::string_view("SoftmaxCrossEntropyLossInternalGrad"), &adj::RegistryRow::op);
  CHECK(found->type_names == "f32 i64 f16");
  const auto slice = std::ranges::find(adj::registry(), std::string_view("SliceGrad"), &adj::RegistryRow::op);
  CHECK(std::ranges::count(slice->type_names, ';') == 25);
}

TEST_CASE("bindings: a line that is not understood is refused with the line") {
  const std::string head = "op A com.microsoft table\n";
  const auto refused = [](const std::string& text, const char* why) {
    try {
      static_cast<void>(bindings_of(text));
      return std::string("accepted: ") + text;
    } catch (const std::invalid_argument& problem) { return std::string(problem.what()).find(why) == std::string::npos ? problem.what() : std::string(); }
  };
  CHECK(refused("in X T a\n", "a stanza begins with op") == "");
  CHECK(refused("op A\n", "expected op NAME DOMAIN SESSION") == "");
  CHECK(refused(head + "maybe X\n", "line \"maybe X\": expected op, types") == "");
  CHECK(refused(head + "in X T a sideways\n", "the word sideways is not known") == "");
  CHECK(refused(head + "in X T a default\n", "a word is missing") == "");
  CHECK(refused(head + "in X T a \"why\"\n", "a reason belongs") == "");
  CHECK(refused(head + "out Y T a X\n", "no port is called X") == "");
  CHECK(refused(head + "in X T a\nout Y T b total:X\n", "a shape of this kind") == "");
  CHECK(refused(head + "in X T a\nout Y T b X[1]\n", "expected [FIRST:LAST]") == "");
  CHECK(refused(head + "attr a number 0 b\n", "the kind is int") == "");
  CHECK(refused(head + "attr a int 0 -\n", "has a reason") == "");
  CHECK(refused(head + "attr a int 0 only\n", "expected only VALUES") == "");
  CHECK(refused(head + "set a\n", "expected FIELD=VALUE") == "");
  CHECK(refused(head + "flag a Y\n", "no port is called Y") == "");
}
