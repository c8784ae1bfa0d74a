import {
  type Lineage,
  lineageKey,
  lineage as lineageSchema,
  type NumberedDatabase,
  unavailable,
  type Witness,
} from '@cardinal/contracts';
import { gauge } from '@cardinal/runtime';
import { type Kysely, sql } from 'kysely';
import type { Connections } from './service.ts';

/** Pause between two rounds of the sweeper, ms: what is lost within it, with nothing else changed, is not recognized. */
export const tickMs = 1_000;
/** Another process may write the register at the same moment, or connections may break. */
const maxTries = 20;
/** Falls that the register lists. */
const maxFalls = 20;
/** Rounds of the sweeper without anything written after which it looks whether the register is still there. */
const quietRounds = 10;

/** The epoch that this process issues and grants in, and the database that it met in it. */
export interface Met {
  epoch: number;
  /** The oid of the table `workstreams`: a dump that is played into the living database makes another one. */
  table: number;
}

/**
 * The tick below which a database fell back: the one that the process remembers, or that of the register where it speaks of
 * the same history and is higher.
 */
export const leastTick = (remembered: Witness | undefined, known: Witness | undefined): number =>
  Math.max(remembered?.tick ?? 0, known && known.identity === remembered?.identity ? known.tick : 0);

/** What a service knows of its database's history. */
export type DatabaseLineage = ReturnType<typeof createLineage>;

/**
 * Recognizes a database that became another or an earlier one (architecture, "Lineage"; ADR 0042). When the card
 * database falls back its counters do too, so a new epoch begins and earlier grants are void. A process meets its
 * database when it starts, whenever the server behind its pool may have changed, and when a request names a later
 * epoch.
 * @param database the service whose database it is: its schema has the tables `lineage` and `workstreams`
 * @param reconcile makes the marks of the register and the database agree: called before the witness is written where
 * the register lacks it, or the database fell back
 */
export const createLineage = <Tables>(
  database: NumberedDatabase,
  { db, bus, logger, now }: Pick<Connections<Tables>, 'db' | 'bus' | 'logger' | 'now'>,
  { reconcile }: { reconcile?: () => Promise<unknown> } = {},
) => {
  const { register } = bus;
  let met: (Met & { generation: number }) | undefined;
  let meeting: Promise<Met> | undefined;
  /** The witness that this process knows, to restore a lost register. */
  let remembered: Witness | undefined;
  let written = false;
  let quiet = 0;
  let witnessed = false;
  gauge(
    {
      name: 'cardinal_lineage_epoch',
      help: 'Epoch in which numbers are issued; a fall of the card database begins one',
    },
    (one) => one.set(met?.epoch ?? 0),
  );
  gauge(
    { name: 'cardinal_lineage_witnessed', help: '1 where the register knows by what to recognize this database' },
    (one) => one.set(witnessed ? 1 : 0),
  );

  const read = async () => {
    const { value, revision } = await register.read(lineageKey);
    return { known: value === undefined ? undefined : lineageSchema.parse(value), revision };
  };

  /** One compare-and-set of the register, repeated after a write by another process. */
  const write = async (change: (known: Lineage | undefined) => Promise<Lineage | undefined>): Promise<void> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { known, revision } = await read();
      const next = await change(known);
      if (!next || (await register.write(lineageKey, next, revision)) !== undefined) return;
    }
    throw unavailable('The register changes all the time');
  };

  /** What the database says of itself, and of which server generation that is. */
  const readDatabase = async () => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const generation = db.serverGeneration();
      const state = await db.read(readState);
      if (generation === db.serverGeneration()) return { ...state, generation };
    }
    throw unavailable('The connections to the database break all the time');
  };

  /** The register is read before the database: so the tick that it has is never above the database's without a fall. */
  const meet = async (): Promise<Met> => {
    let state: (DatabaseState & { generation: number }) | undefined;
    let epoch = 0;
    await write(async (known) => {
      state = await readDatabase();
      const { epoch: reached, identity, tick } = state;
      const found = { identity, tick };
      const before = known?.witnesses[database] ?? remembered;
      const fell = before && (before.identity !== found.identity || before.tick > found.tick);
      // A register that was wiped begins where the database is.
      epoch = Math.max(known?.epoch ?? 1, reached, met?.epoch ?? 0) + (fell && database === 'card' ? 1 : 0);
      witnessed = known?.witnesses[database] !== undefined;
      if (!before) logger.warn({ epoch, ...found }, 'the register has no witness of the database, which is trusted');
      if (!fell) return known?.epoch === epoch ? undefined : { witnesses: {}, falls: [], ...known, epoch };
      const fall = { database, at: now().toISOString(), epoch, from: before, to: found };
      logger.error(fall, 'the database is another or an earlier one');
      await reconcile?.();
      return {
        epoch,
        witnesses: { ...known?.witnesses, [database]: found },
        falls: [...(known?.falls ?? []), fall].slice(-maxFalls),
      };
    });
    if (!state) throw unavailable('The database was not met');
    const { generation, table, identity, tick } = state;
    if (state.epoch < epoch) await db.statement((tx) => raiseEpoch(tx, epoch));
    remembered = { identity, tick };
    met = { generation, epoch, table };
    return met;
  };

  const current = (): Met | undefined => (met?.generation === db.serverGeneration() ? met : undefined);
  const meetOnce = (): Promise<Met> => {
    meeting ??= meet().finally(() => {
      meeting = undefined;
    });
    return meeting;
  };

  /**
   * The counter in the database rises first, then the witness. One that is below the register's does not rise: it would hide
   * that the database fell back.
   */
  const tick = async (): Promise<void> => {
    if (!current()) await meetOnce();
    const before = (await read()).known?.witnesses[database];
    const least = leastTick(remembered, before);
    const witness = await db.statement(async (tx) => (current() ? raiseTick(tx, least) : undefined));
    if (!current() || !remembered) throw unavailable('The database became another one meanwhile');
    // Rows that were replaced under living connections.
    if (!witness || witness.identity !== remembered.identity) met = undefined;
    if (!witness || !met) {
      // What was written here has no tick yet.
      written = true;
      await meetOnce();
      return;
    }
    remembered = witness;
    const { epoch } = met;
    let isMissing = false;
    await write(async (known) => {
      const before = known?.witnesses[database];
      isMissing = before === undefined;
      if (before && (before.identity !== witness.identity || before.tick >= witness.tick)) return undefined;
      if (isMissing) await reconcile?.();
      return {
        falls: [],
        ...known,
        epoch: Math.max(known?.epoch ?? 1, epoch),
        witnesses: { ...known?.witnesses, [database]: witness },
      };
    });
    if (isMissing) logger.warn(witness, 'the register had no witness of the database, and was written again');
    witnessed = true;
  };

  return {
    /**
     * The epoch in which numbers count, with a connection of the database in hand; undefined where the server behind it was
     * not met yet.
     */
    current,
    /**
     * Meets the database where that has not been done.
     * @throws CardinalError `unavailable` where the database or the register is out of reach
     */
    met: async (): Promise<Met> => current() ?? meetOnce(),
    /**
     * Meets the database again where the register names another epoch by now.
     * @throws CardinalError `unavailable` as `met`
     */
    refresh: async (): Promise<Met> => {
      const { known } = await read();
      const mine = current();
      return mine && known?.epoch === mine.epoch ? mine : meetOnce();
    },
    /** Demands that the database is met before the next number: it is not as it was. */
    forget: (): void => {
      met = undefined;
    },
    /** Something was committed that must not be forgotten: the witness follows within a second. */
    noteWrite: (): void => {
      written = true;
    },
    /** One round of the sweeper, which comes every second. */
    sweep: async (): Promise<void> => {
      quiet += 1;
      if (!written && quiet < quietRounds && witnessed) return;
      if (!written && witnessed && (await read()).known?.witnesses[database]) {
        quiet = 0;
        return;
      }
      written = false;
      quiet = 0;
      await tick().catch((error) => {
        written = true;
        throw error;
      });
    },
  };
};

interface DatabaseState extends Witness {
  epoch: number;
  table: number;
}

/** System, timeline, database and tables, which identify one history of a database. Every role may read them. */
const identity = sql<string>`concat_ws('/',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()),
  'workstreams'::regclass::oid)`;

const readState = async <Tables>(tx: Kysely<Tables>): Promise<DatabaseState> => {
  const { rows } = await sql<DatabaseState>`
    select epoch, tick, ${identity} as identity, 'workstreams'::regclass::oid::bigint as "table" from lineage`.execute(
    tx,
  );
  if (!rows[0]) throw unavailable('The table lineage is empty');
  return rows[0];
};

const raiseEpoch = async <Tables>(tx: Kysely<Tables>, epoch: number): Promise<void> => {
  await sql`update lineage set epoch = greatest(epoch, ${epoch})`.execute(tx);
};

/** @returns undefined where the tick is below one that is known */
const raiseTick = async <Tables>(tx: Kysely<Tables>, known: number): Promise<Witness | undefined> => {
  const { rows } = await sql<Witness>`
    update lineage set tick = tick + 1 where tick >= ${known} returning tick, ${identity} as identity`.execute(tx);
  return rows[0];
};
