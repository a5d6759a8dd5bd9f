// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

// Jobs in which ranks wait: for ever, or for something that comes in the end. They return the exit status.
namespace tessera::test {

int stand_still_in_calls(const Group& world);
int stand_still_in_a_message(const Group& world);
int stand_still_at_a_flag(const Group& world);
int stand_still_at_a_mutex(const Group& world);
int put_and_receive(const Group& world);
int work_on(const Group& world);

}  // namespace tessera::test
