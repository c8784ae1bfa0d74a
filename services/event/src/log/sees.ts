import type { Bus } from '@cardinal/bus';
import { type Caller, seeBoards } from '@cardinal/contracts';

/** Answers which of some boards a caller sees now, deleted ones too. */
export type Sees = (caller: Caller, boardIds: readonly string[]) => Promise<Set<string>>;

/** The most that the contract accepts. */
const boardsAtOnce = 1_000;

/** Asks the card service, never inside a transaction. @throws CardinalError `unavailable` where it does not answer */
export const createSees =
  (bus: Pick<Bus, 'call'>): Sees =>
  async ({ workspace_id, user_id }, boardIds) => {
    const chunks = Array.from({ length: Math.ceil(boardIds.length / boardsAtOnce) }, (_, at) =>
      boardIds.slice(at * boardsAtOnce, (at + 1) * boardsAtOnce),
    );
    const answers = await Promise.all(
      chunks.map((board_ids) => bus.call(seeBoards, { workspace_id, user_ids: [user_id], board_ids })),
    );
    const seen = answers.flatMap(({ boards }) => boards.filter(({ user_ids }) => user_ids.includes(user_id)));
    return new Set(seen.map(({ board_id }) => board_id));
  };
