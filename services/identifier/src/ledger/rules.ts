import { formatIdentifier, type Grant, type IdentifierHistoryEntry, type WorkstreamSummary } from '@cardinal/contracts';

/** Numbers that a grant makes room for. */
const granted = 1_000;

/**
 * Decides how far the numbers of a workstream may go (architecture, "One transaction", 2). Asking again extends nothing
 * until numbers are used; a range never shrinks, and that of an archived workstream stays as it is.
 * @param last_number the last one that whoever asks knows of
 */
export const grantOf = ({
  workstream,
  granted_through,
  highest_number,
  last_number,
}: Omit<Grant, 'granted_before'> & { last_number: number }): Grant => ({
  workstream,
  granted_before: granted_through,
  granted_through:
    workstream.archived_at === null
      ? Math.max(granted_through, Math.max(highest_number, last_number) + granted)
      : granted_through,
  highest_number,
});

/** One number that was issued to a card. */
export interface IssuedNumber {
  prefix: string;
  number: number;
  workstream: WorkstreamSummary;
  /** The card's version when it got the number; rises from number to number. */
  card_version: number;
  assigned_at: Date;
  assigned_by: string;
}

/**
 * A card's identifiers as of the one that the card names as current, oldest first (specification, "Identifier rules",
 * 4). What was issued after that one belongs to a transfer that the reader of the card had not seen yet, and is left
 * out: history and card then tell of the same moment. The order is that of the card's versions, which no clock can turn.
 * @param issued in any order
 * @returns undefined where the current identifier is not among them
 */
export const historyOf = (issued: IssuedNumber[], currentIdentifier: string): IdentifierHistoryEntry[] | undefined => {
  const ordered = issued.toSorted((a, b) => a.card_version - b.card_version);
  const current = ordered.findIndex((entry) => formatIdentifier(entry.prefix, entry.number) === currentIdentifier);
  if (current === -1) return undefined;
  return ordered.slice(0, current + 1).map((entry, index) => ({
    identifier: formatIdentifier(entry.prefix, entry.number),
    workstream: entry.workstream,
    is_current: index === current,
    assigned_at: entry.assigned_at.toISOString(),
    superseded_at: index === current ? null : (ordered[index + 1]?.assigned_at.toISOString() ?? null),
    assigned_by: entry.assigned_by,
  }));
};
