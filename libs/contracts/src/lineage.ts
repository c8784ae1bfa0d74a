import { z } from 'zod';
import { ordinal, timestamp, uuid } from './scalars.ts';

/**
 * What the register remembers outside of the databases, in case one of them is rolled back (ARCHITECTURE, "Lineage";
 * ADR 0042, ADR 0071). Its keys are `lineage` and `mark.<workspace>.<PREFIX>`; those of the log are in
 * `log-register.ts`.
 */

/** The databases that identifiers depend on, named like the services that own them. */
export const numberedDatabases = ['card', 'identifier'] as const;
/** The databases whose rollbacks are detected: those of identifiers, that of the log, and that of API keys. */
export const witnessedDatabases = [...numberedDatabases, 'event', 'access'] as const;
export type WitnessedDatabase = (typeof witnessedDatabases)[number];

/** The identity and age of a database. */
export const witness = z.object({
  /** Changes with the server, its timeline, the database, and where the table is recreated. */
  identity: z.string(),
  /** Rises while the database is written to: a lower one shows an earlier state. */
  tick: z.int().min(0),
  /** When it last rose, by the clock of the database; null where an older release wrote it. */
  at: timestamp.nullable().default(null),
  /** Whether the process that wrote it stopped in order right after: then any time may pass before the next start. */
  stopped: z.boolean().default(false),
});
export type Witness = z.output<typeof witness>;

/** A rollback, or another database, or one of unknown age. */
const rollback = z.object({
  database: z.enum(witnessedDatabases),
  at: timestamp,
  /** The epoch since then. */
  epoch: ordinal,
  /**
   * Equal to `to` where the register had no witness: release 1.1.0, which may run beside this one, accepts no null
   * here.
   */
  from: witness,
  to: witness,
  /** Most numbers that were skipped, where nobody knows which were given out; null where the register knew. */
  margin: z.int().min(0).nullable().default(null),
});

/** The epoch, the witnesses, and the latest rollbacks, oldest first. */
export const lineage = z.object({
  epoch: ordinal,
  witnesses: z.partialRecord(z.enum(witnessedDatabases), witness),
  falls: z.array(rollback),
  /**
   * The latest rollback after which nobody knew which numbers had been given out, and when an operator acknowledged it.
   */
  unknown_since: timestamp.nullable().default(null),
  /**
   * The number behind which new workstreams and logs begin for some time after that. Each further rollback raises it.
   */
  new_begins: z.int().min(0).default(0),
  acknowledged_at: timestamp.nullable().default(null),
});
export type Lineage = z.output<typeof lineage>;

/** The key of a database's lineage. The log has epochs of its own. */
export const lineageKeyOf = (database: WitnessedDatabase): string =>
  ({ card: lineageKey, identifier: lineageKey, event: 'log', access: 'access' })[database];
export const lineageKey = 'lineage';

/** Whether numbers skipped a margin and no operator has acknowledged it yet. */
export const isUnacknowledged = ({ unknown_since, acknowledged_at }: Lineage): boolean =>
  unknown_since !== null && (acknowledged_at === null || acknowledged_at < unknown_since);

/** The least margin where nobody knows which numbers were given out. A new workstream then begins behind it. */
export const leastMargin = 1_000;
/** How long a new workstream begins behind the margin after that, days: its prefix may have been in use. */
export const newBehindMarginDays = 90;

/**
 * The highest number of a prefix that was ever granted or adopted, and the workstream that owns the prefix for ever.
 */
export const mark = z.object({
  through: z.int().min(0),
  /** The epoch of the last grant, and the highest number of earlier ones. */
  epoch: ordinal,
  epoch_base: z.int().min(0),
  workstream_id: uuid,
  /** Whether all of them were adopted and none was granted. */
  adopting: z.boolean().default(false),
});
export type Mark = z.infer<typeof mark>;

/** @param prefix in upper case */
export const markKey = (workspaceId: string, prefix: string): string => `mark.${workspaceId}.${prefix}`;
