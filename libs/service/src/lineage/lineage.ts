import {
  type Lineage,
  leastMargin,
  newBehindMarginDays,
  unavailable,
  type Witness,
  type WitnessedDatabase,
} from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import { gauge, newContext, runInContext } from '@cardinal/runtime';
import type { Kysely, RawBuilder } from 'kysely';
import type { Connections } from '../service.ts';
import {
  claimAdvance,
  type DatabaseState,
  noteMet,
  raiseTick,
  readBeginning,
  readState,
  readWitness,
} from './queries.ts';
import { openLineageRegister } from './register.ts';
import { daysBegun, leastTick, type Verdict, verdictOf } from './verdict.ts';

/**
 * Pause between two rounds of the sweeper, ms. A database that keeps its identity and is set back to a state younger than
 * that is not detected.
 */
export const tickMs = 1_000;
/** Connections may break, or the database may become another one meanwhile. */
const maxTries = 20;
/** Most rollbacks that the register lists. */
const maxRollbacks = 20;
/** Rounds without a write after which the sweeper checks that the register still has the witness. */
const quietRounds = 10;
/** Rounds without a write after which the tick rises anyway: its time shows when a process last ran. */
const restRounds = 60;
/** Deadline of one meeting, ms: it compares the marks of many workstreams. */
const meetingMs = 60_000;

/** The epoch in which this process issues and grants, and the database that it met in it. */
export interface Met {
  epoch: number;
  /** The oid of the table with the counters. A dump that is loaded into the living database creates another table. */
  table: number;
  /** The server generation of the pool at that time. */
  generation: number;
}

/** Knows the history of a service's database. */
export type DatabaseLineage = ReturnType<typeof createLineage>;

interface Margin {
  /** Days begun since the last write. */
  days: number;
  /** The least by which each counter rises. */
  least: number;
}

interface Options<Tables> {
  /** An SQL condition: numbers were issued or granted from the database. */
  hasIssued: RawBuilder<boolean>;
  /**
   * Raises every counter where nobody knows which numbers were given out.
   * @returns the largest margin
   */
  advance?: (tx: Transaction<Tables>, margin: Margin) => Promise<number>;
  /**
   * Makes the marks of register and database agree. Called before a witness is written that differs from the known one.
   */
  reconcile?: () => Promise<unknown>;
  /** TRUST_DATABASES: a database without a witness in the register is the latest one. */
  isTrusted?: boolean;
}

/**
 * Detects that a database was restored, rolled back or failed over with a loss (ARCHITECTURE, "Lineage"; ADR 0042, ADR
 * 0071). A new epoch begins then, in which only its own grants count. Where nobody knows which numbers were given out
 * before, numbers skip a margin. A process meets its database at its start, when the server behind its pool
 * may have changed, and when a request names a later epoch.
 * @param database the service that owns the database; its schema has the table `lineage`
 */
export const createLineage = <Tables>(
  database: WitnessedDatabase,
  { db, bus, logger, now }: Pick<Connections<Tables>, 'db' | 'bus' | 'logger' | 'now'>,
  { hasIssued, advance, reconcile, isTrusted = false }: Options<Tables>,
) => {
  const register = openLineageRegister(database, bus.register);
  let met: Met | undefined;
  let meeting: Promise<Met> | undefined;
  /** Its own witness, to restore a lost register. */
  let remembered: Pick<Witness, 'identity' | 'tick'> | undefined;
  let written = true;
  let quiet = 0;
  let witnessed = false;
  gauge(
    {
      name: 'cardinal_lineage_epoch',
      help: 'Epoch in which numbers are issued; a rollback of the database begins one',
    },
    (one) => one.set(met?.epoch ?? 0),
  );
  gauge({ name: 'cardinal_lineage_witnessed', help: '1 if the register has a witness of this database' }, (one) =>
    one.set(witnessed ? 1 : 0),
  );

  /** Reads the database's state and the server generation that it is of. */
  const readDatabase = async () => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const generation = db.serverGeneration();
      const state = await db.read((tx) => readState(tx, database, hasIssued));
      if (generation === db.serverGeneration()) return { ...state, generation };
    }
    throw unavailable('The connections to the database break all the time');
  };

  /**
   * Raises the counters in one transaction, once, whatever crashes in between. @returns undefined where another process
   * did
   */
  const setOn = async (state: DatabaseState): Promise<number | undefined> => {
    if (state.advanced) return leastMargin;
    const margin = { days: daysBegun(state), least: Math.max(leastMargin, state.advance_by ?? 0) };
    return db.transaction(async (tx) => {
      if (!(await claimAdvance(tx, state))) return undefined;
      return (await advance?.(tx, margin)) ?? 0;
    });
  };

  /** Compares. Reads the register before the database: without a rollback, its tick is then never above the database's. */
  const compare = async (): Promise<Met> => {
    let state: (DatabaseState & { generation: number }) | undefined;
    let epoch = 0;
    let hasWaited = false;
    let begun: { rollback: Lineage['falls'][number]; saying: string } | undefined;
    await register.write(async (known) => {
      begun = undefined;
      state = await readDatabase();
      const witness = known?.witnesses[database];
      const verdict = verdictOf(state, { witness, remembered, isTrusted });
      if (verdict === 'wait') {
        if (hasWaited) throw unavailable('The register was lost a moment ago: somebody may write it again');
        hasWaited = true;
        return 'again';
      }
      let margin: number | null = null;
      if (verdict === 'unknown') {
        const largest = await setOn(state);
        if (largest === undefined) return 'again';
        margin = largest;
        state = await readDatabase();
      }
      const { identity, tick } = state;
      const found = { identity, tick, at: state.now.toISOString(), stopped: false };
      const before = witness ?? remembered;
      const begins = verdict === 'unknown' || (verdict === 'earlier' && database !== 'identifier');
      // The epoch of a wiped register begins where the database is.
      epoch = Math.max(known?.epoch ?? 1, state.epoch, met?.epoch ?? 0) + (begins ? 1 : 0);
      const base = known ?? { ...register.latest(), witnesses: {} };
      if (verdict === 'same') {
        // Nobody has a witness of a database that was made just now.
        const level = tick === 0 ? 'info' : 'warn';
        if (!before)
          logger[level]({ epoch, ...found }, 'the register has no witness of the database, which is trusted');
        if (witness) return known?.epoch === epoch ? undefined : { ...base, epoch };
        await reconcile?.();
        return { ...base, epoch, witnesses: { ...base.witnesses, [database]: found } };
      }
      const at = now().toISOString();
      const from = before ? { at: null, ...before, stopped: false } : found;
      const rollback = { database, at, epoch, from, to: found, margin };
      begun = { rollback, saying: saidOf[verdict](database) };
      await reconcile?.();
      return {
        ...base,
        epoch,
        witnesses: { ...base.witnesses, [database]: found },
        falls: [...base.falls, rollback].slice(-maxRollbacks),
        ...(verdict === 'unknown' && { unknown_since: at, new_begins: Math.max(base.new_begins, state.new_begins) }),
      };
    });
    if (!state) throw unavailable('The database was not met');
    // Logged only once it is written: another process may have been first.
    if (begun) logger.error(begun.rollback, begun.saying);
    const { generation, table, identity, tick } = state;
    const { new_begins, unknown_since: since } = register.latest();
    const unknown_since = since === null ? null : new Date(since);
    if (state.epoch < epoch || state.advanced || state.new_begins < new_begins) {
      await db.statement((tx) => noteMet(tx, { epoch, unknown_since, new_begins }));
    }
    remembered = { identity, tick };
    return { generation, epoch, table };
  };

  const isMet = (one: Met | undefined): one is Met => one !== undefined && one.generation === db.serverGeneration();
  const current = (): Met | undefined => (isMet(met) ? met : undefined);

  /**
   * Raises the tick in the database, then in the witness. A tick below the register's does not rise: that would hide a
   * rollback.
   * @returns false where it did not rise: the database is another or an earlier one, or its counters are to be raised
   */
  const raise = async (one: Met): Promise<boolean> => {
    const before = (await register.read())?.witnesses[database];
    const least = leastTick(remembered, before);
    const witness = await db.statement(async (tx) => (isMet(one) ? raiseTick(tx, database, least) : undefined));
    if (!witness || witness.identity !== remembered?.identity) return false;
    const { ticked_at, ...own } = witness;
    remembered = own;
    let isMissing = false;
    await register.write(async (known) => {
      const before = known?.witnesses[database];
      isMissing = before === undefined;
      if (before && (before.identity !== witness.identity || before.tick >= witness.tick)) return undefined;
      if (isMissing) await reconcile?.();
      const base = known ?? { ...register.latest(), witnesses: {} };
      const witnesses = {
        ...base.witnesses,
        [database]: { ...own, at: ticked_at.toISOString(), stopped: false },
      };
      return { ...base, epoch: Math.max(base.epoch, one.epoch), witnesses };
    });
    if (isMissing) logger.warn(witness, 'the register had no witness of the database, and was written again');
    witnessed = true;
    return true;
  };

  /**
   * The tick rises before the first number: a volume may be set back to the state that is met here once more (ADR 0084).
   */
  const meet = async (): Promise<Met> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const one = await compare();
      if (await raise(one)) {
        met = one;
        return one;
      }
    }
    throw unavailable('The database became another one meanwhile');
  };
  /** Requests share a meeting, so it has a deadline of its own. */
  const meetOnce = (): Promise<Met> => {
    meeting ??= runInContext(newContext({ timeoutMs: meetingMs }), meet).finally(() => {
      meeting = undefined;
    });
    return meeting;
  };
  const isEarlier = (found: { identity: string; tick: number }): boolean =>
    remembered !== undefined && (found.identity !== remembered.identity || found.tick < remembered.tick);

  const tick = async (): Promise<void> => {
    const mine = current();
    if (mine && (await raise(mine))) return;
    // Rows may have been replaced under open connections.
    if (met === mine) met = undefined;
    await meetOnce();
  };

  return {
    /**
     * The present epoch, from memory; undefined where the server behind the pool was not met yet. Call it while you
     * hold a connection of the database.
     */
    current,
    /**
     * Meets the database unless that was done.
     * @throws CardinalError `unavailable` where the database or the register does not answer
     */
    met: async (): Promise<Met> => current() ?? meetOnce(),
    /**
     * Meets the database again where the register has another epoch by now.
     * @throws CardinalError `unavailable` as `met`
     */
    refresh: async (): Promise<Met> => {
      const known = await register.read();
      const mine = current();
      return mine && known?.epoch === mine.epoch ? mine : meetOnce();
    },
    /** Whether the database of a transaction is still the one that was met: its rows may have been replaced. */
    isCurrent: async (tx: Kysely<Tables>, one: Met): Promise<boolean> => {
      if (one === met && isMet(one)) {
        const found = await readWitness(tx, database);
        if (!isEarlier(found) && !found.isPending) return true;
      }
      met = undefined;
      return false;
    },
    /**
     * The number behind which a new workstream or log begins, and its epoch. Its name may have been used before, where
     * nobody knows which numbers were given out: then it begins above a margin, a larger one after each further loss.
     * @throws CardinalError `unavailable` as `met`
     */
    beginningOfNew: async (): Promise<{ number: number; epoch: number }> => {
      const { epoch } = current() ?? (await meetOnce());
      const noted = (await register.read()) ?? register.latest();
      const kept = await db.read(readBeginning);
      const since = Math.max(Date.parse(noted.unknown_since ?? '') || 0, kept.unknown_since?.getTime() ?? 0);
      const isRecent = now().getTime() - since < newBehindMarginDays * 86_400_000;
      return { number: isRecent ? Math.max(noted.new_begins, kept.new_begins) : 0, epoch };
    },
    /** Demands a meeting before the next number: the database is not as it was. */
    forget: (): void => {
      met = undefined;
    },
    /** Call it after a commit that must not be forgotten: the witness follows within a second. */
    noteWrite: (): void => {
      written = true;
    },
    /** One round of the sweeper, each second. */
    sweep: async (): Promise<void> => {
      quiet += 1;
      const isQuiet = !written && witnessed && quiet % restRounds !== 0;
      if (isQuiet && quiet % quietRounds !== 0) return;
      if (isQuiet && (await register.read())?.witnesses[database]) return;
      if (written) quiet = 0;
      written = false;
      await tick().catch((error) => {
        written = true;
        throw error;
      });
    },
    /** Stops after the sweeper: notes in the register, with the last tick, that this process ended in order. */
    part: {
      name: 'lineage',
      stop: async (): Promise<void> => {
        try {
          if (written) await tick();
          const own = remembered;
          if (!own || !current()) return;
          await register.write(async (known) => {
            const witness = known?.witnesses[database];
            if (!known || !witness || witness.identity !== own.identity || witness.tick > own.tick) return undefined;
            return { ...known, witnesses: { ...known.witnesses, [database]: { ...witness, ...own, stopped: true } } };
          });
        } catch (error) {
          logger.warn({ err: error }, 'the stop in order of this process is not in the register');
        }
      },
    },
  };
};

const saidOf: Record<Exclude<Verdict, 'same' | 'wait'>, (database: WitnessedDatabase) => string> = {
  earlier: () => 'the database is another or an earlier one',
  unknown: (database) =>
    database === 'access'
      ? 'nobody knows which API keys were revoked since the last write of the database: they may be valid again'
      : 'nobody knows which numbers were given out since the last write of the database: they skip a margin',
};
