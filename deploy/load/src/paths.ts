import { v7 } from 'uuid';
import { type Shot, send } from './load.ts';
import type { System } from './systems.ts';

/** What both systems hold before anything is measured; the ids are the system's own. */
export interface Dataset {
  board: string;
  column: string;
  /** Of which the first is the hot one. */
  workstreams: string[];
}

/** A card that one connection at a time works on. */
interface Held {
  id: string;
  /** The one that it was created with. */
  identifier: string;
  etag: string;
}

export const pathNames = [
  'create, one workstream',
  'create, 100 workstreams',
  'read a card',
  'look up, current',
  'look up, alias',
  'list 50 cards',
  'edit (PATCH)',
  'transfer',
  'PUT dependency',
  'PUT and DELETE dependency',
] as const;
export type PathName = (typeof pathNames)[number];

/** Paths whose requests depend on an earlier answer. */
const dependent: readonly PathName[] = ['edit (PATCH)', 'transfer', 'PUT and DELETE dependency'];
/** Whether the requests of a path can be made before the first one is sent. */
export const isAhead = (path: PathName): boolean => !dependent.includes(path);

const seedClients = 64;

const cycle = <Item>(items: readonly Item[]) => {
  let at = -1;
  return (): Item => {
    at = (at + 1) % items.length;
    return items[at] as Item;
  };
};

/** The requests of each measured path, for one system. */
export type Paths = ReturnType<typeof pathsOf>;

export const pathsOf = (system: System, { board, column, workstreams }: Dataset) => {
  /** Cards that keep their identifier, and cards that were transferred at least once. */
  const still: Held[] = [];
  const moving: Held[] = [];
  let free: Held[] = [];
  let serial = 0;
  const key = () => ({ 'idempotency-key': v7() });
  const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
  const anyStream = cycle(workstreams);

  const create = (workstream_id: string): Shot => {
    serial += 1;
    const body = { title: `Card ${serial} of the load`, description: 'What is to be done, in a line.', workstream_id };
    return { method: 'POST', path: `/columns/${column}/cards`, headers: key(), body };
  };

  /**
   * Lends a card to a connection until its answer is there. The last requests of a leg are cut off: their cards are not
   * lent again, because their version is unknown.
   */
  const onCard = (shot: (card: Held) => Shot): Shot => {
    const card = free.shift();
    if (!card) throw new Error('out of cards: take more of them (--cards)');
    return {
      ...shot(card),
      done: (etag) => {
        card.etag = etag ?? card.etag;
        free.push(card);
      },
    };
  };

  const transfer = () =>
    onCard((card) => ({
      method: 'POST',
      path: `/cards/${card.id}/workstream`,
      headers: { ...key(), 'if-match': card.etag },
      body: { workstream_id: anyStream() },
    }));

  const edit = () =>
    onCard((card) => {
      serial += 1;
      const body = { title: `Card edited ${serial}` };
      return { method: 'PATCH', path: `/cards/${card.id}`, headers: { 'if-match': card.etag }, body };
    });

  let edge = -1;
  /** Never back from a card that moves: so there are no cycles, and looking for them costs nothing on either side. */
  const depend = (): Shot => {
    edge += 1;
    const from = still[edge % still.length] as Held;
    const to = moving[(edge + Math.floor(edge / still.length)) % moving.length] as Held;
    return { method: 'PUT', path: `/cards/${from.id}/dependencies/${to.id}` };
  };

  const made: Shot[] = [];
  /** Deletes those that were made, and makes others where none is left. */
  const dependAndFree = (): Shot => {
    const last = made.pop();
    if (last) return { ...last, method: 'DELETE' };
    const shot = depend();
    return { ...shot, done: () => void made.push(shot) };
  };

  const list = `/boards/${board}/cards?limit=50`;

  const sendOne = async (shot: Shot) => {
    const { data } = await send<{ data: { id: string; identifier: string; version: number } }>(system, shot);
    return { id: data.id, identifier: data.identifier, etag: `"${data.version}"` };
  };

  /** Does `work` so often, for so many at a time. */
  const many = async (times: number, work: () => Promise<void>) => {
    let left = times;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    };
    await Promise.all(Array.from({ length: seedClients }, worker));
  };

  const next: Record<PathName, () => Shot> = {
    'create, one workstream': () => create(workstreams[0] as string),
    'create, 100 workstreams': () => create(anyStream()),
    'read a card': () => ({ method: 'GET', path: `/cards/${anyOf(still).id}` }),
    'look up, current': () => ({ method: 'GET', path: `/cards/by-identifier/${anyOf(still).identifier}` }),
    'look up, alias': () => ({ method: 'GET', path: `/cards/by-identifier/${anyOf(moving).identifier}` }),
    'list 50 cards': () => ({ method: 'GET', path: list }),
    'edit (PATCH)': edit,
    transfer,
    'PUT dependency': depend,
    'PUT and DELETE dependency': dependAndFree,
  };

  return {
    /** Makes the cards and aliases that the paths work on, through the API. */
    async seed(cards: number): Promise<void> {
      await many(cards, async () => void still.push(await sendOne(create(anyStream()))));
      moving.push(...still.splice(cards / 2));
      free = [...moving];
      await many(moving.length, async () => {
        const shot = transfer();
        const card = await sendOne(shot);
        shot.done?.(card.etag);
      });
    },
    next,
  };
};
