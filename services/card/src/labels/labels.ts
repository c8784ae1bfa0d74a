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

const toLabel = resourceOf(contracts.label);

/** Labels of the workspace, and the cards that carry them. */
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

  bus.serve(contracts.listLabels, async ({ workspace_id, page: asked }) => {
    const page = openPage(['labels', workspace_id], [sortKey.id], asked);
    const rows = await db.read((tx) => readPageRows(tx, labels.in(tx, workspace_id), { by: ['id'], ...page }));
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

  /** The cards that carried it lose it, archived ones and those of deleted boards too. */
  bus.serve(contracts.deleteLabel, (request) =>
    runDelete(context, request, {
      what: 'Label',
      // The lock keeps others from adding it to a card.
      lock: (tx) => labels.lock(tx, request.workspace_id, request.label_id, 'references'),
      write: async (tx, label, now) => {
        await takeOffAllCards(tx, label, now);
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
      // Before the card, as where a label is deleted; several writers may hold it at once.
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
 * Takes a locked label off the cards that carry it. It passes all cards of the workspace: labels are
 * rarely deleted, and an index over label ids would be paid for by every card made.
 */
const takeOffAllCards = async (tx: Tx, { workspace_id, id }: RowOf<'labels'>, now: Date): Promise<void> => {
  await sql`
    with carriers as materialized (
      select id from cards where workspace_id = ${workspace_id} and ${id}::uuid = any (label_ids) order by id for update
    )
    update cards set label_ids = array_remove(label_ids, ${id}::uuid), version = version + 1, updated_at = ${now}
    from carriers where cards.workspace_id = ${workspace_id} and cards.id = carriers.id`.execute(tx);
};

/** Finds labels of a workspace and keeps them from being deleted; several writers may hold them. They are locked before cards. */
export const holdLabels = async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const named = labels
    .in(tx, workspaceId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forKeyShare();
  return new Set((await named.execute()).map(({ id }) => id));
};
