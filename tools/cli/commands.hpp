// The commands of the tool. Each adds its subcommand and options to the parser and does its work in the parser's
// callback. A callback reports failure by throwing one of abi.hpp's exceptions, or CLI::RuntimeError(1) when it has
// already said everything (a verification that failed).
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace cli {
CLI::Validator one_of(std::vector<std::string> names);  // check of an option: one of these names, else a sentence with the nearest
void need_gpu(const char* command);  // throws NoGpu when there is no GPU for the command
}  // namespace cli

void add_sku(CLI::App& app);         // sku list, show, explain, compile, kernels
void add_sku_explain(CLI::App& sku);
void add_sku_compile(CLI::App& sku);
void add_ops(CLI::App& app);
void add_pack(CLI::App& app);        // pack list
void add_registry(CLI::App& app);
void add_verify(CLI::App& app);
void add_bench(CLI::App& app);
void add_tune(CLI::App& app);
void add_doctor(CLI::App& app);
void add_cache(CLI::App& app);
void add_complete(CLI::App& app);  // hidden: for the completions of shells
