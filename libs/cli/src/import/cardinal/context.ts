import { type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { Bounds } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import type { Journal } from '../journal.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

/** The state that the steps of an import share. */
export interface ImportContext extends Bounds {
  client: CardinalClient;
  journal: Journal;
  survey: Survey;
  replay: Replay;
  /** How many cards exist with their identifiers, for the progress. */
  done: { cards: number };
  /** Deviations from the export, a line each. */
  left: string[];
}

/** How many columns are imported at once; the cards of one follow each other. */
export const columnsAtOnce = 4;

/** Changes a resource of any version, once for all runs. */
export const changeOnce = <Resource extends { id: string }>(
  { journal }: ImportContext,
  name: string,
  read: () => Promise<Resource>,
  write: (resource: Resource) => Promise<{ id: string }>,
): Promise<string> => journal.once(name, async () => (await writeFresh(read, write)).id);

/** Archives a resource, once for all runs. */
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

/** Deletes a resource, unless it is gone, once for all runs. */
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
