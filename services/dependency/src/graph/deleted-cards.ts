import { cardDeleted, findExisting, projectCardDeleted } from '@cardinal/contracts';
import type { Projection } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { listCards, removeTombstones } from './queries.ts';
import { createDeletions } from './remove.ts';

/** Cards compared at once. */
const cardsAtOnce = 500;

/** Projects which cards were deleted, so that they take part in no dependency any more. */
export const projectDeletedCards = (context: ServiceContext): Projection => {
  const { bus, db, feed } = context;
  const deletions = createDeletions(context);

  const remove = async (workspaceId: string, cardId: string, requestId?: string): Promise<boolean> => {
    const applied = await deletions.submit({ workspaceId, cardId, requestId });
    if (applied) feed.nudgeProjections(workspaceId);
    return applied;
  };

  bus.serve(projectCardDeleted, async ({ workspace_id, aggregate_id, request_id }) => ({
    applied: await remove(workspace_id, aggregate_id, request_id),
  }));

  return {
    owner: 'card',
    take: async (events) => {
      const deleted = events.filter(({ type }) => type === cardDeleted.type);
      await Promise.all(
        deleted.map(({ workspace_id, aggregate_id, request_id }) => remove(workspace_id, aggregate_id, request_id)),
      );
    },
    rebuildPage: async (workspaceId, after) => {
      const cards = await db.read((tx) => listCards(tx, workspaceId, after, cardsAtOnce));
      if (cards.length === 0) return null;
      const ids = cards.map(({ id }) => id);
      const existing = new Set((await bus.call(findExisting, { workspace_id: workspaceId, ids })).existing);
      const gone = cards.filter(({ id, deleted_at }) => !deleted_at && !existing.has(id));
      await Promise.all(gone.map(({ id }) => remove(workspaceId, id)));
      const back = cards.filter(({ id, deleted_at }) => deleted_at && existing.has(id));
      if (back.length > 0)
        await db.statement((tx) =>
          removeTombstones(
            tx,
            workspaceId,
            back.map(({ id }) => id),
          ),
        );
      return ids.length < cardsAtOnce ? null : (ids.at(-1) ?? null);
    },
  };
};
