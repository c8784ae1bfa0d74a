import type { Bus } from '@cardinal/bus';
import { type Caller, CardinalError } from '@cardinal/contracts';
import { summariesAtOnce, summariesOf } from './summaries.ts';

/**
 * The refusal of a dependency that closes a cycle, with the identifiers of the cycle's cards in its order, beginning and
 * ending with the dependent card. Cards that the caller does not see are left out: the cycle is told, they are not. A
 * cycle longer than one question to the card service is told by its beginning and its last card.
 */
export const cycleRefusal = async (bus: Pick<Bus, 'call'>, caller: Caller, path: string[]): Promise<CardinalError> => {
  // The first card is the last one, too.
  const told = path.slice(0, summariesAtOnce);
  const cards = await summariesOf(bus, caller, [...new Set(told)]);
  const identifiers = [...path.slice(0, Math.min(path.length - 1, summariesAtOnce)), path[0] as string].flatMap(
    (id) => cards.get(id)?.identifier ?? [],
  );
  return new CardinalError('conflict', 'The dependency would close a cycle', { path: identifiers });
};
