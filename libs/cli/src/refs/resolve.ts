import type { CardinalClient, IdentifierReference } from '@cardinal/client/source';
import { identifiersAtOnce } from '@cardinal/contracts';

/** What looks like an identifier, in its canonical spelling. */
export interface Candidate {
  identifier: string;
  prefix: string;
}

/** Where an identifier leads today. */
export type Target = Pick<IdentifierReference, 'card' | 'is_alias' | 'current_identifier' | 'issued'>;

/** Why an identifier leads to no card, for a person. */
export const reasonOf = ({ issued }: Pick<Target, 'issued'>): string =>
  issued ? 'deleted, or not for you' : 'never existed';

/** So many candidates wait for an answer at most, whose request then has fewer than a hundred identifiers. */
const maxWaiting = 100_000;

/**
 * Looks up where candidates lead, in their order; those whose prefix is no workstream's are left out. Each identifier is
 * asked for once and a hundred of them in a request, as a text: so the service says itself which prefixes it knows, and of
 * a prefix that it does not, nothing is asked again.
 * @throws CardinalError
 */
export async function* resolveCandidates<Item extends Candidate>(
  client: CardinalClient,
  candidates: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item & Target> {
  const targets = new Map<string, Target>();
  const foreign = new Set<string>();
  const asked = new Map<string, string>();
  let waiting: Item[] = [];

  const ask = async () => {
    const answers = asked.size === 0 ? [] : await client.identifiers.resolve({ text: [...asked.keys()].join(' ') });
    for (const { requested, start: _start, end: _end, ...target } of answers) targets.set(requested, target);
    for (const [identifier, prefix] of asked) if (!targets.has(identifier)) foreign.add(prefix);
    asked.clear();
    const answered = waiting;
    waiting = [];
    return answered.flatMap((item) => {
      const target = targets.get(item.identifier);
      return target ? [{ ...item, ...target }] : [];
    });
  };

  for await (const item of candidates) {
    if (foreign.has(item.prefix)) continue;
    waiting.push(item);
    if (!targets.has(item.identifier)) asked.set(item.identifier, item.prefix);
    if (asked.size === 0 || asked.size === identifiersAtOnce || waiting.length === maxWaiting) yield* await ask();
  }
  yield* await ask();
}
