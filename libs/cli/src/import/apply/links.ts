import type { CardinalClient } from '@cardinal/client/source';
import { identifiersAtOnce } from '@cardinal/contracts';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import { isRefused } from '../found.ts';
import type { Edge } from '../plan/cycles.ts';
import { identityBy } from '../plan/keys.ts';
import type { Plan } from '../plan/plan.ts';

/** The outcomes of dependencies; those that were not created, with the reason. */
export interface LinkOutcome {
  made: number;
  missing: string[];
  refused: string[];
}

/** The ends of links that the files do not have, and whose cards a workspace may have. */
const outsideOf = ({ survey }: Plan, edge: Edge): string[] =>
  edge.filter((end) => !survey.keys.has(end) && !survey.former.has(end));

/**
 * Finds the links to issues that are neither in the files nor in the workspace. Writes nothing.
 * @param client undefined where no workspace is known: then only the files count
 * @returns a line for each, with the issue that has the link
 */
export const findMissing = async (client: CardinalClient | undefined, plan: Plan): Promise<string[]> => {
  const asked = [...new Set(plan.outside.flatMap((edge) => outsideOf(plan, edge)))];
  const there = new Set<string>();
  for (let n = 0; client && n < asked.length; n += identifiersAtOnce) {
    const answers = await client.identifiers.resolve({ identifiers: asked.slice(n, n + identifiersAtOnce) });
    for (const { requested, card } of answers) if (card) there.add(requested);
  }
  const line = (edge: Edge, missing: string) => `${edge.find((end) => end !== missing) ?? missing} names ${missing}`;
  return [
    ...plan.nameless.flatMap((edge) => edge.filter((end) => !identityBy(end, {})).map((end) => line(edge, end))),
    ...plan.outside.flatMap((edge) =>
      outsideOf(plan, edge)
        .filter((end) => !there.has(end))
        .map((end) => line(edge, end)),
    ),
  ];
};

/**
 * Creates dependencies; existing ones stay. A card that is in no file is looked up by its identifier. The service refuses
 * dependencies that would close a cycle, and they are reported.
 * @param idOf the card of a name in the plan or export; undefined for a card to look up by its identifier
 * @throws Stopped
 */
export const makeLinks = async (
  edges: readonly Edge[],
  { client, ...bounds }: Bounds & { client: CardinalClient },
  idOf: (name: string) => string | undefined,
  outcome: LinkOutcome,
): Promise<void> => {
  await forEachConcurrently(edges, bounds, async ([from, to]) => {
    try {
      await client.cards.addDependency(idOf(from) ?? from, idOf(to) ?? to);
      outcome.made += 1;
    } catch (error) {
      if (isRefused(error, 'not_found')) outcome.missing.push(`${from} > ${to}`);
      else if (isRefused(error, 'conflict')) outcome.refused.push(`${from} > ${to}: ${error.message}`);
      else throw error;
    }
  });
};
