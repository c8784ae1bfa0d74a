import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';
import { workstreamSummary } from '../workstream/resource.ts';

/** One line of a card's identifier history, oldest first (specification, "Identifier rules", 4). */
export const identifierHistoryEntry = z.object({
  identifier: z.string(),
  workstream: workstreamSummary,
  is_current: z.boolean(),
  assigned_at: timestamp,
  superseded_at: timestamp.nullable(),
  assigned_by: uuid,
});
export type IdentifierHistoryEntry = z.infer<typeof identifierHistoryEntry>;

/** `PREFIX-N` without leading zeros, any letter case. */
export const identifierPattern = /^([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,14})$/;

/**
 * Takes an identifier apart.
 * @param spelling what the client wrote, in any letter case
 * @returns the prefix in upper case and the number, or undefined where it is no identifier
 */
export const parseIdentifier = (spelling: string) => {
  const match = identifierPattern.exec(spelling);
  if (!match?.[1] || !match[2]) return undefined;
  return { prefix: match[1].toUpperCase(), number: Number(match[2]) };
};

/** Writes an identifier in its canonical form. */
export const formatIdentifier = (prefix: string, number: number) => `${prefix}-${number}`;
