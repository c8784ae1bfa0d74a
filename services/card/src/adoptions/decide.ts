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

/** A column that a batch names. A hidden column counts as missing. */
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

/** A card of a batch before its decision. */
export interface Candidate {
  card: CardToAdopt;
  /** The id that the card will have. */
  id: string;
  createdAt: Date;
  /** The current identifier. */
  identifier: string;
  /** All identifiers, oldest first, the current one last. */
  identifiers: string[];
}

/** The decision about a candidate: a refusal, or the card with its identifiers. */
export type Decision = { refusal: CardinalError } | { card: CardRow; issued: IssuedIdentifier[] };

/**
 * Makes the candidate of a requested card. The card's id depends on its time of creation. A card without such a time is
 * as old as its workstream, whose id outlives a rollback: so a repetition after a rollback adopts the same card.
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

/** Checks that a column takes cards. @returns the refusal; undefined where the column takes them */
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

/** The state that the decisions about a batch depend on, read under the locks of its transaction. */
export interface BatchState {
  caller: { workspace_id: string; user_id: string };
  now: Date;
  columns: ReadonlyMap<string, TargetColumn>;
  labels: ReadonlySet<string>;
  /** The workstreams that adopt, by prefix. */
  adopting: ReadonlyMap<string, AdoptingWorkstream>;
  /** Identifiers that a card has or had, with the card's id; null where the caller does not see the card. */
  taken: ReadonlyMap<string, string | null>;
}

/**
 * Decides about each card of a batch, in order (CONTRACT 4.8). Where another card, or an earlier card of the batch, has
 * one of its identifiers, a card is refused as a whole. `placeFromTop` sets the positions afterwards.
 * @returns a decision for each candidate, in the same order
 */
export const decide = (candidates: readonly Candidate[], state: BatchState): Decision[] => {
  const taken = new Map(state.taken);
  return candidates.map((candidate) => {
    const refusal = refusalOf(candidate, state, taken);
    if (refusal) return { refusal };
    for (const identifier of candidate.identifiers) taken.set(identifier, candidate.id);
    return adopted(candidate, state);
  });
};

const workstreamOf = (identifier: string, { adopting }: BatchState) =>
  adopting.get(parseIdentifier(identifier)?.prefix ?? '');

const refusalOf = (
  { card, identifiers }: Candidate,
  state: BatchState,
  taken: ReadonlyMap<string, string | null>,
): CardinalError | undefined => {
  const future = times.find((name) => Date.parse(card[name] ?? '') > state.now.getTime());
  if (future) return validationError([{ path: [future], message: `${future} must not be in the future` }]);
  if (new Set(identifiers).size < identifiers.length) {
    return validationError([{ path: ['former'], message: 'former must not name the present identifier' }]);
  }
  const refused = refusalOfColumn(state.columns.get(card.column_id));
  if (refused) return refused;
  if (card.label_ids?.some((id) => !state.labels.has(id))) return notFound('Label');
  const foreign = identifiers.find((identifier) => !workstreamOf(identifier, state));
  if (foreign) return conflict(`${foreign} is not of an adopting workstream`);
  const lost = identifiers.find((identifier) => taken.has(identifier));
  if (lost === undefined) return undefined;
  return conflict(`${lost} is that of a card`, { identifier: lost, card_id: taken.get(lost) ?? null });
};

/** Makes the row of an adopted card. Each identifier counts as one version, as after a transfer. */
const adopted = ({ card, id, createdAt, identifier, identifiers }: Candidate, state: BatchState): Decision => {
  const { workspace_id, user_id } = state.caller;
  const own = workstreamOf(identifier, state);
  const column = state.columns.get(card.column_id);
  if (!own || !column) throw new Error(`${identifier} was not refused`);
  const issued = identifiers.map((one, index) => ({
    workspace_id,
    identifier: one,
    workstream_id: workstreamOf(one, state)?.id ?? '',
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
      workspace_id,
      id,
      version: identifiers.length,
      board_id: column.board_id,
      column_id: column.id,
      position: 0,
      ...fields,
      completed_at: dateOf(card.completed_at),
      archived_at: dateOf(card.archived_at),
      created_by: card.created_by ?? user_id,
      created_at: createdAt,
      updated_at: state.now,
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

/**
 * Places cards above all others of their columns, the first card topmost.
 * @param tops the top of each column, by the column's id
 * @returns the cards with their positions, in the same order
 */
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

/** Makes the result of a refused card. */
export const refused = (identifier: string, { code, message, details }: CardinalError): Adoption => ({
  identifier,
  status: errorStatus[code],
  error: { code, message, ...(details && { details }) },
});
