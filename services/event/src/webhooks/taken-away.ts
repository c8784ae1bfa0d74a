import { unavailable, type WebhookMark, webhookMark, webhookMarkKey } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import { type Connections, type DatabaseLineage, Outdated } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tables, Tx } from '../context.ts';
import { type WebhookRow, webhooks } from './context.ts';

/** Another process may write the same mark. */
const maxTries = 20;
const rowsAtOnce = 100;

/** What the register has of a webhook from which something was taken away. */
const kept = ['state', 'url', 'types', 'board_id', 'created_by', 'secret', 'former_secret'] as const;

/** A webhook after a write; without `left` it is deleted. */
type Taken = Pick<WebhookRow, 'workspace_id' | 'id' | 'version'> & {
  left: Pick<WebhookRow, (typeof kept)[number] | 'former_secret_until'> | null;
};

const markOf = ({ version, left }: Taken): WebhookMark => ({
  version,
  left: left && {
    ...{ state: left.state, url: left.url, types: left.types, board_id: left.board_id, created_by: left.created_by },
    ...{ secret: left.secret, former_secret: left.former_secret },
    former_secret_until: left.former_secret_until?.toISOString() ?? null,
  },
});

/** Keeps what was taken away from webhooks away, also where their database falls back. */
export type TakenAway = ReturnType<typeof createTakenAway>;

/**
 * What is taken away from a receiver (deletion, pause, a former secret or URL) is in the register before it is in the
 * database, which may become an earlier one (ADR 0072).
 */
export const createTakenAway = (
  { db, bus: { register } }: Pick<Connections<Tables>, 'db' | 'bus'>,
  lineage: Pick<DatabaseLineage, 'met'>,
) => {
  /** The epoch in which all webhooks are known to have been compared. */
  let compared = 0;
  let comparing: Promise<void> | undefined;

  const read = async (key: string) => {
    const { value: mark, revision } = await register.read(key, webhookMark);
    return { mark, revision };
  };
  const note = async (taken: Taken): Promise<void> => {
    const key = webhookMarkKey(taken.workspace_id, taken.id);
    const next = markOf(taken);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { mark, revision } = await read(key);
      if (JSON.stringify(mark) === JSON.stringify(next)) return;
      if ((await register.write(key, next, revision)) !== undefined) return;
    }
    throw unavailable('The register changes all the time');
  };

  /** Of one webhook: nothing where it is compared already. */
  const compare = async ({ workspace_id, id }: Pick<WebhookRow, 'workspace_id' | 'id'>, epoch: number) => {
    const { mark } = await read(webhookMarkKey(workspace_id, id));
    await db.transaction(async (tx) => {
      const row = await webhooks.lock(tx, workspace_id, id);
      if (!row || row.epoch >= epoch) return;
      const one = tx.updateTable('webhooks').where('workspace_id', '=', workspace_id).where('id', '=', id);
      if (!mark || mark.version <= row.version) await one.set({ epoch }).execute();
      else if (mark.left === null) await removeWebhook(tx, row);
      else {
        const isOthers = mark.left.created_by !== row.created_by;
        const state = stateAfter(row, mark.left.state);
        const changes = { ...mark.left, state, version: mark.version, ...(isOthers && { taken_over_at: new Date() }) };
        await one.set({ ...changes, epoch }).execute();
      }
    });
  };
  const compareAll = async (epoch: number): Promise<void> => {
    for (;;) {
      const rows = await db.read((tx) => listBehind(tx, epoch));
      for (const row of rows) {
        await compare(row, epoch);
        failpoint('amid-comparison');
      }
      if (rows.length < rowsAtOnce) break;
    }
    compared = epoch;
  };

  return {
    /**
     * Takes over from the register what a database that fell back has forgotten. Called before anything is sent, or said of
     * a webhook.
     * @throws CardinalError `unavailable` where database or register are out of reach
     */
    upToDate: async (): Promise<number> => {
      const { epoch } = await lineage.met();
      if (compared < epoch) {
        comparing ??= compareAll(epoch).finally(() => {
          comparing = undefined;
        });
        await comparing;
      }
      return epoch;
    },
    /** What one write takes away, noted before it: the first try of its transaction ends where nothing is noted yet. */
    forWrite: () => {
      let noted: string | undefined;
      return {
        /** @throws Outdated which notes it, so that the transaction is tried again */
        require: (taken: Taken): void => {
          const text = JSON.stringify(markOf(taken));
          if (noted === text) return;
          throw new Outdated(async () => {
            await note(taken);
            noted = text;
          });
        },
        /** After the commit: a write that lost against this one may have noted something else. */
        confirm: note,
      };
    },
  };
};

/** One that failed or was disabled stays so; a pause comes and goes with the newer version. */
const stateAfter = ({ state }: WebhookRow, newer: string): WebhookRow['state'] =>
  newer === 'paused' || state === 'paused' ? newer : state;

/** Deletes a webhook and what waits for it. */
export const removeWebhook = async (tx: Tx, row: WebhookRow): Promise<void> => {
  await webhooks.remove(tx, row);
  const waiting = tx.deleteFrom('waiting_deliveries').where('workspace_id', '=', row.workspace_id);
  await waiting.where('webhook_id', '=', row.id).execute();
};

const listBehind = async (tx: Parameters<typeof webhooks.in>[0], epoch: number) => {
  const { rows } = await sql<Pick<WebhookRow, 'workspace_id' | 'id'>>`
    select workspace_id, id from webhooks where epoch < ${epoch} limit ${rowsAtOnce}`.execute(tx);
  return rows;
};
