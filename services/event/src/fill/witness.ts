import { type LogLineage, logLineage, logLineageKey, unavailable, type Witness } from '@cardinal/contracts';
import { gauge } from '@cardinal/runtime';
import { leastTick } from '@cardinal/service';
import { sql } from 'kysely';
import type { Reader, ServiceContext } from '../context.ts';

/** Another process may write the register at the same moment, or connections may break. */
const maxTries = 20;
/** Falls that the register lists. */
const maxFalls = 20;

/** How often the log's database had fallen back when this process met it, and which server that was. */
export interface Met {
  epoch: number;
  generation: number;
}

/**
 * Recognizes the log's database where it became another or an earlier one, as `createLineage` those of numbers (ADR 0066).
 * @param reconcile writes the marks again, where the register was lost, before the witness
 */
export const createWitness = (
  { db, bus: { register }, logger, now }: WitnessContext,
  reconcile: () => Promise<unknown>,
) => {
  let met: Met | undefined;
  let remembered: Witness | undefined;
  let written = true;
  gauge(
    { name: 'cardinal_log_epoch', help: "How often the log's database fell back, plus one; 0 until it is known" },
    (one) => one.set(met ? met.epoch + 1 : 0),
  );

  const read = async () => {
    const { value, revision } = await register.read(logLineageKey);
    return { known: value === undefined ? undefined : logLineage.parse(value), revision };
  };

  /** One compare-and-set of the register, repeated after a write by another process. */
  const write = async (change: (known: LogLineage | undefined) => Promise<LogLineage | undefined>): Promise<void> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { known, revision } = await read();
      const next = await change(known);
      if (!next || (await register.write(logLineageKey, next, revision)) !== undefined) return;
    }
    throw unavailable('The register changes all the time');
  };

  /** The register is read before the database: so its tick is never above the database's without a fall. */
  const meet = async (): Promise<Met> => {
    const generation = db.serverGeneration();
    let epoch = 0;
    await write(async (known) => {
      const found = await db.read(readWitness);
      const before = known?.witness ?? remembered;
      const fell = before !== undefined && (before.identity !== found.identity || before.tick > found.tick);
      const reached = Math.max(known?.epoch ?? 0, met?.epoch ?? 0, await db.read(highestEpoch));
      epoch = reached + (fell ? 1 : 0);
      remembered = found;
      if (known && !fell) return undefined;
      if (!known) await reconcile();
      if (!fell) return { epoch, witness: found, falls: [] };
      const fall = { at: now().toISOString(), epoch, from: before, to: found };
      logger.error(fall, 'the database of the log is another or an earlier one');
      return { epoch, witness: found, falls: [...(known?.falls ?? []), fall].slice(-maxFalls) };
    });
    if (generation !== db.serverGeneration()) throw unavailable('The connections to the database broke');
    met = { epoch, generation };
    return met;
  };

  const isMet = (one: Met): boolean => one === met && one.generation === db.serverGeneration();
  const isEarlier = (found: Witness): boolean =>
    remembered !== undefined && (found.identity !== remembered.identity || found.tick < remembered.tick);

  return {
    /** Meets the database where the server behind the pool may be another one. @throws CardinalError `unavailable` */
    met: async (): Promise<Met> => (met && isMet(met) ? met : meet()),
    /** Whether the database is still the one that was met: its rows may have been replaced under living connections. */
    isCurrent: async (tx: Reader, one: Met): Promise<boolean> => {
      if (isMet(one) && !isEarlier(await readWitness(tx))) return true;
      met = undefined;
      return false;
    },
    noteWrite: (): void => {
      written = true;
    },
    /** Has the tick rise, and then the witness in the register, where anything was written. */
    sweep: async (): Promise<void> => {
      const known = met && isMet(met) ? met : await meet();
      if (!written) return;
      written = false;
      try {
        // An earlier one is met as it is: raised, it may be where the register has it.
        const least = leastTick(remembered, (await read()).known?.witness);
        const found = await db.statement((tx) => raiseTick(tx, least));
        if (!found || !isMet(known) || isEarlier(found)) {
          met = undefined;
          // What was written here has no tick yet.
          written = true;
          await meet();
          return;
        }
        remembered = found;
        await write(async (lineage) => {
          const before = lineage?.witness;
          if (!before) await reconcile();
          if (before && (before.identity !== found.identity || before.tick >= found.tick)) return undefined;
          return { epoch: known.epoch, falls: [], ...lineage, witness: found };
        });
      } catch (error) {
        written = true;
        throw error;
      }
    },
  };
};

type WitnessContext = Pick<ServiceContext, 'db' | 'bus' | 'logger' | 'now'>;

/** System, timeline, database and table, which identify one history of a database. */
const identity = sql<string>`concat_ws('/',
  (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()),
  pg_relation_filenode('logs'))`;

const readWitness = async (tx: Reader): Promise<Witness> => {
  const { rows } = await sql<Witness>`select tick, ${identity} as identity from witness`.execute(tx);
  return witnessOf(rows);
};
/** @returns undefined where the tick is below one that is known */
const raiseTick = async (tx: Reader, known: number): Promise<Witness | undefined> => {
  const { rows } = await sql<Witness>`
    update witness set tick = tick + 1 where tick >= ${known} returning tick, ${identity} as identity`.execute(tx);
  return rows[0];
};
const witnessOf = ([witness]: Witness[]): Witness => {
  if (!witness) throw unavailable('The table witness is empty');
  return witness;
};

/** What a register that was lost is written again from. */
const highestEpoch = async (tx: Reader): Promise<number> => {
  const { rows } = await sql<{ epoch: number }>`select coalesce(max(epoch), 0)::integer as epoch from logs`.execute(tx);
  return rows[0]?.epoch ?? 0;
};
