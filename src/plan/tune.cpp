#include "plan/tune.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "driver/libraries.hpp"
#include "driver/place.hpp"
#include "jit/cache.hpp"
#include "plan/scratch.hpp"
#include "plan/verdicts.hpp"

namespace adj {

namespace {

constexpr int kFirstRounds = 3, kRounds = 15;
constexpr double kStillIn = 1.2;       // a candidate stays after the first rounds while its median is at most this times the least
constexpr double kMostMicroseconds = 1e6;  // device time of the rounds after the first ones
constexpr double kGain = 0.99;         // a later candidate must take at most this times the time of an earlier one
constexpr int kMostGames = 3;          // until the times of the fastest candidates agree over the rounds
constexpr double kSpread = 0.1, kResolution = 1;  // times agree when their middle half lies within this part of the median, or within this many us
constexpr auto kPatience = std::chrono::minutes(1);  // longest wait for another process that measures

// A SKU with one combination of its choices.
struct Entry {
  const Sku* sku;
  Choices choices;
  std::unique_ptr<Plan> plan;
  Sources sources{};
  bool usual;  // true: with the SKU's own first choices
  std::vector<double> us{};
  bool out = false;
};

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// True when the middle half of the times lies close together: nothing else used the device in most of the rounds.
bool agree(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const double spread = v[v.size() * 3 / 4] - v[v.size() / 4];
  return spread <= std::max(kResolution, kSpread * v[v.size() / 2]);
}

// One measurement at a time on a device: two of them would disturb each other. Threads wait without end. Processes that share a disk cache wait for
// kPatience. A lock that may be held for seconds, which a fork need not wait for: the child of a process with a device cannot use one.
class Turn {
 public:
  Turn(const Device& device, const std::string& place) : taken_(of_device_[static_cast<std::size_t>(device.ordinal) % std::size(of_device_)]) {
    while (taken_.exchange(true, std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    processes_ = disk_cache().lock("measure-" + place, kPatience, "measuring");
  }
  ~Turn() {
    processes_ = DiskCache::Lock();
    taken_.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  // False: other processes may measure at the same time.
  bool alone() const { return processes_.held(); }

 private:
  static inline std::atomic<bool> of_device_[64]{};
  std::atomic<bool>& taken_;
  DiskCache::Lock processes_;
};

// The candidates of a plan whose verdict was found.
std::vector<Rejection> candidates_of(const Verdict& verdict) {
  std::vector<Rejection> candidates;
  std::string reason = "accepted";
  for (const Verdict::Time& time : verdict.times)
    if (time.sku == verdict.sku) reason = fmt::format("measured {:.2f} us, the fastest", time.us);
    else candidates.push_back({time.sku, ADJ_OK, fmt::format("measured {:.2f} us", time.us)});
  candidates.push_back({verdict.sku, ADJ_OK, reason});
  return candidates;
}

class Contest {
 public:
  Contest(const Problem& problem, const adj_stream& stream) : problem_(problem), stream_(stream) {}

  Result<Tuned> run(const std::string& subject);

 private:
  // Plans and loads every candidate, with the alternatives of each part while the other parts keep their first choice.
  Result<void> enter();
  // Adds a candidate; `usual` as in Entry. Fails where the failure ends the selection.
  Result<void> add(const Sku& sku, Choices choices, bool usual);
  Result<void> play(Scratch& scratch, std::vector<Entry*> players);
  // Plays until the times of the fastest agree, kMostGames at most. The verdict of games that do not is not kept on disk.
  Result<void> play_until_agreed(Scratch& scratch, const std::vector<Entry*>& players);
  // The candidate that a verdict names, which another thread or process has found meanwhile; null: none of the entries.
  Result<Entry*> named_by(const Verdict& verdict);
  // The combination of the best alternatives of each part, where that is none of the entries yet.
  Result<void> combine();
  Result<void> fail_run(Entry& entry, Error error);
  Entry* best(const Sku* of_sku = nullptr);
  Selection finish(Entry& winner);

  const Problem& problem_;
  const adj_stream& stream_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Selection selection_;  // receives the candidates that are rejected
  bool sound_ = true;    // false: something failed that may succeed another time, so that the verdict is not kept on disk
};

Result<void> Contest::add(const Sku& sku, Choices choices, bool usual) {
  auto entry = std::make_unique<Entry>(Entry{&sku, std::move(choices), nullptr, {}, usual});
  Attempt attempt = plan_candidate(problem_, stream_, sku, &entry->choices);
  if (attempt.plan)
    if (auto ok = check_sizes(*attempt.plan, problem_.preference); !ok) attempt = {nullptr, ok.take_error()};
  attempt = load_candidate(std::move(attempt), problem_, entry->sources);
  if (attempt.plan) {
    if (auto ok = complete(*attempt.plan, problem_); !ok) return ok;
    entry->plan = std::move(attempt.plan);
    entries_.push_back(std::move(entry));
    return {};
  }
  if (attempt.hard) sound_ = false;
  if (!usual) return {};
  selection_.candidates.push_back({sku.id, attempt.error.code, attempt.error.message});
  if (attempt.hard && !problem_.preference.fallback) return std::move(attempt.error);
  return {};
}

Result<void> Contest::enter() {
  for (const Sku* sku : skus_for(problem_)) {
    const adj_guarantee guarantee = guarantee_of(*sku, problem_.descriptor.get());
    if (auto ok = check_row(*sku, guarantee, stream_, problem_.device, problem_.preference); !ok) {
      selection_.candidates.push_back({sku->id, ok.error().code, ok.error().message});
      continue;
    }
    const std::size_t before = entries_.size();
    if (auto ok = add(*sku, {}, true); !ok) return ok;
    if (entries_.size() == before) continue;
    const std::vector<Choices::Part> parts = entries_.back()->choices.parts();
    for (const Choices::Part& part : parts)
      for (const std::string& alternative : part.offered) {
        if (alternative == part.taken) continue;
        Choices choices;
        for (const Choices::Part& other : parts) choices.want(other.name, other.name == part.name ? alternative : other.taken);
        if (auto ok = add(*sku, std::move(choices), false); !ok) return ok;
      }
  }
  return {};
}

Result<void> Contest::fail_run(Entry& entry, Error error) {
  entry.out = true;
  entry.us.clear();
  sound_ = false;
  if (!entry.usual) {
    log(1, fmt::format("{} with {} fails when it is measured, and is left out: {}", entry.sku->id, entry.choices.text(), error.message));
    return {};
  }
  selection_.candidates.push_back({entry.sku->id, error.code, error.message});
  if (!problem_.preference.fallback) return error;
  return {};
}

Result<void> Contest::play(Scratch& scratch, std::vector<Entry*> players) {
  const auto call = [&](Entry& entry) -> Result<double> {
    std::optional<Error> failure;
    auto us = scratch.time(*entry.plan, failure);
    if (failure)
      if (auto ok = fail_run(entry, std::move(*failure)); !ok) return ok.take_error();
    return us;
  };
  std::erase_if(players, [](const Entry* entry) { return entry->out; });
  for (Entry* entry : players) {
    entry->us.clear();
    if (auto first = call(*entry); !first) return first.take_error();  // loads code, and does not count
  }
  double total = 0;
  for (int round = 0; round < kRounds && total < kMostMicroseconds; ++round) {
    std::erase_if(players, [](const Entry* entry) { return entry->out; });
    if (round == kFirstRounds) {
      double least = std::numeric_limits<double>::infinity();
      for (const Entry* entry : players) least = std::min(least, median(entry->us));
      std::erase_if(players, [&](const Entry* entry) { return median(entry->us) > kStillIn * least; });
    }
    if (round >= kFirstRounds && players.size() < 2) break;
    for (Entry* entry : players) {
      auto us = call(*entry);
      if (!us) return us.take_error();
      if (entry->out) continue;
      entry->us.push_back(*us);
      if (round >= kFirstRounds) total += *us;
    }
  }
  return {};
}

Result<void> Contest::play_until_agreed(Scratch& scratch, const std::vector<Entry*>& players) {
  for (int game = 0; game < kMostGames; ++game) {
    if (auto ok = play(scratch, players); !ok) return ok;
    const Entry* leader = best();
    if (!leader) return {};
    const double least = median(leader->us);
    // A candidate that is out after the first rounds must have been slower in each of them.
    const auto settled = [&](const Entry* entry) {
      if (entry->out || entry->us.empty()) return true;
      return median(entry->us) > kStillIn * least ? *std::ranges::min_element(entry->us) > least : agree(entry->us);
    };
    if (std::ranges::all_of(players, settled)) return {};
  }
  log(1, fmt::format("{}: times vary from round to round, something else uses the device; the verdict is not stored", problem_.op->name));
  sound_ = false;
  return {};
}

Result<Entry*> Contest::named_by(const Verdict& verdict) {
  const auto find = [&]() -> Entry* {
    for (const auto& entry : entries_)
      if (entry->sku->id == verdict.sku && entry->choices.text() == verdict.choices) return entry.get();
    return nullptr;
  };
  if (Entry* const found = find()) return found;
  for (const auto& entry : entries_)
    if (entry->sku->id == verdict.sku) {
      if (auto ok = add(*entry->sku, Choices::parse(verdict.choices), false); !ok) return ok.take_error();
      break;
    }
  return find();
}

Entry* Contest::best(const Sku* of_sku) {
  Entry* best = nullptr;
  for (const auto& entry : entries_)
    if (!entry->out && !entry->us.empty() && (!of_sku || entry->sku == of_sku) && (!best || median(entry->us) < kGain * median(best->us))) best = entry.get();
  return best;
}

Result<void> Contest::combine() {
  std::vector<const Sku*> skus;
  for (const auto& entry : entries_)
    if (entry->usual && entry->choices.parts().size() > 1) skus.push_back(entry->sku);
  for (const Sku* sku : skus) {
    const auto usual = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e->sku == sku && e->usual; });
    if ((*usual)->us.empty()) continue;
    Choices choices;
    for (const Choices::Part& part : (*usual)->choices.parts()) {
      const Entry* least = usual->get();
      for (const auto& entry : entries_)
        if (entry->sku == sku && !entry->us.empty() && median(entry->us) < kGain * median(least->us) &&
            std::ranges::any_of(entry->choices.parts(), [&](const Choices::Part& p) { return p.name == part.name && p.taken != part.taken; }))
          least = entry.get();
      for (const Choices::Part& p : least->choices.parts())
        if (p.name == part.name) choices.want(p.name, p.taken);
    }
    const std::size_t before = entries_.size();
    if (auto ok = add(*sku, std::move(choices), false); !ok) return ok;
    if (entries_.size() > before &&
        std::any_of(entries_.begin(), entries_.end() - 1, [&](const auto& e) { return e->sku == sku && e->choices.text() == entries_.back()->choices.text(); }))
      entries_.pop_back();
  }
  return {};
}

Selection Contest::finish(Entry& winner) {
  Selection made = std::move(selection_);
  std::vector<const Sku*> others;
  for (const auto& entry : entries_)
    if (entry->usual && entry->sku != winner.sku) others.push_back(entry->sku);
  for (const Sku* sku : others)
    if (const Entry* entry = best(sku)) made.candidates.push_back({sku->id, ADJ_OK, fmt::format("measured {:.2f} us", median(entry->us))});
  made.candidates.push_back({winner.sku->id, ADJ_OK, winner.us.empty() ? "accepted" : fmt::format("measured {:.2f} us, the fastest", median(winner.us))});
  made.sources = winner.sources;
  winner.plan->candidates = std::move(made.candidates);
  made.plan = std::move(winner.plan);
  return made;
}

Result<Tuned> Contest::run(const std::string& subject) {
  const cu::Api& api = **cuda();
  const ContextScope context(api, *problem_.device);
  if (auto rc = context.result()) return cuda_error(api, rc, "cuCtxPushCurrent");
  const RelaxedCapture relaxed(api);
  int capturing = 0;
  if (auto rc = api.stream_is_capturing(static_cast<cu::Stream>(stream_.handle), &capturing)) return cuda_error(api, rc, "cuStreamIsCapturing");
  if (capturing)
    return fail(ADJ_ERROR_CAPTURING,
                "{}: preference.tune = 1 measures, which is not allowed while the stream is being captured; select before the capture, "
                "or load a tuning file that has this problem",
                problem_.op->name);
  if (auto ok = enter(); !ok) {
    Error error = ok.take_error();
    error.rejections = std::move(selection_.candidates);
    return error;
  }
  if (entries_.empty()) return Tuned{};  // select says why nothing fits
  if (entries_.size() == 1) return Tuned{finish(*entries_.front())};
  std::uint64_t workspace = 0;
  for (const auto& entry : entries_) workspace = std::max(workspace, entry->plan->workspace_size);
  const auto place = place_of(api, *problem_.device);
  if (!place) return place.error();
  const Turn turn(*problem_.device, *place);
  if (const auto verdict = subject.empty() ? std::nullopt : find_verdict(subject, true)) {
    auto found = named_by(*verdict);
    if (!found) return found.take_error();
    if (Entry* const winner = *found) {
      Selection made;
      made.plan = std::move(winner->plan);
      made.plan->candidates = candidates_of(*verdict);
      made.sources = winner->sources;
      return Tuned{std::move(made)};
    }
  }
  sound_ = sound_ && turn.alone();
  if (auto rc = api.stream_synchronize(static_cast<cu::Stream>(stream_.handle))) return cuda_error(api, rc, "cuStreamSynchronize");
  Scratch scratch(api, *problem_.device);
  auto problem = scratch.open(*entries_.front()->plan, workspace);
  if (!problem) return problem.take_error();
  if (!problem->empty()) {
    log(1, fmt::format("{}: nothing is measured: {}", problem_.op->name, *problem));
    return Tuned{{}, *problem};
  }
  std::vector<Entry*> players;
  for (const auto& entry : entries_) players.push_back(entry.get());
  if (auto ok = play_until_agreed(scratch, players); !ok) return ok.take_error();
  const std::size_t first = entries_.size();
  if (auto ok = combine(); !ok) return ok.take_error();
  if (entries_.size() > first) {
    players.clear();
    if (Entry* leader = best()) players.push_back(leader);
    for (std::size_t i = first; i < entries_.size(); ++i) {
      if (entries_[i]->plan->workspace_size > workspace) entries_[i]->out = true;  // cannot be: it shares parts with those before
      else players.push_back(entries_[i].get());
    }
    if (auto ok = play_until_agreed(scratch, players); !ok) return ok.take_error();
  }
  Entry* const winner = best();
  if (!winner) return Tuned{};
  Verdict verdict{subject, winner->sku->id, winner->choices.text(), {}};
  for (const auto& entry : entries_)
    if (entry->usual)
      if (const Entry* own = best(entry->sku)) verdict.times.push_back({entry->sku->id, median(own->us)});
  if (!subject.empty()) keep_verdict(verdict, sound_);
  log(0,
      fmt::format("measured {} candidates of {}: {} {} takes {:.2f} us", entries_.size(), problem_.op->name, verdict.sku, verdict.choices, median(winner->us)));
  return Tuned{finish(*winner)};
}

// The plan that a verdict names.
Attempt plan_of(const Verdict& verdict, const Problem& problem, const adj_stream& stream, Sources& sources) {
  const auto no_longer = [&](const std::string& why) {
    return Attempt{nullptr, fail(ADJ_ERROR_UNSUPPORTED, "{}: the verdict for {} {} is not followed: {}", problem.op->name, verdict.sku, verdict.choices, why)};
  };
  const std::vector<const Sku*> skus = skus_for(problem);
  const auto sku = std::find_if(skus.begin(), skus.end(), [&](const Sku* s) { return s->id == verdict.sku; });
  if (sku == skus.end()) return no_longer("there is no such SKU for this problem");
  if (auto ok = check_row(**sku, guarantee_of(**sku, problem.descriptor.get()), stream, problem.device, problem.preference); !ok)
    return no_longer(ok.error().message);
  Choices choices = Choices::parse(verdict.choices);
  Attempt attempt = plan_candidate(problem, stream, **sku, &choices);
  if (attempt.plan && choices.text() != verdict.choices) return no_longer("the plan has other parts");
  if (attempt.plan)
    if (auto ok = check_sizes(*attempt.plan, problem.preference); !ok) attempt = {nullptr, ok.take_error()};
  attempt = load_candidate(std::move(attempt), problem, sources);
  if (!attempt.plan && !attempt.hard) return no_longer(attempt.error.message);
  if (attempt.plan)
    if (auto ok = complete(*attempt.plan, problem); !ok) return {nullptr, ok.take_error(), true};
  return attempt;
}

bool may_have_verdict(const Problem& problem) { return problem.device && problem.device->real() && (problem.preference.tune || has_loaded_verdicts()); }

}  // namespace

Result<Tuned> select_tuned(const Problem& problem, const adj_stream& stream) {
  if (!may_have_verdict(problem)) return Tuned{};
  const std::string subject = subject_of(problem);
  if (const auto verdict = subject.empty() ? std::nullopt : find_verdict(subject, problem.preference.tune)) {
    Selection selection;
    Attempt attempt = plan_of(*verdict, problem, stream, selection.sources);
    if (attempt.plan) {
      attempt.plan->candidates = candidates_of(*verdict);
      selection.plan = std::move(attempt.plan);
      return Tuned{std::move(selection)};
    }
    if (attempt.hard && !problem.preference.fallback) return std::move(attempt.error);
    log(1, attempt.error.message);
  }
  if (!problem.preference.tune) return Tuned{};
  Contest contest(problem, stream);
  return contest.run(subject);
}

void explain_verdict(const Problem& problem, std::vector<Rejection>& candidates) {
  if (!may_have_verdict(problem)) return;
  const std::string subject = subject_of(problem);
  const auto verdict = subject.empty() ? std::nullopt : find_verdict(subject, problem.preference.tune);
  if (!verdict) return;
  for (Rejection& candidate : candidates)
    for (const Verdict::Time& time : verdict->times)
      if (candidate.code == ADJ_OK && candidate.sku == time.sku)
        candidate.reason = fmt::format("measured {:.2f} us{}", time.us, time.sku == verdict->sku ? ", the fastest" : "");
  const auto best = std::find_if(candidates.begin(), candidates.end(), [&](const Rejection& c) { return c.code == ADJ_OK && c.sku == verdict->sku; });
  if (best != candidates.end()) std::rotate(candidates.begin(), best, best + 1);
}

}  // namespace adj
