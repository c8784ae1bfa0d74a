import { z } from 'zod';
import { ordinal, timestamp, uuid } from './scalars.ts';

/**
 * What the register remembers outside of the databases, for the day on which one of them becomes an earlier one
 * (ARCHITECTURE, "Lineage"; ADR 0042, ADR 0071). Its keys are `lineage` and `mark.<workspace>.<PREFIX>`; those of the
 * log are in `log-register.ts`.
 */

/** The databases that identifiers depend on, named as the services that own them. */
export const numberedDatabases = ['card', 'identifier'] as const;
/** The databases whose rollbacks are detected: those of identifiers, and that of the log. */
export const witnessedDatabases = [...numberedDatabases, 'event'] as const;
export type WitnessedDatabase = (typeof witnessedDatabases)[number];

/** By what a database is recognized. */
export const witness = z.object({
  /** Changes with the server, its timeline, the database, and when the table is recreated. */
  identity: z.string(),
  /** Rises while the database is written to: a lower one is that of an earlier state. */
  tick: z.int().min(0),
  /** When that was, by the clock of the database; null where the release before wrote it. */
  at: timestamp.nullable().default(null),
  /** Whether the process that wrote it stopped in order right after: then any time may pass before the next start. */
  stopped: z.boolean().default(false),
});
export type Witness = z.output<typeof witness>;

/** A database that was found to be another or an earlier one, or of which nobody knows how old it is. */
const rollback = z.object({
  database: z.enum(witnessedDatabases),
  at: timestamp,
  /** The epoch that it is since. */
  epoch: ordinal,
  /** As `to` where the register had no witness of it: release 1.1.0, which may run beside this one, reads no null here. */
  from: witness,
  to: witness,
  /** How many numbers were skipped at most, where nobody knows which were given out; null where the register knew. */
  margin: z.int().min(0).nullable().default(null),
});

/** Which epoch it is, by what each database is recognized, and the latest rollbacks, oldest first. */
export const lineage = z.object({
  epoch: ordinal,
  witnesses: z.partialRecord(z.enum(witnessedDatabases), witness),
  falls: z.array(rollback),
  /** The latest rollback after which nobody knew which numbers had been given out, and when somebody took note of it. */
  unknown_since: timestamp.nullable().default(null),
  /** Behind which number new workstreams and logs begin for some time after that; higher with each further one. */
  new_begins: z.int().min(0).default(0),
  acknowledged_at: timestamp.nullable().default(null),
});
export type Lineage = z.output<typeof lineage>;

/** Where the register keeps it: the epoch of identifiers is none of the log's. */
export const lineageKeyOf = (database: WitnessedDatabase): string => (database === 'event' ? 'log' : lineageKey);
export const lineageKey = 'lineage';

/** Whether nobody has acknowledged yet that numbers went on behind a margin. */
export const isUnacknowledged = ({ unknown_since, acknowledged_at }: Lineage): boolean =>
  unknown_since !== null && (acknowledged_at === null || acknowledged_at < unknown_since);

/** The least by which numbers are set on where nobody knows which were given out, and where a new workstream begins then. */
export const leastMargin = 1_000;
/** For so long after that a new workstream begins behind the margin: its prefix may have been in use. Days. */
export const newBehindMarginDays = 90;

/** How far numbers of a prefix were ever granted or adopted, and the workstream that it belongs to for ever. */
export const mark = z.object({
  through: z.int().min(0),
  /** The epoch in which that was, and how far they were granted in earlier ones. */
  epoch: ordinal,
  epoch_base: z.int().min(0),
  workstream_id: uuid,
  /** Whether all of them were adopted: none was granted. */
  adopting: z.boolean().default(false),
});
export type Mark = z.infer<typeof mark>;

/** @param prefix in upper case */
export const markKey = (workspaceId: string, prefix: string): string => `mark.${workspaceId}.${prefix}`;
