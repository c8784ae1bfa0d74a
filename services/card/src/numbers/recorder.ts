import { setTimeout as pause } from 'node:timers/promises';
import {
  type IssuedIdentifier,
  issuedIdentifier,
  type listUnrecorded as listUnrecordedContract,
  type listUnrecordedOfWorkspace,
  recordedAtOnce,
  recordIdentifiers,
  unrecordedAtOnce,
} from '@cardinal/contracts';
import { commitsWithoutDisk, countUpTo, type Database, prepared, purge, readPageRows, resourceOf } from '@cardinal/db';
import { coalesce, failpoint, inBackground } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Reader, Tables } from '../database.ts';
import { emptyRange } from './ranges.ts';

/** The most identifiers that wait in memory. The sweeper sends all others. */
const maxWaiting = 10_000;
/** Pause after a batch, ms. Identifiers that are issued meanwhile share the next message and its statements. */
const restMs = 25;

/**
 * Creates the recorder, which sends issued identifiers to the ledger (ARCHITECTURE, "Numbers").
 * @param ageMs the sweeper sends an unrecorded identifier from this age on, ms
 */
export const createRecorder = ({ db, bus, logger, now }: Connections<Tables>, ageMs: number) => {
  const underWay = new Set<Promise<void>>();
  /** Each process reports a refused identifier once. It stays refused until an operator repairs it. */
  const refusedBefore = new Set<string>();

  const send = async (issued: readonly IssuedIdentifier[]): Promise<void> => {
    failpoint('before-record');
    const { refused } = await bus.call(recordIdentifiers, { issued: [...issued] });
    failpoint('between-record-and-mark');
    const refusedKeys = new Set(refused.map(({ workspace_id, identifier }) => `${workspace_id}/${identifier}`));
    const recorded = issued.filter(({ workspace_id, identifier }) => !refusedKeys.has(`${workspace_id}/${identifier}`));
    if (recorded.length > 0) {
      const keys = [recorded.map((one) => one.workspace_id), recorded.map((one) => one.identifier)];
      await db.statement((tx) => markRecorded.run(tx, [...keys, now()]));
    }
    for (const one of refused) await refuse(one);
  };

  /**
   * Empties the range of a refused identifier. Its counter is behind the ledger, as after a restore, and the next grant
   * corrects it.
   */
  const refuse = async ({ workspace_id, workstream_id, identifier, card_id }: IssuedIdentifier): Promise<void> => {
    if (refusedBefore.has(card_id + identifier)) return;
    refusedBefore.add(card_id + identifier);
    logger.error({ workspace_id, identifier, card_id }, 'an identifier was issued that belongs to another card');
    await db.statement((tx) => emptyRange(tx, workspace_id, workstream_id));
  };

  const batches = coalesce<IssuedIdentifier, undefined>({
    name: 'identifier_records',
    maxBatch: recordedAtOnce,
    // The returned error keeps `coalesce` from trying each identifier alone: the sweeper retries.
    run: async (issued) => {
      const error = await send(issued).then(() => undefined, asError);
      await pause(restMs);
      return issued.map(() => error);
    },
  });

  return {
    /**
     * Sends the identifiers of a committed transaction to the ledger, in the background. The sweeper retries failures.
     */
    record: (issued: readonly IssuedIdentifier[]): void => {
      for (const one of issued) {
        if (underWay.size >= maxWaiting) return;
        const done: Promise<void> = inBackground(() => batches.submit(one))
          .catch((error) =>
            logger.debug(
              { err: error, identifier: one.identifier },
              'an identifier was not recorded; the sweeper will send it again',
            ),
          )
          .finally(() => underWay.delete(done));
        underWay.add(done);
      }
    },

    /** Runs one round of the sweeper: sends all unrecorded identifiers of the given age. */
    sweep: async (): Promise<void> => {
      const now = Date.now();
      const lately = { from: new Date(now - ageMs), to: new Date(now) };
      let after: IssuedIdentifier | undefined;
      do {
        const page = await db.read((tx) => listUnrecorded(tx, lately, after));
        if (page.length > 0) await send(page);
        after = page.length === recordedAtOnce ? page.at(-1) : undefined;
      } while (after);
    },

    /**
     * Sends identifiers to the ledger and waits for its answer.
     * @throws CardinalError `unavailable` where the ledger does not answer
     */
    deliver: async (issued: readonly IssuedIdentifier[]): Promise<void> => {
      for (let from = 0; from < issued.length; from += recordedAtOnce) {
        await send(issued.slice(from, from + recordedAtOnce));
      }
    },

    /** Resolves when no identifier waits in memory. */
    idle: () => Promise.all(underWay),
  };
};

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const unrecorded = (tx: Reader) => tx.selectFrom('issued').selectAll().where('recorded_at', 'is', null);

const toIssued = resourceOf(issuedIdentifier);

/**
 * Lists at most `recordedAtOnce` unrecorded identifiers of all workspaces.
 * @param lately the interval to leave out: its identifiers are still in memory. Times after it come from a clock that
 *   is ahead
 * @param last the last identifier of the page before
 */
const listUnrecorded = async (tx: Reader, lately: { from: Date; to: Date }, last: IssuedIdentifier | undefined) => {
  const leftOver = unrecorded(tx).where((row) => row.not(row.between('assigned_at', lately.from, lately.to)));
  const rows = await readPageRows(tx, leftOver, {
    by: ['workspace_id', 'card_id', 'identifier'],
    after: last && [last.workspace_id, last.card_id, last.identifier],
    // `readPageRows` reads one more.
    limit: recordedAtOnce - 1,
  });
  return rows.map(toIssued);
};

/**
 * Lists the unrecorded identifiers of a card, the current one first (`card.list-unrecorded`).
 * @param current the card's current identifier
 */
export const unrecordedOfCard = async (
  tx: Reader,
  { workspace_id, card_id, from_version, limit }: z.output<typeof listUnrecordedContract.request>,
  current: string,
) => {
  const isCurrent = sql<boolean>`identifier = ${current}`;
  const rows = await unrecorded(tx)
    .where(({ and }) => and({ workspace_id, card_id }))
    .where((row) => row.or([isCurrent, row('card_version', '>=', from_version)]))
    .orderBy(isCurrent, 'desc')
    .orderBy('card_version')
    .limit(limit)
    .execute();
  return rows.map(toIssued);
};

/** Lists the unrecorded identifiers of cards. */
export const unrecordedOfCards = async (
  tx: Reader,
  workspaceId: string,
  ids: string[],
): Promise<IssuedIdentifier[]> => {
  const rows = await unrecorded(tx)
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`card_id = any (${ids}::uuid[])`)
    .execute();
  return rows.map(toIssued);
};

/** Lists a page of the unrecorded identifiers of a workspace (`card.list-unrecorded-of-workspace`). */
export const unrecordedOfWorkspace = async (
  tx: Reader,
  { workspace_id, after }: z.output<typeof listUnrecordedOfWorkspace.request>,
) => {
  const rows = await readPageRows(tx, unrecorded(tx).where('workspace_id', '=', workspace_id), {
    by: ['card_id', 'identifier'],
    after: after && [after.card_id, after.identifier],
    // `readPageRows` reads one more.
    limit: unrecordedAtOnce - 1,
  });
  return rows.map(toIssued);
};

/**
 * Marks identifiers as recorded. It locks them in the order of their keys, so that two processes cannot deadlock. A lost
 * mark makes the sweeper send the identifier again, so the commit does not wait for the disk.
 *
 * $1 their workspaces, $2 the identifiers, $3 the time
 */
export const markRecorded = prepared(
  'mark-recorded',
  `with found as (
  select found.*
  from (
    select * from unnest($1::uuid[], $2::text[]) as sent (workspace_id, identifier) order by workspace_id, identifier
  ) as sent
  -- With "recorded_at is null" here, the index of unrecorded identifiers would be read for each of them. In the update, that
  -- condition makes the planner expect one row, and so find the rows to update by their keys.
  cross join lateral (
    select workspace_id, identifier, recorded_at from issued
    where issued.workspace_id = sent.workspace_id and issued.identifier = sent.identifier
    for no key update
  ) as found
)
update issued set recorded_at = $3::timestamptz
from found
where issued.workspace_id = found.workspace_id and issued.identifier = found.identifier
  and found.recorded_at is null and ${commitsWithoutDisk}`,
);

/** The retention of recorded identifiers, hours. They fill a ledger that was restored (ARCHITECTURE, "Numbers"). */
export const issuedHours = 7 * 24;

/**
 * Deletes identifiers that were recorded before `olderThan`. The identifiers of a workstream that adopts stay, because
 * adoptions check against them.
 * @returns how many it deleted
 */
export const purgeIssued = (db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(
    db,
    'issued',
    sql`recorded_at < ${olderThan} and not exists (
      select from workstreams as own
      where own.workspace_id = issued.workspace_id and own.id = issued.workstream_id and own.adopting and not own.closed)`,
  );

/** Gauges of the unrecorded identifiers, for `sqlGauges`. They read the index of unrecorded identifiers. */
export const issuedGauges = {
  cardinal_unrecorded_identifiers: {
    help: 'Identifiers that the ledger may not have yet, counted up to 10,000',
    value: countUpTo(sql`select 1 from issued where recorded_at is null order by workspace_id, card_id`),
  },
  cardinal_unrecorded_identifiers_oldest_seconds: {
    help: 'Age of the oldest identifier that the ledger may not have yet, of 10,000 at most; 0 where there is none',
    value: sql<number>`coalesce((
      select extract(epoch from now() - min(assigned_at))::float8
      from (
        select assigned_at from issued where recorded_at is null order by workspace_id, card_id limit 10000
      ) as waiting), 0)`,
  },
};
