import type { Adoption, CardinalClient, PostOptions } from '@cardinal/client/source';
import type { CardToAdopt } from '@cardinal/contracts';

const cardsAtOnce = 100;
// The API takes bodies of 1 MiB; quotes and umlauts take more bytes than characters.
const charactersAtOnce = 200_000;

/** The parts of a card that take room in a request. */
interface Sized {
  title: string;
  description?: string | null | undefined;
  /** How many ids and former identifiers it has. */
  names: number;
}

const lengthOf = ({ title, description, names }: Sized) => 500 + title.length + (description?.length ?? 0) + 40 * names;

/**
 * Splits cards into batches, one for each request. Every run over the same cards makes the same batches.
 * @param groupOf the group of a card; a batch has cards of one group
 * @param keepsOrder whether a batch ends when the group changes, so that all cards keep their order
 */
export async function* batches<Of>(
  cards: AsyncIterable<Of> | Iterable<Of>,
  groupOf: (card: Of) => string,
  sizeOf: (card: Of) => Sized,
  keepsOrder = false,
): AsyncGenerator<[Of, ...Of[]]> {
  const gathered = new Map<string, { cards: Of[]; length: number }>();
  const taken = (batch: { cards: Of[]; length: number }): [Of, ...Of[]][] => {
    const [first, ...others] = batch.cards.splice(0);
    batch.length = 0;
    return first === undefined ? [] : [[first, ...others]];
  };
  for await (const card of cards) {
    const group = groupOf(card);
    const length = lengthOf(sizeOf(card));
    const batch = gathered.get(group) ?? { cards: [], length: 0 };
    if (keepsOrder) for (const [other, begun] of gathered) if (other !== group) yield* taken(begun);
    gathered.set(group, batch);
    if (batch.length + length > charactersAtOnce) yield* taken(batch);
    batch.cards.push(card);
    batch.length += length;
    if (batch.cards.length === cardsAtOnce) yield* taken(batch);
  }
  for (const batch of gathered.values()) yield* taken(batch);
}

/** Adopts cards in one request; the last one is then on top. @returns the answers in the order of the cards */
export const adoptInOrder = async (
  client: CardinalClient,
  workstream: string,
  cards: readonly CardToAdopt[],
  options: PostOptions,
): Promise<Adoption[]> => {
  const answers = await client.cards.adopt(workstream, { cards: cards.toReversed() }, options);
  if (answers.length !== cards.length) throw new Error(`${answers.length} answers to ${cards.length} cards`);
  return answers.toReversed();
};
