import * as contracts from '@cardinal/contracts';
import { requireFound } from '@cardinal/contracts';
import { newRow, readPageRows, resourceOf } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { runCreate, runDelete, runWrite } from '@cardinal/service';
import { sql } from 'kysely';
import { excluding, including } from '../cards/rules.ts';
import { setOnCard } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { labels, type RowOf, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { hasName, nameIn } from '../names.ts';

const toLabel = resourceOf(contracts.label);

/** Serves the requests on labels, and on the labels of cards (CONTRACT 6.4). */
export const serveLabels = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createLabel, (request) => {
    const { workspace_id, body } = request;
    return runCreate(
      context,
      request,
      async (tx) => toLabel(await labels.insert(tx, { ...newRow(), ...body, workspace_id })),
      (data, now) => eventOf('label.created', request, now, { data }),
    );
  });

  bus.serve(contracts.getLabel, async ({ workspace_id, label_id }) =>
    toLabel(requireFound('Label', await db.read((tx) => labels.find(tx, workspace_id, label_id)))),
  );

  bus.serve(contracts.listLabels, async ({ workspace_id, name, page: asked }) => {
    const page = openPage(['labels', workspace_id, ...nameIn(name)], [sortKey.id], asked);
    const rows = await db.read((tx) => {
      const all = labels.in(tx, workspace_id).$if(name !== undefined, (query) => query.where(hasName(name)));
      return readPageRows(tx, all, { by: ['id'], ...page });
    });
    return page.cut(rows, toLabel, (row) => [row.id]);
  });

  bus.serve(contracts.patchLabel, (request) =>
    runWrite(context, request, {
      what: 'Label',
      lock: (tx) => labels.lock(tx, request.workspace_id, request.label_id),
      write: async (tx, row, now) => toLabel(await labels.update(tx, row, request.body, now)),
      event: (row, data, now) => eventOf('label.updated', request, now, { before: toLabel(row), data }),
    }),
  );

  /** Deletes a label, and removes it from all cards, archived cards and cards of deleted boards too. */
  bus.serve(contracts.deleteLabel, (request) =>
    runDelete(context, request, {
      what: 'Label',
      // While this lock is held, no write adds the label to a card.
      lock: (tx) => labels.lock(tx, request.workspace_id, request.label_id, 'references'),
      write: async (tx, label, now) => {
        await removeFromCards(tx, label, now);
        await labels.remove(tx, label);
      },
      event: (label, _gone, now) => eventOf('label.deleted', request, now, { before: toLabel(label) }),
    }),
  );

  bus.serve(contracts.putCardLabel, ({ label_id, ...request }) =>
    setOnCard(
      context,
      request,
      (_tx, { label_ids }) => ({ label_ids: including(label_ids, label_id, 'labels') }),
      // Labels are locked before cards, as in the deletion of a label. Several writers can hold this lock at once.
      async (tx) => {
        const label = labels.in(tx, request.workspace_id).where('id', '=', label_id).forKeyShare();
        requireFound('Label', await label.executeTakeFirst());
      },
    ),
  );

  bus.serve(contracts.deleteCardLabel, ({ label_id, ...request }) =>
    setOnCard(context, request, (_tx, { label_ids }) => ({ label_ids: excluding(label_ids, label_id) })),
  );
};

/**
 * Removes a locked label from all cards. The statement scans all cards of the workspace: labels are rarely deleted, and
 * every create would pay for an index over label ids.
 */
const removeFromCards = async (tx: Tx, { workspace_id, id }: RowOf<'labels'>, now: Date): Promise<void> => {
  await sql`
    with carriers as materialized (
      select id from cards where workspace_id = ${workspace_id} and ${id}::uuid = any (label_ids) order by id for update
    )
    update cards set label_ids = array_remove(label_ids, ${id}::uuid), version = version + 1, updated_at = ${now}
    from carriers where cards.workspace_id = ${workspace_id} and cards.id = carriers.id`.execute(tx);
};

/**
 * Locks labels against deletion. Several writers can hold this lock at once. Lock labels before cards.
 * @returns the ids of those that exist
 */
export const lockLabels = async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const locked = labels
    .in(tx, workspaceId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forKeyShare();
  return new Set((await locked.execute()).map(({ id }) => id));
};
