import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { Bounds } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import type { Journal } from '../journal.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

/** What the steps of an import share. */
export interface ImportContext extends Bounds {
  client: CardinalClient;
  journal: Journal;
  survey: Survey;
  replay: Replay;
  /** Cards that are there with their identifiers, for the progress. */
  done: { cards: number };
  /** What could not be done as the export has it, in lines. */
  left: string[];
}

/** So many columns are worked on at once, each of whose cards come one after the other. */
export const columnsAtOnce = 4;

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

/** Deletes what has this id, unless it is gone, once for all runs. */
export const deleteOnce = <Resource extends { id: string }>(
  { journal }: ImportContext,
  name: string,
  id: string,
  { get, delete: remove }: { get(id: string): Promise<Resource>; delete(resource: Resource): Promise<unknown> },
): Promise<string> =>
  journal.once(name, async () => {
    const found = await ifFound(get(id));
    if (found) await remove(found);
    return id;
  });
