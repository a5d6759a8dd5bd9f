// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "agents/agent_client.hpp"
#include "agents/agent_host.hpp"
#include "agents/bells.hpp"
#include "agents/exposed_regions.hpp"
#include "agents/messages.hpp"
#include "completion/outstanding.hpp"

namespace tessera::detail {

class LockStripes;

/// The agents of a world, as ranks in the communicator that includes them.
struct AgentRanks {
  std::vector<int> of;       // of[r] serves world rank r
  std::vector<int> of_node;  // agents of this node in processes of their own; none unless progress is `rank`
  int of_this = 0;           // the agent that serves this process
  int of_next_node = 0;      // an agent that serves another node, if nodes are of equal size
};

/// The agents of a job that spans nodes: their ranks, the regions they may access, and their bells. Also the
/// client that sends them requests, and the host that runs this process's agent.
class Progress : private Outstanding::Attendant {
 public:
  /// @collective over `all`, which includes the agents' own processes, if they have any (see
  /// progress_rank.hpp).
  Progress(MPI_Comm world, MPI_Comm all, AgentRanks agents, ProgressMode mode, Outstanding& outstanding,
           const LockStripes& locks, bool doorbells);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Waits for what agents still have to answer to this process. From now on it only leaves. @onesided
  void settle();
  /// Ends this process's part; it sends no more requests. @local
  void leave();

  ProgressMode mode() const noexcept { return host_.mode(); }
  int agent_of(int world_rank) const noexcept { return agents_.of[static_cast<std::size_t>(world_rank)]; }
  /// Whether agents that sleep can be woken. @local
  bool rings() const noexcept { return bells_.are_heard(); }
  AgentClient& client() noexcept { return client_; }
  AgentHost& host() noexcept { return host_; }

  /// Shows a region to this process's agent, before any process asks for it. @local
  void show(std::uint64_t region, const Exposed& memory) { regions_.add(region, memory); }
  /// The same for the agents of this node in processes of their own. Returns the problem, if there is one.
  /// @onesided
  std::string show_to_others(std::uint64_t region, const Attachment& memory);
  std::string show_locks(const Attachment& table);
  void hide(std::uint64_t region, bool was_shown_to_others) noexcept;

 private:
  void wait_for(int agent, const std::function<bool()>& done) override;
  void look_after() noexcept override { host_.look_after(); }
  void poll() override;
  std::string let_map(Message message, std::uint64_t region, const Attachment& memory);
  void send_gathered();

  AgentComms comms_;
  Outstanding& outstanding_;
  AgentRanks agents_;
  bool is_ending_ = false;
  ExposedRegions regions_;
  Bells bells_;
  AgentHost host_;
  AgentClient client_;
};

}  // namespace tessera::detail
