import type { CardinalClient } from '@cardinal/client/source';
import type { Steps } from './journal.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

/** What the steps of an import share. */
export interface ImportContext {
  client: CardinalClient;
  steps: Steps;
  survey: Survey;
  replay: Replay;
  isStopped: () => boolean;
  /** Cards that are there with their identifiers, for the progress. */
  done: { cards: number };
  /** What could not be done as the export has it, in lines. */
  left: string[];
}

/** The import was asked to end early. */
export class Stopped extends Error {}

/** @throws Stopped once somebody asked for it */
export const goOn = ({ isStopped }: Pick<ImportContext, 'isStopped'>): void => {
  if (isStopped()) throw new Stopped();
};

/** Of a list in memory what code wants that reads lists from elsewhere. */
export async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

/** So many cards are worked on at once, where their order does not matter. */
export const atOnce = 8;
