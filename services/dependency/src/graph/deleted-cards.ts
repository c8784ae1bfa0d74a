import { cardDeleted, projectCardDeleted } from '@cardinal/contracts';
import { comparePages, existingOf, type Projection } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { listCards, removeTombstones } from './queries.ts';
import { createDeletions } from './remove.ts';

/** Cards per page of the comparison with the owner. */
const cardsAtOnce = 500;

/** Creates the projection of deleted cards (ARCHITECTURE, "Projections"). It removes their dependencies. */
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
    rebuildPage: comparePages<{ id: string; deleted_at: Date | null }, { id: string }>({
      atOnce: cardsAtOnce,
      keyOf: ({ id }) => id,
      rowsAfter: (workspaceId, after) => db.read((tx) => listCards(tx, workspaceId, after, cardsAtOnce)),
      ask: ({ workspace_id }, cards) => existingOf(bus, workspace_id, cards),
      mend: async (workspaceId, cards) => {
        const gone = cards.flatMap(([{ id, deleted_at }, existing]) => (deleted_at || existing ? [] : id));
        await Promise.all(gone.map((id) => remove(workspaceId, id)));
        const back = cards.flatMap(([{ id, deleted_at }, existing]) => (deleted_at && existing ? id : []));
        if (back.length > 0) await db.statement((tx) => removeTombstones(tx, workspaceId, back));
      },
    }),
  };
};
