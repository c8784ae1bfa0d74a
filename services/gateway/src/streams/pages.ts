import type { Bus } from '@cardinal/bus';
import { boardsOf, type EventReader, type LoggedEvent, readLog, seeBoards, type Wanted } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';

/** The most events of a page. */
const pageSize = 200;
/** The most users of one question. */
const usersAtOnce = 1_000;
/** The most pairs of user and board of one question: the answer has to fit into a message of the bus. */
const pairsAtOnce = 20_000;

/** A part of a workspace's log. */
export interface Page {
  events: LoggedEvent[];
  /** Everything up to here was looked at. */
  through: number;
  /** How far the log is. */
  last: number;
}

/** What a user sees, as it was when the page was read. */
export type Sight = (userId: string) => EventReader;

export type Pages = ReturnType<typeof pagesOf>;

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** Reads logs, and asks for each page who sees it. Visibility is never cached. */
export const pagesOf = (bus: Pick<Bus, 'call'>, timeoutMs: number) => {
  // A stream outlives the deadline of the request that opened it.
  const inTime = <T>(ask: () => Promise<T>): Promise<T> => runInContext(newContext({ timeoutMs }), ask);

  return {
    /**
     * The events after `after`, all or those that `wanted` names; where `after` is null, the end of the log alone.
     * @throws CardinalError `gone` where those events are not kept any more; `unavailable`
     */
    read: (workspaceId: string, after: number | null, wanted: Wanted = {}): Promise<Page> =>
      inTime(() => bus.call(readLog, { workspace_id: workspaceId, after, limit: pageSize, ...wanted })),

    /** Which of the users see which boards of the events. @throws CardinalError `unavailable` */
    whoSees: async (
      workspaceId: string,
      userIds: readonly string[],
      events: readonly LoggedEvent[],
    ): Promise<Sight> => {
      const boardIds = [...new Set(events.flatMap(boardsOf))];
      const seen = new Map<string, Set<string>>(boardIds.map((id) => [id, new Set()]));
      const ask = async (users: string[], boards: string[]) => {
        const request = { workspace_id: workspaceId, user_ids: users, board_ids: boards };
        const reply = await inTime(() => bus.call(seeBoards, request));
        for (const { board_id, user_ids } of reply.boards) for (const id of user_ids) seen.get(board_id)?.add(id);
      };
      await Promise.all(
        chunksOf([...new Set(userIds)], usersAtOnce).flatMap((users) =>
          chunksOf(boardIds, Math.floor(pairsAtOnce / users.length)).map((boards) => ask(users, boards)),
        ),
      );
      return (userId) => ({ userId, sees: (boardId) => seen.get(boardId)?.has(userId) ?? false });
    },
  };
};
