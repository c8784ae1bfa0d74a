import type { CardToAdopt } from '@cardinal/contracts';
import type { PlannedCard } from '../plan/cards.ts';
import type { Target } from './workspace.ts';

/** Cards of one workstream that are sent in one request, or that it numbers itself, one by one. */
export interface Batch {
  prefix: string | undefined;
  /** Whether they bring numbers along. */
  isAdopted: boolean;
  cards: PlannedCard[];
}

const atOnce = 100;
// The API takes bodies of 1 MiB; quotes and umlauts take more bytes than characters.
const charactersAtOnce = 200_000;

const lengthOf = ({ fields, former, assignees, labels }: PlannedCard) =>
  500 +
  fields.title.length +
  (fields.description?.length ?? 0) +
  40 * (former.length + assignees.length + labels.length);

/** Gathers cards of a workstream into batches, which are the same in every run over the same files. */
export async function* batches(cards: AsyncIterable<PlannedCard>): AsyncGenerator<Batch> {
  const gathered = new Map<string, Batch & { length: number }>();
  const taken = (batch: Batch & { length: number }): Batch => {
    batch.length = 0;
    return { prefix: batch.prefix, isAdopted: batch.isAdopted, cards: batch.cards.splice(0) };
  };
  for await (const card of cards) {
    const { prefix } = card;
    const isAdopted = card.identity !== undefined;
    const key = `${prefix ?? ''} ${isAdopted}`;
    const batch = gathered.get(key) ?? { prefix, isAdopted, cards: [], length: 0 };
    gathered.set(key, batch);
    if (batch.cards.length > 0 && batch.length + lengthOf(card) > charactersAtOnce) yield taken(batch);
    batch.cards.push(card);
    batch.length += lengthOf(card);
    if (batch.cards.length === atOnce) yield taken(batch);
  }
  for (const batch of gathered.values()) if (batch.cards.length > 0) yield taken(batch);
}

/** Looks up what a plan names. @throws Error for what the target lacks, which would be a mistake of ours */
export const idIn = (ids: Map<string, string>, name: string): string => {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the target has no "${name}"`);
  return id;
};

/** A card as a request names it. */
export const cardToAdopt = (card: PlannedCard, target: Target): CardToAdopt => ({
  number: card.identity?.number ?? 0,
  ...(card.former.length > 0 && { former: card.former.map(({ key }) => key) }),
  column_id: idIn(target.columns, card.column),
  ...card.fields,
  completed_at: card.completed_at,
  archived_at: card.archived_at,
  ...(card.created_at !== null && { created_at: card.created_at }),
  ...(card.creator !== null && { created_by: card.creator }),
  assignee_user_ids: card.assignees,
  label_ids: card.labels.map((name) => idIn(target.labels, name)),
});
