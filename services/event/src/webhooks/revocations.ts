import { type WebhookMark, webhookMark, webhookMarkKey } from '@cardinal/contracts';
import { type Connections, comparedWithRegister, type DatabaseLineage, Outdated, recordMark } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tables, Tx } from '../context.ts';
import { type WebhookRow, webhooks } from './context.ts';

/** The columns that a mark in the register holds. */
const marked = [
  ...(['state', 'url', 'types', 'board_id', 'changed', 'private_boards'] as const),
  ...(['created_by', 'secret', 'former_secret'] as const),
] as const;

/** A webhook after the write that revokes something; `left` null: it is deleted. */
type Revoked = Pick<WebhookRow, 'workspace_id' | 'id' | 'version'> & {
  left: Pick<WebhookRow, (typeof marked)[number] | 'former_secret_until'> | null;
};

const markOf = ({ version, left }: Revoked): WebhookMark => ({
  version,
  left: left && {
    state: left.state,
    url: left.url,
    types: left.types,
    board_id: left.board_id,
    changed: left.changed,
    private_boards: left.private_boards,
    created_by: left.created_by,
    secret: left.secret,
    former_secret: left.former_secret,
    former_secret_until: left.former_secret_until?.toISOString() ?? null,
  },
});

/** Makes revocations survive a rollback of the database (`createRevocations`). */
export type Revocations = ReturnType<typeof createRevocations>;

/**
 * Creates the writer and reader of revocations (ADR 0072). A revocation takes something away from a receiver: a deletion, a pause,
 * a rotated secret, a former URL. It is written to the register before it commits in the database, and restored from there after a
 * rollback of the database.
 */
export const createRevocations = (
  { db, bus: { register } }: Pick<Connections<Tables>, 'db' | 'bus'>,
  lineage: Pick<DatabaseLineage, 'met'>,
) => {
  const read = async (key: string) => {
    const { value: mark, revision } = await register.read(key, webhookMark);
    return { mark, revision };
  };
  const record = (revoked: Revoked): Promise<void> => {
    const mark = markOf(revoked);
    return recordMark(register, webhookMarkKey(revoked.workspace_id, revoked.id), {
      schema: webhookMark,
      next: (known) => (JSON.stringify(known) === JSON.stringify(mark) ? undefined : mark),
    });
  };

  /** Compares a webhook with its mark and applies a newer mark. Does nothing if it was compared in this epoch. */
  const compare = async ({ workspace_id, id }: Pick<WebhookRow, 'workspace_id' | 'id'>, epoch: number) => {
    const { mark } = await read(webhookMarkKey(workspace_id, id));
    await db.transaction(async (tx) => {
      const row = await webhooks.lock(tx, workspace_id, id);
      if (!row || row.epoch >= epoch) return;
      const one = tx.updateTable('webhooks').where('workspace_id', '=', workspace_id).where('id', '=', id);
      if (!mark || mark.version <= row.version) await one.set({ epoch }).execute();
      else if (mark.left === null) await removeWebhook(tx, row);
      else {
        const isTakenOver = mark.left.created_by !== row.created_by;
        const state = stateAfter(row, mark.left.state);
        const changes = {
          ...mark.left,
          state,
          version: mark.version,
          ...(isTakenOver && { taken_over_at: new Date() }),
        };
        await one.set({ ...changes, epoch }).execute();
      }
    });
  };

  return {
    /**
     * Restores the revocations that a rollback of the database undid. Awaited before events are sent and requests are answered.
     * @returns the present epoch
     * @throws CardinalError `unavailable` if the database or the register cannot be reached
     */
    upToDate: comparedWithRegister(lineage, {
      list: (epoch, limit) => db.read((tx) => listUncompared(tx, epoch, limit)),
      compare,
    }),
    /** For one write: the first try of its transaction rolls back, the revocation is recorded, a second try writes. */
    forWrite: () => {
      let recorded: string | undefined;
      return {
        /** Returns once the revocation is in the register. @throws Outdated, which records it and repeats the transaction */
        require: (revoked: Revoked): void => {
          const text = JSON.stringify(markOf(revoked));
          if (recorded === text) return;
          throw new Outdated(async () => {
            await record(revoked);
            recorded = text;
          });
        },
        /** Records the revocation again after the commit: a concurrent write that lost may have overwritten it. */
        confirm: record,
      };
    },
  };
};

/** Returns the state after a rollback. Only a pause is taken from the mark; `failing` and `disabled` stay as in the database. */
const stateAfter = ({ state }: WebhookRow, newer: string): WebhookRow['state'] =>
  newer === 'paused' || state === 'paused' ? newer : state;

/** Deletes a webhook and its waiting lanes. */
export const removeWebhook = async (tx: Tx, row: WebhookRow): Promise<void> => {
  await webhooks.remove(tx, row);
  const waiting = tx.deleteFrom('waiting_deliveries').where('workspace_id', '=', row.workspace_id);
  await waiting.where('webhook_id', '=', row.id).execute();
};

/** Returns webhooks that were not compared since the last rollback. */
const listUncompared = async (tx: Parameters<typeof webhooks.in>[0], epoch: number, limit: number) => {
  const { rows } = await sql<Pick<WebhookRow, 'workspace_id' | 'id'>>`
    select workspace_id, id from webhooks where epoch < ${epoch} limit ${limit}`.execute(tx);
  return rows;
};
