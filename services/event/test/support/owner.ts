import type { EventType, FeedOwner } from '@cardinal/contracts';
import { appendChanges, changeOf, createFeed } from '@cardinal/db';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';

/** A change as a test notes it; what it leaves out does not matter. */
export interface Noted {
  type?: EventType;
  card?: string;
  board?: string | null;
  other?: string | null;
  title?: string;
  /** In the place of a resource with nothing but a title, which was another one before. */
  data?: object;
}

/** An owner of a feed, with nothing but its feed, on a database and a broker. */
export const startOwner = async (owner: FeedOwner, where: Where) => {
  const start = () => testInstance(owner, where, ({ feed }) => ({ feed, parts: [] }));
  let running = await start();
  const { db } = running;
  await db.transaction(createFeed);
  const changeFrom = ({ type = 'card.updated', card, board = null, other = null, title = 'a', data }: Noted) =>
    changeOf({
      type,
      by: { user_id: v7() },
      at: new Date(),
      subject: { type: type.split('.')[0] ?? '', id: (data as { id?: string })?.id ?? card ?? v7(), version: 2 },
      ...(card !== undefined && { card: { id: card, identifier: 'MAIN-1' } }),
      boardId: board,
      otherBoardId: other,
      ...(data
        ? {}
        : { before: { title: `former ${title}`, ...(other !== null && { board_id: other, column_id: other }) } }),
      data: data ?? { title, ...(other !== null && { board_id: board, column_id: board }) },
    });
  return {
    db,
    /** Notes changes of a workspace in one transaction; tells nobody where `isQuiet`. @returns their ids */
    note: async (workspaceId: string, changes: readonly Noted[], isQuiet = false): Promise<string[]> => {
      const made = changes.map(changeFrom);
      await db.transaction((tx) => appendChanges(tx, workspaceId, made));
      if (!isQuiet) running.feed.nudge(workspaceId);
      return made.flatMap((change) => change?.id ?? []);
    },
    /** Notes changes in a transaction that ends only after `meanwhile`. */
    noteSlowly: async (
      workspaceId: string,
      changes: readonly Noted[],
      meanwhile: () => Promise<void>,
    ): Promise<void> => {
      await db.transaction(async (tx) => {
        await appendChanges(tx, workspaceId, changes.map(changeFrom));
        await meanwhile();
      });
      running.feed.nudge(workspaceId);
    },
    /** Answers nothing any more. */
    leave: () => running.bus.drain(),
    comeBack: async () => {
      running = await start();
    },
  };
};
export type Owner = Awaited<ReturnType<typeof startOwner>>;
