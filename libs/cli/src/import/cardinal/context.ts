import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import { forEachConcurrently } from '../concurrently.ts';
import type { Journal } from '../journal.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

/** What the steps of an import share. */
export interface ImportContext {
  client: CardinalClient;
  journal: Journal;
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

/** So many cards are worked on at once, where their order does not matter. */
export const atOnce = 8;

/** Works on several items at once. @throws Stopped once somebody asked for an early end, when those in hand are finished */
export const forEachOf = async <Item>(
  context: ImportContext,
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<void>,
  concurrency = atOnce,
): Promise<void> => {
  await forEachConcurrently(items, { concurrency, isStopped: context.isStopped }, work);
  goOn(context);
};

/** Changes a resource, whichever version it has, once for all runs. */
export const changeOnce = <Resource extends { id: string }>(
  { journal }: ImportContext,
  name: string,
  read: () => Promise<Resource>,
  write: (resource: Resource) => Promise<{ id: string }>,
): Promise<string> => journal.once(name, async () => (await writeFresh(read, write)).id);

/** Archives what has this id, once for all runs. */
export const archiveOnce = <Resource extends { id: string }>(
  context: ImportContext,
  name: string,
  id: string,
  { get, archive }: { get(id: string): Promise<Resource>; archive(resource: Resource): Promise<{ id: string }> },
): Promise<string> =>
  changeOnce(
    context,
    name,
    () => get(id),
    (one) => archive(one),
  );
