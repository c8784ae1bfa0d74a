import type { EventType, FeedOwner } from '@cardinal/contracts';
import { appendChanges, type ChangeDetails, changeOf, createFeed } from '@cardinal/db';
import { newContext, runInContext } from '@cardinal/runtime';
import { testInstance, type Where } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';

/** A change that a test commits, with defaults for what the test leaves out. */
export interface Noted {
  type?: EventType;
  card?: string;
  board?: string | null;
  other?: string | null;
  title?: string;
  /** The user, and the API key that the user came with. */
  by?: string;
  key?: string;
  /** The resource; by default one with a changed title and nothing else. */
  data?: object;
}

/** Starts an owner that has nothing but its feed, on a database and a broker. */
export const startOwner = async (owner: FeedOwner, where: Where) => {
  const start = () => testInstance(owner, where, ({ feed }) => ({ feed, parts: [] }));
  let running = await start();
  const { db } = running;
  await db.transaction(createFeed);
  const changeFrom = ({
    type = 'card.updated',
    card,
    board = null,
    other = null,
    title = 'a',
    data,
    by = v7(),
    key,
  }: Noted) => {
    const context = newContext({
      timeoutMs: 1_000,
      caller: { workspaceId: v7(), userId: by, ...(key && { apiKeyId: key }) },
    });
    const details: ChangeDetails = {
      type,
      by: { user_id: by },
      at: new Date(),
      subject: { type: type.split('.')[0] ?? '', id: (data as { id?: string })?.id ?? card ?? v7(), version: 2 },
      ...(card !== undefined && { card: { id: card, identifier: 'MAIN-1' } }),
      boardId: board,
      otherBoardId: other,
      ...(data
        ? {}
        : { before: { title: `former ${title}`, ...(other !== null && { board_id: other, column_id: other }) } }),
      data: data ?? { title, ...(other !== null && { board_id: board, column_id: board }) },
    };
    return runInContext(context, () => changeOf(details));
  };
  return {
    db,
    /** Commits changes of a workspace in one transaction, and nudges unless `isQuiet`. @returns their ids */
    note: async (workspaceId: string, changes: readonly Noted[], isQuiet = false): Promise<string[]> => {
      const made = changes.map(changeFrom);
      await db.transaction((tx) => appendChanges(tx, workspaceId, made));
      if (!isQuiet) running.feed.nudge(workspaceId);
      return made.flatMap((change) => change?.id ?? []);
    },
    /** Commits changes in a transaction that ends only after `meanwhile`. */
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
    /** Stops answering. */
    leave: () => running.bus.drain(),
    comeBack: async () => {
      running = await start();
    },
  };
};
export type Owner = Awaited<ReturnType<typeof startOwner>>;
