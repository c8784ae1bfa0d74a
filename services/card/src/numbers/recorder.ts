import { setTimeout as pause } from 'node:timers/promises';
import { type IssuedIdentifier, recordedAtOnce, recordIdentifiers } from '@cardinal/contracts';
import { coalesce, failpoint, inBackground } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Tables } from '../database.ts';
import type { Grants } from './grants.ts';
import { listUnrecorded, markRecorded } from './issued.ts';
import { emptyRange } from './workstreams.ts';

/** Identifiers that may wait in memory; the sweeper takes what comes on top of them. */
const mostWaiting = 10_000;
/** Pause after a batch, ms: what is issued meanwhile shares the next one's message and statements. */
const restMs = 25;

/**
 * Sets up what brings issued identifiers to the ledger (architecture, "One transaction", 3).
 * @param ageMs age from which the sweeper takes an identifier for left over, ms
 */
export const createRecorder = (
  { db, bus, logger }: Connections<Tables>,
  grants: Grants,
  { ageMs }: { ageMs: number },
) => {
  const underWay = new Set<Promise<void>>();
  /** Told once by this process: they stay as they are until somebody looks. */
  const refusedBefore = new Set<string>();

  const send = async (issued: readonly IssuedIdentifier[]): Promise<void> => {
    failpoint('before-record');
    const { refused } = await bus.call(recordIdentifiers, { issued: [...issued] });
    failpoint('between-record-and-mark');
    const others = new Set(refused.map(({ workspace_id, identifier }) => `${workspace_id}/${identifier}`));
    const recorded = issued.filter(({ workspace_id, identifier }) => !others.has(`${workspace_id}/${identifier}`));
    if (recorded.length > 0) await db.statement((tx) => markRecorded(tx, recorded, new Date()));
    for (const one of refused) await refuse(one);
  };

  /** The counter is behind the ledger, as after a backup was restored: the next grant sets it right. */
  const refuse = async ({ workspace_id, workstream_id, identifier, card_id }: IssuedIdentifier): Promise<void> => {
    if (refusedBefore.has(card_id + identifier)) return;
    refusedBefore.add(card_id + identifier);
    logger.error({ workspace_id, identifier, card_id }, 'an identifier was issued that belongs to another card');
    await db.statement((tx) => emptyRange(tx, workspace_id, workstream_id));
    grants.forget(workspace_id, workstream_id);
  };

  const batches = coalesce<IssuedIdentifier, undefined>({
    name: 'identifier_records',
    maxBatch: recordedAtOnce,
    // A batch that fails as a whole is not tried one by one: the sweeper comes.
    run: async (issued) => {
      const error = await send(issued).then(() => undefined, asError);
      await pause(restMs);
      return issued.map(() => error);
    },
  });

  return {
    /** Sends what a committed transaction issued, in the background; what fails is left to the sweeper. */
    record: (issued: readonly IssuedIdentifier[]): void => {
      for (const one of issued) {
        if (underWay.size >= mostWaiting) return;
        const done: Promise<void> = inBackground(() => batches.submit(one))
          .catch((error) => logger.debug({ err: error, identifier: one.identifier }, 'not recorded yet'))
          .finally(() => underWay.delete(done));
        underWay.add(done);
      }
    },

    /** One round of the sweeper: sends everything that is left over. */
    sweep: async (): Promise<void> => {
      const before = new Date(Date.now() - ageMs);
      let after: IssuedIdentifier | undefined;
      do {
        const page = await db.read((tx) => listUnrecorded(tx, { before, after, limit: recordedAtOnce }));
        if (page.length > 0) await send(page);
        after = page.length === recordedAtOnce ? page.at(-1) : undefined;
      } while (after);
    },

    /** Resolves when nothing is under way. */
    idle: () => Promise.all(underWay),
  };
};

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
