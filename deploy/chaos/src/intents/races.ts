import type { Client, Intent } from '../client.ts';
import { isActive, type KnownCard } from '../knowledge.ts';
import type { Wish } from '../send.ts';
import { creation } from './cards.ts';
import { archival, archiveAndCreate, newWorkstream, slowAnswerMs } from './workstreams.ts';

// What would go wrong only if requests met at one moment, brought together: each goes to another gateway than the last.

const atOnce = (client: Client, wishes: readonly Wish[]) =>
  Promise.all(
    wishes.map((wish, at) =>
      client.once({ ...wish, ...(wish.method === 'POST' && { key: `k-${client.name()}` }) }, at),
    ),
  );

const someCards = ({ knows, random }: Client, count: number): KnownCard[] =>
  [
    ...new Set(Array.from({ length: count * 2 }, () => knows.someCard(random)).filter((card) => card !== undefined)),
  ].slice(0, count);

const edge = (from: KnownCard, to: KnownCard): Wish => {
  return { operation: 'putDependency', method: 'PUT', path: `/cards/${from.id}/dependencies/${to.id}` };
};

/** Dependencies that together would close a cycle: one at least is refused. */
const ring = async (client: Client) => {
  const cards = someCards(client, client.random.int(2, 3));
  const [first] = cards;
  if (!first || cards.length < 2) return;
  const pairs = cards.map((card, at) => [card, cards[at + 1] ?? first] as const);
  for (const [from, to] of pairs) client.knows.noteEdge(from.id, to.id);
  await atOnce(
    client,
    pairs.map(([from, to]) => edge(from, to)),
  );
  await client.once({
    operation: 'listDependencies',
    method: 'GET',
    path: `/cards/${first.id}/dependencies?limit=100`,
  });
};

/** A card is deleted while others depend on it, cover it and write on it; half of them have a cover before. */
const deleteUnderTouches = async (client: Client) => {
  const [card, other, third] = someCards(client, 3);
  if (!card || !other || !third) return;
  const path = `/cards/${card.id}`;
  const [image] = client.knows.images;
  const cover: Wish[] = image ? [{ operation: 'putCover', method: 'PUT', path: `${path}/cover/${image}` }] : [];
  if (client.random.chance(0.5)) await atOnce(client, cover);
  await atOnce(client, [
    edge(card, other),
    { operation: 'deleteCard', method: 'DELETE', path, ifMatch: card.version },
    edge(third, card),
    ...cover,
    { operation: 'createSubtask', method: 'POST', path: `${path}/subtasks`, body: { title: client.name() } },
  ]);
};

/** Several cards go to the same place. */
const crowd = async (client: Client) => {
  const column = client.knows.some(client.random, 'column', isActive);
  if (!column) return;
  const place = client.random.pick(['start', 'end']);
  const moves = someCards(client, 4).map(({ id, version }): Wish => {
    const body = { column_id: column.id, position: place };
    return { operation: 'moveCard', method: 'POST', path: `/cards/${id}/move`, ifMatch: version, body };
  });
  const create = creation(client);
  await atOnce(client, [...moves, ...(create ? [create] : [])]);
};

/**
 * An unused workstream, of which every service still has to learn, is archived meanwhile: at the same moment, or while
 * an answer may be on its way.
 */
const archiveFresh = async (client: Client) => {
  const made = (await client.keyed(newWorkstream(client))).answer?.body.resource;
  if (made?.type !== 'workstream') return;
  const creates = Array.from({ length: 4 }, () => creation(client, made.id)).filter((wish) => wish !== undefined);
  const archive = archival({ ...made, parent: '', archived: false });
  const later = client.random.chance(0.3) ? 0 : client.random.int(0, slowAnswerMs);
  await Promise.all([
    atOnce(client, creates),
    client.wait(later).then(() => archiveAndCreate(client, archive, made.id)),
  ]);
};

/** A fresh identifier is looked up at once, by clients whose gateway has not seen it. */
const lookUpAtOnce = async (client: Client) => {
  const { knows, random } = client;
  const wish = creation(client);
  const created = wish && (await client.keyed(wish)).answer;
  const card = created?.body.card;
  const workstream = knows.some(random, 'workstream', isActive);
  if (!card || created.status !== 201 || !workstream) return;
  const lookUp = (identifier: string, at: number) => {
    const path = `/cards/by-identifier/${identifier}`;
    return client.once({ operation: 'getCardByIdentifier', method: 'GET', path }, at, at % knows.users.length);
  };
  await Promise.all([0, 1].map((at) => lookUp(card.identifier, at)));
  const path = `/cards/${card.id}/workstream`;
  const body = { workstream_id: workstream.id };
  await client.keyed({ operation: 'transferCard', method: 'POST', path, ifMatch: card.version, body });
  await Promise.all([2, 3, 4].map((at) => lookUp(card.identifier, at)));
};

export const raceIntents: Intent[] = [
  { weight: 0.7, act: ring },
  { weight: 2, act: deleteUnderTouches },
  { weight: 0.7, act: crowd },
  { weight: 3, act: archiveFresh },
  { weight: 2, act: lookUpAtOnce },
];
