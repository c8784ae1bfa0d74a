import * as contracts from '@cardinal/contracts';
import { notFound, requireFound } from '@cardinal/contracts';
import { appendEvents, resourceOf, runIdempotently } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { sql } from 'kysely';
import { cardUpdatedEvent } from '../cards/events.ts';
import { excluding, including } from '../cards/rules.ts';
import { writeCard } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { newRow, type RowOf, readPageAfter, rowsOf } from '../rows.ts';
import type { Tx } from '../store/database.ts';
import { runWrite } from '../write.ts';

const labels = rowsOf('labels');
const toLabel = resourceOf(contracts.label);

/** Labels of the workspace, and the cards that carry them. */
export const serveLabels = (context: ServiceContext): void => {
  const { bus, db } = context;

  bus.serve(contracts.createLabel, (request) => {
    const { workspace_id, body } = request;
    return db.transaction((tx) =>
      runIdempotently(tx, request, new Date(), async () =>
        toLabel(await labels.insert(tx, { ...newRow(), ...body, workspace_id })),
      ),
    );
  });

  bus.serve(contracts.getLabel, async ({ workspace_id, label_id }) =>
    toLabel(requireFound('Label', await db.read((tx) => labels.find(tx, workspace_id, label_id)))),
  );

  /** In the order in which they were made. */
  bus.serve(contracts.listLabels, async ({ workspace_id, page: asked }) => {
    const page = openPage(['labels', workspace_id], [sortKey.id], asked);
    const rows = await db.read((tx) => {
      const all = tx.selectFrom('labels').selectAll().where('workspace_id', '=', workspace_id);
      return readPageAfter(tx, all, 'id', { limit: page.limit, after: page.after?.[0] });
    });
    return page.cut(rows, toLabel, (row) => [row.id]);
  });

  /** Renames or recolors it; the cards that carry it stay as they are. */
  bus.serve(contracts.patchLabel, (request) =>
    runWrite(context, request, {
      what: 'Label',
      lock: (tx) => labels.lock(tx, request.workspace_id, request.label_id),
      write: async (tx, row, now) => toLabel(await labels.update(tx, row, request.body, now)),
    }),
  );

  /** The cards that carried it lose it, archived ones and those of deleted boards too. */
  bus.serve(contracts.deleteLabel, async (request) => {
    const { resource } = await runWrite(context, request, {
      what: 'Label',
      // Nobody puts it on a card any more.
      lock: (tx) => labels.lock(tx, request.workspace_id, request.label_id, 'references'),
      deletes: true,
      write: async (tx, label, now) => {
        await takeOffAllCards(tx, label, now);
        await labels.remove(tx, label);
        return { deleted: true } as const;
      },
    });
    return resource;
  });

  /** One that is there already is not put twice. */
  bus.serve(contracts.putCardLabel, async ({ label_id, ...request }) => {
    const { resource } = await writeCard(
      context,
      request,
      (_tx, card, isKnown: boolean) => {
        if (!isKnown) throw notFound('Label');
        return { label_ids: including(card.label_ids, label_id, 'labels') };
      },
      (tx) => lockLabelShared(tx, request.workspace_id, label_id),
    );
    return resource;
  });

  /** Changes nothing where the card does not carry it. */
  bus.serve(contracts.deleteCardLabel, async ({ label_id, ...request }) => {
    const { resource } = await writeCard(context, request, (_tx, card) => ({
      label_ids: excluding(card.label_ids, label_id),
    }));
    return resource;
  });
};

/**
 * Keeps a label from being deleted before the transaction ends; several writers may at once. Labels are locked before
 * cards, by whoever puts one on a card and by whoever takes it off all of them.
 * @returns whether there is such a label
 */
const lockLabelShared = async (tx: Tx, workspaceId: string, id: string): Promise<boolean> => {
  const label = tx.selectFrom('labels').select('id').where('workspace_id', '=', workspaceId).where('id', '=', id);
  return (await label.forKeyShare().executeTakeFirst()) !== undefined;
};

/**
 * Takes a locked label off the cards that carry it, with an event each. It passes all cards of the workspace: labels are
 * rarely deleted, and an index over label ids would be paid for by every card made.
 */
const takeOffAllCards = async (tx: Tx, { workspace_id, id }: RowOf<'labels'>, now: Date): Promise<void> => {
  const carriers = await tx
    .selectFrom('cards')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where(sql<boolean>`${id}::uuid = any (label_ids)`)
    .orderBy('id')
    .forUpdate()
    .execute();
  const rows = await tx
    .updateTable('cards')
    .set((eb) => ({
      label_ids: sql<string[]>`array_remove(label_ids, ${id}::uuid)`,
      version: eb('version', '+', 1),
      updated_at: now,
    }))
    .where('workspace_id', '=', workspace_id)
    .where(sql<boolean>`id = any (${carriers.map((card) => card.id)}::uuid[])`)
    .returning(['id', 'version', 'board_id', 'title', 'identifier', 'workstream_id', 'completed_at', 'archived_at'])
    .execute();
  await appendEvents(
    tx,
    rows.map((row) => cardUpdatedEvent(workspace_id, row, now)),
  );
};
