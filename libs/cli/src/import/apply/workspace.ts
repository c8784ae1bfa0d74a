import type { CardinalClient, PostOptions, Workstream } from '@cardinal/client/source';
import { mainPrefix } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import { isRefused } from '../found.ts';
import type { Journal, Made } from '../journal.ts';
import { keyOf } from '../plan/identity.ts';
import { maxColumns, type Plan } from '../plan/plan.ts';
import type { Ids } from './facets.ts';

/**
 * Finds the resource with this id, else the one that a run made under this name, whatever it is called now, else the only one with
 * this name. @throws CliError if several have the name
 */
const byName = async <Resource extends { id: string; name: string }>(
  journal: Journal,
  kind: Made['kind'],
  name: string,
  resources: AsyncIterable<Resource>,
): Promise<Resource | undefined> => {
  const made = journal.made.filter((one) => one.kind === kind && one.name === name).map(({ id }) => id);
  const named: Resource[] = [];
  for await (const resource of resources) {
    if (resource.id === name.toLowerCase() || made.includes(resource.id)) return resource;
    if (resource.name === name) named.push(resource);
  }
  if (named.length > 1) {
    throw new CliError(
      `several ${kind}s are called "${name}"; name one by its id: ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  return named[0];
};

interface Steps<Resource> {
  kind: Made['kind'];
  name: string;
  /** The resource that it is part of. */
  within?: string[];
  find: () => Promise<Resource | undefined>;
  create: (options: PostOptions) => Promise<Resource>;
}

/**
 * Finds a resource or creates it, and writes it to the journal. The key is derived, so concurrent or repeated runs create
 * one resource. If that is gone by now (archived, renamed, deleted), the n-th key creates another.
 */
const findOrCreate = async <Resource extends { id: string; version: number }>(
  journal: Journal,
  { kind, name, within = [], find, create }: Steps<Resource>,
): Promise<Resource> => {
  const found = await find();
  if (found) return found;
  for (let n = 1; ; n += 1) {
    let replayed = false;
    const created = await create({
      idempotencyKey: keyOf(kind, ...within, name, n),
      onReply: (reply) => {
        replayed = reply.replayed;
      },
    });
    const usable = replayed ? await find() : created;
    if (!usable) continue;
    if (!journal.made.some(({ id }) => id === usable.id)) {
      await journal.append({ made: { kind, id: usable.id, name, version: usable.version } });
    }
    return usable;
  }
};

/** The workstreams of the workspace by prefix, archived ones too. */
export const findWorkstreams = async (client: CardinalClient): Promise<Map<string, Workstream>> => {
  const lists = [client.workstreams.list(), client.workstreams.list({ archived: true })];
  const all = (await Promise.all(lists.map((list) => list.all()))).flat();
  return new Map(all.map((one) => [one.prefix, one]));
};

/**
 * Checks that board and columns can be found or created, before any write.
 * @throws CliError if several have a name, or the board would have too many columns
 */
export const checkTarget = async (
  client: CardinalClient,
  journal: Journal,
  { mapping }: Plan,
  boardName: string,
): Promise<void> => {
  const board = await byName(journal, 'board', boardName, client.boards.list());
  if (!board) return;
  const columns = await client.columns.list(board.id).all();
  const named = await Promise.all(mapping.columns.map(({ name }) => byName(journal, 'column', name, listOf(columns))));
  const all = columns.length + named.filter((one) => one === undefined).length;
  if (all > maxColumns) {
    throw new CliError(
      `board "${boardName}" would have ${all} columns, more than ${maxColumns}; put several statuses into one in the mapping`,
    );
  }
};

/** Ids by name; what a run made is found under the name that it had then. */
const namesOf = (journal: Journal, kind: Made['kind'], resources: { id: string; name: string }[]) => {
  const there = new Set(resources.map(({ id }) => id));
  const made = journal.made.filter((one) => one.kind === kind && there.has(one.id));
  return new Map([...resources, ...made].map(({ id, name }) => [name, id]));
};

/**
 * Finds the ids of the columns and labels that a plan names, and writes nothing.
 * @returns ids by name; for one that is not there yet a text that no id is
 */
export const findIds = async (client: CardinalClient, journal: Journal, boardName: string): Promise<Ids> => {
  const board = await byName(journal, 'board', boardName, client.boards.list());
  const columns = board ? await client.columns.list(board.id).all() : [];
  const labels = await client.labels.list().all();
  const [columnIds, labelIds] = [namesOf(journal, 'column', columns), namesOf(journal, 'label', labels)];
  const isColumn = new Set(columns.map(({ id }) => id));
  return {
    column: (name) => (isColumn.has(name.toLowerCase()) ? name.toLowerCase() : (columnIds.get(name) ?? `new ${name}`)),
    label: (name) => labelIds.get(name) ?? `new ${name}`,
  };
};

async function* listOf<Item>(items: Item[]) {
  yield* items;
}

/** The targets of cards: ids by the names of the plan. */
export interface Target {
  board: string;
  columns: Map<string, string>;
  labels: Map<string, string>;
  /** By prefix. */
  workstreams: Map<string, string>;
}

/** Finds board, columns, labels and workstreams, or creates them, columns in their order. */
export const findTarget = async (
  client: CardinalClient,
  journal: Journal,
  { mapping, survey, workstreams: needed }: Plan,
  boardName: string,
): Promise<Target> => {
  const workstreams = new Map([...(await findWorkstreams(client))].map(([prefix, { id }]) => [prefix, id]));
  for (const { prefix } of needed) {
    if (workstreams.has(prefix)) continue;
    const made = await findOrCreate(journal, {
      kind: 'workstream',
      name: prefix,
      find: async () => (await findWorkstreams(client)).get(prefix),
      create: (options) => createWorkstream(client, prefix, options),
    });
    workstreams.set(prefix, made.id);
  }
  const board = await findOrCreate(journal, {
    kind: 'board',
    name: boardName,
    find: () => byName(journal, 'board', boardName, client.boards.list()),
    create: (options) => client.boards.create({ name: boardName }, options),
  });
  const columns = new Map<string, string>();
  for (const { name } of mapping.columns) {
    const column = await findOrCreate(journal, {
      kind: 'column',
      name,
      within: [board.id],
      find: () => byName(journal, 'column', name, client.columns.list(board.id)),
      create: (options) => client.columns.create(board.id, { name }, options),
    });
    columns.set(name, column.id);
  }
  const labels = await findLabels(client, journal, [...survey.labels.keys()]);
  return { board: board.id, columns, labels, workstreams };
};

/** Whether a run made the default workstream adopt. */
export const hasMain = (journal: Journal): boolean =>
  journal.made.some(({ kind, name }) => kind === 'workstream' && name === mainPrefix);

/**
 * Makes the default workstream adopt, under a key of the import: another run of the same files gets the same answer.
 * @returns whether it adopts for this import; false if it adopts for another, or cannot any more
 */
export const claimMain = async (client: CardinalClient, journal: Journal, names: string[]): Promise<boolean> => {
  if (hasMain(journal)) return true;
  try {
    const body = { name: 'Main', prefix: mainPrefix, adopting: true };
    const { id, version } = await client.workstreams.create(body, { idempotencyKey: keyOf('main', ...names) });
    await journal.append({ made: { kind: 'workstream', id, name: mainPrefix, version } });
    return true;
  } catch (error) {
    if (!isRefused(error, 'conflict')) throw error;
    return false;
  }
};

/** Creates the workstream of a prefix; if a concurrent import created it first, uses that one. */
const createWorkstream = async (client: CardinalClient, prefix: string, options: PostOptions) => {
  try {
    return await client.workstreams.create({ name: prefix, prefix, adopting: true }, options);
  } catch (error) {
    const other = isRefused(error, 'conflict') ? (await findWorkstreams(client)).get(prefix) : undefined;
    if (!other) throw error;
    return other;
  }
};

const findLabels = async (client: CardinalClient, journal: Journal, names: string[]): Promise<Map<string, string>> => {
  const known = async () => (names.length === 0 ? [] : await client.labels.list().all());
  const ids = namesOf(journal, 'label', await known());
  for (const name of names) {
    if (ids.has(name)) continue;
    const label = await findOrCreate(journal, {
      kind: 'label',
      name,
      find: async () => (await known()).find((one) => one.name === name),
      create: (options) => client.labels.create({ name }, options),
    });
    ids.set(name, label.id);
  }
  return ids;
};

/** Looks up a name of the plan. @throws Error if the target lacks it, which is a bug */
export const idIn = (ids: Map<string, string>, name: string): string => {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the target has no "${name}"`);
  return id;
};
