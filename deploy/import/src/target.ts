import { type Board, type CardinalClient, CardinalError, type Column, type PostOptions } from '@cardinal/client/source';
import { ImportError } from './report.ts';
import { keyOf } from './rows.ts';

/** Where the cards go. */
export interface Target {
  board: Board;
  column: Column;
}

/** The resource with this id, else the only one with this name. @throws ImportError where several have it */
const byName = async <Resource extends { id: string; name: string }>(
  kind: string,
  name: string,
  resources: AsyncIterable<Resource>,
): Promise<Resource | undefined> => {
  const named: Resource[] = [];
  for await (const resource of resources) {
    if (resource.id === name.toLowerCase()) return resource;
    if (resource.name === name) named.push(resource);
  }
  if (named.length > 1) {
    throw new ImportError(
      `several ${kind}s are called "${name}"; name one by its id: ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  return named[0];
};

/**
 * Finds a resource or creates it under a derived key, so that two imports at once, or one that was killed, end up with
 * one. Where what an earlier run created is gone by now (archived, renamed, deleted), the n-th key creates another.
 */
export const findOrCreate = async <Resource>(steps: {
  find: () => Promise<Resource | undefined>;
  create: (options: PostOptions) => Promise<Resource>;
  key: (n: number) => string;
}): Promise<Resource> => {
  const found = await steps.find();
  if (found) return found;
  for (let n = 1; ; n += 1) {
    let replayed = false;
    const created = await steps.create({
      idempotencyKey: steps.key(n),
      onReply: (reply) => {
        replayed = reply.replayed;
      },
    });
    const usable = replayed ? await steps.find() : created;
    if (usable) return usable;
  }
};

/** Finds the board and the column by name (or id), or creates them. */
export const findTarget = async (client: CardinalClient, names: { board: string; column: string }): Promise<Target> => {
  const board = await findOrCreate({
    find: () => byName('board', names.board, client.boards.list()),
    create: (options) => client.boards.create({ name: names.board }, options),
    key: (n) => keyOf('board', names.board, n),
  });
  const column = await findOrCreate({
    find: () => byName('column', names.column, client.columns.list(board.id)),
    create: (options) => client.columns.create(board.id, { name: names.column }, options),
    key: (n) => keyOf('column', board.id, names.column, n),
  });
  return { board, column };
};

// The service keeps keys for at least 24 h (api-decisions, "Idempotency"); an hour is left for the import itself.
const keptMs = 23 * 60 * 60 * 1000;

/** @throws ImportError for a column filled longer ago than the service remembers keys: its rows would come twice */
export const refuseForgotten = async (
  client: CardinalClient,
  { board, column }: Target,
  now: number,
): Promise<void> => {
  if (now - Date.parse(column.created_at) < keptMs) return;
  for (const archived of [false, true]) {
    const { data } = await client.cards.list(board.id, { column_id: column.id, archived }, { pageSize: 1 }).page();
    if (data.length === 0) continue;
    throw new ImportError(
      `column "${column.name}" of board "${board.name}" was made more than 23 hours ago and holds cards: rows that were ` +
        'imported so long ago would come a second time; choose another --board or --column, or say --append if these rows are new',
    );
  }
};

/** The ids of those of the needed workstreams that there are, by prefix. @throws ImportError where one is archived */
export const knownWorkstreams = async (
  client: CardinalClient,
  needed: { has(prefix: string): boolean },
): Promise<Map<string, string>> => {
  for await (const { prefix } of client.workstreams.list({ archived: true })) {
    if (!needed.has(prefix)) continue;
    throw new ImportError(`workstream ${prefix} is archived and takes no cards; leave it out of --workstream-pattern`);
  }
  const active = await client.workstreams.list().all();
  return new Map(active.filter(({ prefix }) => needed.has(prefix)).map(({ prefix, id }) => [prefix, id]));
};

/** Creates a workstream named as its prefix. @throws ImportError where one took it meanwhile that takes no cards */
export const createWorkstream = async (client: CardinalClient, prefix: string): Promise<string> => {
  try {
    const key = { idempotencyKey: keyOf('workstream', prefix) };
    return (await client.workstreams.create({ name: prefix, prefix }, key)).id;
  } catch (error) {
    if (!(error instanceof CardinalError) || error.code !== 'conflict') throw error;
    const id = (await knownWorkstreams(client, new Set([prefix]))).get(prefix);
    if (id) return id;
    throw new ImportError(`the prefix ${prefix} is taken, but no workstream has it`, { cause: error });
  }
};

/** The ids of the needed labels by name; creates those that are missing. */
export const findLabels = async (client: CardinalClient, needed: Set<string>): Promise<Map<string, string>> => {
  const known = async () => {
    const labels = needed.size === 0 ? [] : await client.labels.list().all();
    return new Map(labels.filter(({ name }) => needed.has(name)).map(({ name, id }) => [name, id]));
  };
  const ids = await known();
  for (const name of needed) {
    if (ids.has(name)) continue;
    const id = await findOrCreate({
      find: async () => (await known()).get(name),
      create: async (options) => (await client.labels.create({ name }, options)).id,
      key: (n) => keyOf('label', name, n),
    });
    ids.set(name, id);
  }
  return ids;
};
