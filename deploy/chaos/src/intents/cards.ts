import type { Client, Done, Intent } from '../client.ts';
import { isActive, type KnownCard } from '../knowledge.ts';
import type { Wish } from '../send.ts';

const priorities = ['super_urgent', 'urgent', 'important', 'nice_to_have', null];

const someWorkstream = ({ knows, random }: Client) =>
  // Archived ones too, now and then: that is refused.
  knows.some(random, 'workstream', random.chance(0.95) ? isActive : undefined);

/** A card in some column, under the default workstream or one that is named. Its description is never edited. */
export const creation = (client: Client, workstream?: string): Wish | undefined => {
  const column = client.knows.some(client.random, 'column', client.random.chance(0.97) ? isActive : undefined);
  if (!column) return undefined;
  const chosen = workstream ?? (client.random.chance(0.6) ? someWorkstream(client)?.id : undefined);
  const title = client.name();
  return {
    operation: 'createCard',
    method: 'POST',
    path: `/columns/${column.id}/cards`,
    body: { title, description: title, ...(chosen !== undefined && { workstream_id: chosen }) },
  };
};

/** Fields of an edit; always with the title, which identifies the request. */
const edits = (client: Client) => {
  const { random } = client;
  return {
    title: client.name(),
    ...(random.chance(0.3) && { priority: random.pick(priorities) }),
    ...(random.chance(0.3) && { completed: random.chance(0.6) }),
  };
};

/** A write of a card that stands for one command. */
type CardWrite = (client: Client, card: KnownCard) => Wish | undefined;

const patch: CardWrite = (client, card) => ({
  operation: 'patchCard',
  method: 'PATCH',
  path: `/cards/${card.id}`,
  ifMatch: client.version(card),
  body: edits(client),
});

const patchAndTransfer: CardWrite = (client, card) => {
  const workstream = someWorkstream(client);
  if (!workstream) return undefined;
  const body = { ...edits(client), workstream_id: workstream.id };
  return { operation: 'patchCard', method: 'PATCH', path: `/cards/${card.id}`, ifMatch: client.version(card), body };
};

const post = (operation: string, what: string, body?: (client: Client, card: KnownCard) => unknown): CardWrite => {
  return (client, card) => {
    const sent = body?.(client, card);
    if (body && sent === undefined) return undefined;
    const wish = {
      operation,
      method: 'POST',
      path: `/cards/${card.id}/${what}`,
      ifMatch: client.version(card),
    } as const;
    return { ...wish, ...(sent !== undefined && { body: sent }) };
  };
};

const transfer = post('transferCard', 'workstream', (client) => {
  const workstream = someWorkstream(client);
  return workstream && { workstream_id: workstream.id };
});
const move = post('moveCard', 'move', ({ random, knows }, card) => {
  const column = knows.some(random, 'column', isActive);
  const other = knows.someCard(random);
  const places = [{ position: 'start' }, { position: 'end' }, { position: random.int(-5, 50) }];
  const place =
    other && other.id !== card.id && random.chance(0.2) ? { before_card_id: other.id } : random.pick(places);
  return { ...(column && random.chance(0.7) && { column_id: column.id }), ...place };
});
const archive = post('archiveCard', 'archive');
const restore = post('restoreCard', 'restore');

/** Writes that need no key: whether a lost one was carried out its sender finds out by reading. */
const sendPatch = async (client: Client, wish: Wish) => {
  const done = await client.once(wish);
  if (done.answer && done.answer.status !== 503) return done;
  // Some send it again all the same, and are refused where it was carried out.
  if (client.random.chance(0.3)) return client.once(wish);
  return client.once({ operation: 'getCard', method: 'GET', path: wish.path });
};

const written =
  (write: CardWrite) =>
  async (client: Client): Promise<Done | undefined> => {
    const card = client.knows.someCard(client.random);
    const wish = card && write(client, card);
    if (!wish) return undefined;
    return wish.method === 'POST' ? client.keyed(wish) : sendPatch(client, wish);
  };

const create = async (client: Client): Promise<Done | undefined> => {
  const wish = creation(client);
  return wish && client.keyed(wish);
};

/** Cards that a workspace has at most, about. */
const enough = 120;

const remove = async (client: Client): Promise<Done | undefined> => {
  const { knows, random } = client;
  const card = knows.someCard(random);
  if (!card || (knows.cards.size < enough / 4 && random.chance(0.8))) return undefined;
  return client.once({
    operation: 'deleteCard',
    method: 'DELETE',
    path: `/cards/${card.id}`,
    ifMatch: client.version(card),
  });
};

/** Keeps the number of cards within bounds. */
const createOrRemove = (client: Client) => (client.knows.cards.size > enough ? remove(client) : create(client));

/** Several writes of the version that everybody saw, all at once: one of them comes first. */
const race = async (client: Client): Promise<unknown> => {
  const card = client.knows.someCard(client.random);
  if (!card) return undefined;
  const writes = [patch, transfer, patchAndTransfer, move, archive, restore];
  const wishes = [0, 1, 2].flatMap(
    () => client.random.pick(writes)(client, { ...card, formerVersion: card.version }) ?? [],
  );
  return Promise.all(
    wishes.map((wish, at) =>
      client.once({ ...wish, ...(wish.method === 'POST' && { key: `k-${client.name()}` }) }, at),
    ),
  );
};

export const cardIntents: Intent[] = [
  { weight: 14, act: createOrRemove },
  { weight: 10, act: written(patch) },
  { weight: 7, act: written(patchAndTransfer) },
  { weight: 9, act: written(transfer) },
  { weight: 6, act: written(move) },
  { weight: 4, act: written(archive) },
  { weight: 4, act: written(restore) },
  { weight: 4, act: remove },
  { weight: 3, act: race },
];
