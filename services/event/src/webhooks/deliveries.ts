import { type Delivery, listDeliveries, requireFound } from '@cardinal/contracts';
import { type Database, purge, readPageRows } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { type Insertable, type Selectable, sql } from 'kysely';
import { v7 } from 'uuid';
import type { Tables } from '../context.ts';
import { type WebhookContext, webhooks } from './context.ts';
import { requireCreator } from './ownership.ts';

/** Retention of the list of deliveries, days (CONTRACT 10.1). */
export const deliveryDays = 30;

const toDelivery = (row: Selectable<Tables['deliveries']>): Delivery => {
  const { id, event_id, type, seq, attempt, status, milliseconds, answer, error, next_try_at, at } = row;
  return {
    id,
    event: event_id === null || type === null ? null : { id: event_id, type, seq },
    attempt,
    status,
    milliseconds,
    answer,
    error,
    next_try_at: next_try_at?.toISOString() ?? null,
    at: at.toISOString(),
  };
};

/** Serves the list of deliveries of a webhook to its creator, latest first; none from before a take-over (CONTRACT 10.1). */
export const serveDeliveries = ({ bus, db }: WebhookContext): void => {
  bus.serve(listDeliveries, async ({ workspace_id, webhook_id, page: request, ...caller }) => {
    const { after, cut, limit } = openPage(['deliveries', workspace_id, webhook_id], [sortKey.id], request);
    const rows = await db.read(async (tx) => {
      const row = requireFound('Webhook', await webhooks.find(tx, workspace_id, webhook_id));
      requireCreator(row, caller);
      const all = tx.selectFrom('deliveries').selectAll().where('workspace_id', '=', workspace_id);
      const own = all.where('webhook_id', '=', webhook_id).where('at', '>=', row.taken_over_at ?? new Date(0));
      const list = own.orderBy('id', 'desc');
      return readPageRows(tx, after ? list.where('id', '<', after[0]) : list, { limit });
    });
    return cut(rows, toDelivery, (row) => [row.id]);
  });
};

/** Adds one attempt to the list of deliveries. */
export const insertDelivery = async (
  db: Database<Tables>,
  delivery: Omit<Insertable<Tables['deliveries']>, 'id'>,
): Promise<void> => {
  await db.statement((tx) =>
    tx
      .insertInto('deliveries')
      .values({ id: v7(), ...delivery })
      .execute(),
  );
};

/** Deletes attempts that ended before `olderThan`. @returns how many */
export const purgeDeliveries = (db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'deliveries', sql`at < ${olderThan}`);
