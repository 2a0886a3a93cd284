// adjoint: the command line tool, which shows what the library offers and how it decides. Written against the C interface.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "abi.hpp"
#include "commands.hpp"
#include "words.hpp"

namespace {

constexpr int kExitRefused = 1, kExitUsage = 2, kExitNoGpu = 77;

// Prints an error, after flushing standard output.
void complain(const char* code, const char* sentence) {
  std::fflush(stdout);
  fmt::print(stderr, "adjoint: {}: {}\n", code, sentence);
}

void print_details(const std::string& details) {
  if (!details.empty()) fmt::print(stderr, "{}{}", details, details.back() == '\n' ? "" : "\n");
}

void print_log(void*, int32_t level, const char* message) { fmt::print(stderr, "adjoint: {}: {}\n", level > 0 ? "warning" : "note", message); }

std::string version_text() {
  uint32_t major = 0, minor = 0;
  adj_abi_version(&major, &minor);
  return fmt::format("adjoint {} (interface {}.{})", adj_version(), major, minor);
}

// The commands that were recognised, from the outermost on.
std::vector<const CLI::App*> recognised(const CLI::App& app) {
  std::vector<const CLI::App*> path{&app};
  while (!path.back()->get_subcommands().empty()) path.push_back(path.back()->get_subcommands().front());
  return path;
}

// The command as typed, "adjoint sku list", for a hint at its help.
std::string command_of(const CLI::App& app) {
  std::string name;
  for (const CLI::App* command : recognised(app)) name += (name.empty() ? "" : " ") + command->get_name();
  return name;
}

// Problem of the line when it has an unknown option, or the innermost command needs a subcommand; else empty.
std::string command_problem(const CLI::App& app) {
  const CLI::App& at = *recognised(app).back();
  std::vector<std::string> names;
  for (const CLI::App* command : at.get_subcommands({}))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  const std::vector<std::string> rest = app.remaining(true);
  if (!rest.empty() && rest.front().starts_with('-')) {
    std::vector<std::string> options;
    for (const CLI::App* command : recognised(app))
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    return fmt::format("unknown option '{}'{}", rest.front(), cli::suggestion(rest.front(), options));
  }
  if (names.empty()) return {};
  if (rest.empty()) return fmt::format("a command is needed: {}", cli::join(names));
  for (const CLI::App* command : at.get_subcommands({}))
    for (const CLI::App* below : command->get_subcommands({}))
      if (below->get_name() == rest.front()) return fmt::format("unknown command '{0}': did you mean '{1} {0}'?", rest.front(), command->get_name());
  return fmt::format("unknown command '{}'; there are: {}{}", rest.front(), cli::join(names), cli::suggestion(rest.front(), names));
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  auto usage = [&](const char* sentence, const std::string& details) {
    complain("usage", sentence);
    print_details(details);
    fmt::print(stderr, "see '{} --help'\n", command_of(app));
    return kExitUsage;
  };
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& e) { return e.get_exit_code(); } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(e);  // help or version
    const std::string problem = command_problem(app);
    return usage(problem.empty() ? e.what() : problem.c_str(), {});
  } catch (const cli::Misuse& e) { return usage(e.what(), e.details()); } catch (const cli::NoGpu& e) {
    complain(adj_status_name(ADJ_ERROR_BACKEND_UNAVAILABLE), e.what());
    return kExitNoGpu;
  } catch (const cli::Refused& e) {
    complain(adj_status_name(e.code()), e.what());
    print_details(e.details());
  } catch (const std::exception& e) {
    if (!std::ferror(stdout))  // main reports an error of standard output
      complain(adj_status_name(ADJ_ERROR_INTERNAL), e.what());
  }
  return kExitRefused;
}

}  // namespace

int main(int argc, char** argv) {
  if (const adj_status status = adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR); status != ADJ_OK) {
    complain(adj_status_name(status), adj_last_error());
    return kExitRefused;
  }
  CLI::App app("CUDA training kernels: what there is, what it promises, how it is chosen", "adjoint");
  app.set_version_flag("--version", version_text());
  app.add_flag_callback("-v,--verbose", [] { adj_set_log(print_log, nullptr); }, "report compiles and cache problems on standard error");
  app.require_subcommand(1);
  add_ops(app);
  add_sku(app);
  add_pack(app);
  add_registry(app);
  add_verify(app);
  add_bench(app);
  add_tune(app);
  add_doctor(app);
  add_cache(app);
  add_complete(app);
  // Set after the commands, which would inherit it.
  app.footer(
      "Examples:\n"
      "  adjoint doctor                            what can run on this machine\n"
      "  adjoint ops 'embedding*'                  operators; with a full name, what it takes\n"
      "  adjoint sku list --op 'embedding*' --arch sm_80\n"
      "  adjoint sku explain embedding_backward num_embeddings=50257 embedding_dim=768 \\\n"
      "      num_indices=8192 element=bf16 index=i64\n"
      "  adjoint sku compile --arch sm_80,sm_90a -o kernels.pack\n"
      "  adjoint registry --op AdamWOptimizer      what serves an ONNX Runtime registration\n"
      "\n"
      "Tables are as wide as the terminal, or as COLUMNS says; in a pipe or a file each row is one line. With --json a command prints JSON, and nothing else, "
      "on standard output.\n"
      "\n"
      "Exit codes: 0 done, 1 refused by the library (one sentence on standard error), 2 wrong usage, 77 no GPU for a command that\n"
      "needs one.");
  // Options of the tool itself may follow the command.
  const auto fall_through = [](const auto& self, CLI::App& command) -> void {
    for (CLI::App* below : command.get_subcommands({})) {
      below->fallthrough();
      self(self, *below);
    }
  };
  fall_through(fall_through, app);

  const int code = parse_and_run(app, argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    complain(adj_status_name(ADJ_ERROR_IO), fmt::format("cannot write to standard output: {}", std::strerror(errno)).c_str());
    return code ? code : kExitRefused;
  }
  return code;
}
