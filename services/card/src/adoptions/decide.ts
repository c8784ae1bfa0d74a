import {
  type Adoption,
  adoptedId,
  CardinalError,
  type CardToAdopt,
  conflict,
  errorStatus,
  formatIdentifier,
  type IssuedIdentifier,
  notFound,
  parseIdentifier,
  timeOf,
  validationError,
} from '@cardinal/contracts';
import { writableFields } from '../cards/fields.ts';
import type { CardRow } from '../cards/queries.ts';
import { checkTakesCards } from '../cards/rules.ts';

/** A column of an adoption; a hidden one counts as missing. */
export interface TargetColumn {
  id: string;
  board_id: string;
  archived_at: Date | null;
  board_archived_at: Date | null;
}

/** A workstream that adopts. */
export interface AdoptingWorkstream {
  id: string;
  name: string;
  prefix: string;
}

/** A card of a request, with what it is to be called; its earlier identifiers oldest first, the present one last. */
export interface Candidate {
  card: CardToAdopt;
  id: string;
  createdAt: Date;
  identifier: string;
  identifiers: string[];
}

/** The result for a candidate: the refusal, or the card. */
export type Decision = { refusal: CardinalError } | { card: CardRow; issued: IssuedIdentifier[] };

/**
 * A card as it is to be adopted. One that does not say when it was created is as old as its workstream, whose id outlives a
 * rollback: so it is the same card then.
 */
export const candidateOf = (
  card: CardToAdopt,
  workspaceId: string,
  { id: workstreamId, prefix }: AdoptingWorkstream,
): Candidate => {
  const identifier = formatIdentifier(prefix, card.number);
  const createdAt = card.created_at === undefined ? timeOf(workstreamId) : new Date(card.created_at);
  const identifiers = [...(card.former ?? []), identifier];
  return { card, id: adoptedId(workspaceId, identifier, createdAt), createdAt, identifier, identifiers };
};

/** Why a card cannot come to a column; undefined where it can. */
export const refusalOfColumn = (column: TargetColumn | undefined): CardinalError | undefined => {
  if (!column) return notFound('Column');
  try {
    checkTakesCards(column);
    return undefined;
  } catch (error) {
    if (error instanceof CardinalError) return error;
    throw error;
  }
};

const times = ['created_at', 'completed_at', 'archived_at'] as const;

/** The state that a batch depends on, read under the locks of its transaction. */
export interface Met {
  caller: { workspace_id: string; user_id: string };
  now: Date;
  columns: ReadonlyMap<string, TargetColumn>;
  labels: ReadonlySet<string>;
  /** By prefix. */
  adopting: ReadonlyMap<string, AdoptingWorkstream>;
  /** The identifiers that a card has or had, with the card; null where the caller does not see it. */
  taken: ReadonlyMap<string, string | null>;
}

/**
 * Decides about each card of a batch, in order. A card is refused as a whole where another card has one of its identifiers, also
 * an earlier card of the batch. Positions follow later (`placeFromTop`).
 */
export const decide = (candidates: readonly Candidate[], met: Met): Decision[] => {
  const taken = new Map(met.taken);
  return candidates.map((candidate) => {
    const refusal = refusalOf(candidate, met, taken);
    if (refusal) return { refusal };
    for (const identifier of candidate.identifiers) taken.set(identifier, candidate.id);
    return adopted(candidate, met);
  });
};

const workstreamOf = (identifier: string, { adopting }: Met) => adopting.get(parseIdentifier(identifier)?.prefix ?? '');

const refusalOf = (
  { card, identifiers }: Candidate,
  met: Met,
  taken: ReadonlyMap<string, string | null>,
): CardinalError | undefined => {
  const future = times.find((name) => Date.parse(card[name] ?? '') > met.now.getTime());
  if (future) return validationError([{ path: [future], message: `${future} must not be in the future` }]);
  if (new Set(identifiers).size < identifiers.length) {
    return validationError([{ path: ['former'], message: 'former must not name the present identifier' }]);
  }
  const refused = refusalOfColumn(met.columns.get(card.column_id));
  if (refused) return refused;
  if (card.label_ids?.some((id) => !met.labels.has(id))) return notFound('Label');
  const foreign = identifiers.find((identifier) => !workstreamOf(identifier, met));
  if (foreign) return conflict(`${foreign} is not of an adopting workstream`);
  const lost = identifiers.find((identifier) => taken.has(identifier));
  if (lost === undefined) return undefined;
  return conflict(`${lost} is that of a card`, { identifier: lost, card_id: taken.get(lost) ?? null });
};

/** Each identifier came with a version of its own, as if the card had been transferred. */
const adopted = ({ card, id, createdAt, identifier, identifiers }: Candidate, met: Met): Decision => {
  const { workspace_id, user_id } = met.caller;
  const own = workstreamOf(identifier, met);
  const column = met.columns.get(card.column_id);
  if (!own || !column) throw new Error(`${identifier} was not refused`);
  const issued = identifiers.map((one, index) => ({
    workspace_id,
    identifier: one,
    workstream_id: workstreamOf(one, met)?.id ?? '',
    card_id: id,
    card_version: index + 1,
    assigned_at: createdAt.toISOString(),
    assigned_by: user_id,
  }));
  const dateOf = (moment: string | null | undefined) => (moment ? new Date(moment) : null);
  const fields = Object.fromEntries(
    writableFields.map(({ name, type }) => [name, type === 'timestamptz' ? dateOf(card[name]) : (card[name] ?? null)]),
  ) as Pick<CardRow, (typeof writableFields)[number]['name']>;
  return {
    issued,
    card: {
      ...{
        workspace_id,
        id,
        version: identifiers.length,
        board_id: column.board_id,
        column_id: column.id,
        position: 0,
      },
      ...fields,
      completed_at: dateOf(card.completed_at),
      archived_at: dateOf(card.archived_at),
      created_by: card.created_by ?? user_id,
      created_at: createdAt,
      updated_at: met.now,
      assignee_user_ids: [...new Set(card.assignee_user_ids)],
      label_ids: [...new Set(card.label_ids)],
      subtask_total: 0,
      subtask_completed: 0,
      comment_count: 0,
      workstream_id: own.id,
      identifier,
      workstream_name: own.name,
      workstream_prefix: own.prefix,
    },
  };
};

/** Places cards above everything that their columns have, the first one topmost. @param tops by column */
export const placeFromTop = (cards: readonly CardRow[], tops: ReadonlyMap<string, number>): CardRow[] => {
  const next = new Map(tops);
  return cards
    .toReversed()
    .map((card) => {
      const position = (next.get(card.column_id) ?? 0) - 1;
      next.set(card.column_id, position);
      return { ...card, position };
    })
    .reverse();
};

/** How a refusal is reported of one card. */
export const refused = (identifier: string, { code, message, details }: CardinalError): Adoption => ({
  identifier,
  status: errorStatus[code],
  error: { code, message, ...(details && { details }) },
});
