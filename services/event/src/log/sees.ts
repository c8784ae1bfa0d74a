import type { Bus } from '@cardinal/bus';
import { type Caller, seeBoards } from '@cardinal/contracts';
import { v7 } from 'uuid';

/** Answers which of some boards a caller sees now, deleted ones too. */
export type Sees = (caller: Caller, boardIds: readonly string[]) => Promise<Set<string>>;

/** The most that the contract accepts. */
const boardsAtOnce = 1_000;

/** A user that nobody is: it sees the boards of the whole workspace alone. */
const stranger = v7();

/** Asks the card service, never inside a transaction. @throws CardinalError `unavailable` where it does not answer */
const createQuestion =
  (bus: Pick<Bus, 'call'>) => async (workspace_id: string, user_ids: string[], boardIds: readonly string[]) => {
    const chunks = Array.from({ length: Math.ceil(boardIds.length / boardsAtOnce) }, (_, at) =>
      boardIds.slice(at * boardsAtOnce, (at + 1) * boardsAtOnce),
    );
    const answers = await Promise.all(
      chunks.map((board_ids) => bus.call(seeBoards, { workspace_id, user_ids, board_ids })),
    );
    const boards = answers.flatMap((answer) => answer.boards);
    return (user: string): Set<string> =>
      new Set(boards.filter(({ user_ids }) => user_ids.includes(user)).map(({ board_id }) => board_id));
  };

/** Creates the question. @throws CardinalError `unavailable` where the card service does not answer */
export const createSees = (bus: Pick<Bus, 'call'>): Sees => {
  const ask = createQuestion(bus);
  return async ({ workspace_id, user_id }, boardIds) => (await ask(workspace_id, [user_id], boardIds))(user_id);
};

/** Answers which of some boards a caller sees, and which of them are not private, in one request. */
export type Sight = (
  caller: Caller,
  boardIds: readonly string[],
) => Promise<{ seen: ReadonlySet<string>; open: ReadonlySet<string> }>;

/** Creates the question. @throws CardinalError `unavailable` where the card service does not answer */
export const createSight = (bus: Pick<Bus, 'call'>): Sight => {
  const ask = createQuestion(bus);
  return async ({ workspace_id, user_id }, boardIds) => {
    const seenBy = await ask(workspace_id, [user_id, stranger], boardIds);
    return { seen: seenBy(user_id), open: seenBy(stranger) };
  };
};
