import { z } from 'zod';
import { timestamp, uuid } from './scalars.ts';

/**
 * What the register remembers outside both databases, for the day on which one of them becomes an earlier one
 * (architecture, "Lineage"; ADR 0042). Its keys are `lineage` and `mark.<workspace>.<PREFIX>`.
 */

/** The databases that numbers depend on, named as the services that own them. */
export const numberedDatabases = ['card', 'identifier'] as const;
export type NumberedDatabase = (typeof numberedDatabases)[number];

/** By what a database is recognized. */
export const witness = z.object({
  /** Changes with the server, its timeline, the database, and when the table is recreated. */
  identity: z.string(),
  /** Rises while the database is written to: a lower one is that of an earlier state. */
  tick: z.int().min(0),
});
export type Witness = z.infer<typeof witness>;

/** A database that was found to be another, or an earlier one. */
const fall = z.object({
  database: z.enum(numberedDatabases),
  at: timestamp,
  /** The epoch that it is since: one of the card database begins one. */
  epoch: z.int().min(1),
  from: witness,
  to: witness,
});

/** Which epoch it is, by what each database is recognized, and the latest falls, oldest first. */
export const lineage = z.object({
  epoch: z.int().min(1),
  witnesses: z.partialRecord(z.enum(numberedDatabases), witness),
  falls: z.array(fall),
});
export type Lineage = z.infer<typeof lineage>;
export const lineageKey = 'lineage';

/** How far numbers of a prefix were ever granted or adopted, and the workstream that it belongs to for ever. */
export const mark = z.object({
  through: z.int().min(0),
  /** The epoch in which that was, and how far they were granted in earlier ones. */
  epoch: z.int().min(1),
  epoch_base: z.int().min(0),
  workstream_id: uuid,
  /** Whether all of them were adopted: none was granted. */
  adopting: z.boolean().default(false),
});
export type Mark = z.infer<typeof mark>;

/** @param prefix in upper case */
export const markKey = (workspaceId: string, prefix: string): string => `mark.${workspaceId}.${prefix}`;
