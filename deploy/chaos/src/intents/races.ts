import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import { isActive, type KnownCard } from '../knowledge.ts';
import { requestFor } from '../send.ts';
import { creation, creations } from './cards.ts';
import { archival, archiveAndCreate, newWorkstream, slowAnswerMs } from './workstreams.ts';

// Brings together requests that can conflict only at the same moment.

const someCards = ({ knows, random }: Client, count: number): KnownCard[] =>
  [
    ...new Set(Array.from({ length: count * 2 }, () => knows.someCard(random)).filter((card) => card !== undefined)),
  ].slice(0, count);

const edge = (from: { id: string }, to: { id: string }) => requestFor(api.putDependency, [from.id, to.id]);

/** Adds dependencies that together would close a cycle: at least one is refused. */
const ring = async (client: Client) => {
  const cards = someCards(client, client.random.int(2, 3));
  const [first] = cards;
  if (!first || cards.length < 2) return;
  const pairs = cards.map((card, at) => [card, cards[at + 1] ?? first] as const);
  for (const [from, to] of pairs) client.knows.noteEdge(from.id, to.id);
  await client.atOnce(pairs.map(([from, to]) => edge(from, to)));
  await client.ask(api.listDependencies, [first.id], { query: 'limit=100' });
};

/**
 * Deletes a card while requests add dependencies, a cover and a subtask; half of the cards have a cover before. The card is
 * new: an older one would mostly have got another version, and the deletion would be refused.
 */
const deleteUnderTouches = async (client: Client) => {
  const [other, third] = someCards(client, 2);
  const planned = creation(client);
  const card = planned && (await client.send(planned)).answer?.body.card;
  if (!card || !other || !third) return;
  const [image] = client.knows.images;
  const cover = image === undefined ? [] : [requestFor(api.putCover, [card.id, image])];
  if (client.random.chance(0.5)) await client.atOnce(cover);
  await client.atOnce([
    edge(card, other),
    requestFor(api.deleteCard, [card.id], { ifMatch: card.version }),
    edge(third, card),
    ...cover,
    requestFor(api.createSubtask, [card.id], { body: { title: client.name() } }),
  ]);
};

/** Moves several cards to the same place. */
const crowd = async (client: Client) => {
  const column = client.knows.some(client.random, 'column', isActive);
  if (!column) return;
  const body = { column_id: column.id, position: client.random.pick(['start', 'end']) };
  const moves = someCards(client, 4).map(({ id, version }) =>
    requestFor(api.moveCard, [id], { ifMatch: version, body }),
  );
  const create = creation(client);
  await client.atOnce([...moves, ...(create ? [create] : [])]);
};

/**
 * Creates cards in a new workstream, which other services do not know yet, and archives it: at the same moment, or while an
 * answer may be on its way.
 */
const archiveFresh = async (client: Client) => {
  const made = (await client.send(newWorkstream(client))).answer?.body.resource;
  if (made?.type !== 'workstream') return;
  const creates = creations(client, 4, made.id);
  const later = client.random.chance(0.3) ? 0 : client.random.int(0, slowAnswerMs);
  await Promise.all([
    client.atOnce(creates),
    client.wait(later).then(() => archiveAndCreate(client, archival(made), made.id)),
  ]);
};

/** Looks up a new identifier at once, at gateways that have not seen it. */
const lookUpAtOnce = async (client: Client) => {
  const { knows, random } = client;
  const planned = creation(client);
  const created = planned && (await client.send(planned)).answer;
  const card = created?.body.card;
  const workstream = knows.some(random, 'workstream', isActive);
  if (!card || created.status !== 201 || !workstream) return;
  const lookUp = (at: number) =>
    client.once(requestFor(api.getCardByIdentifier, [card.identifier]), at, at % knows.users.length);
  await Promise.all([0, 1].map(lookUp));
  await client.ask(api.transferCard, [card.id], { ifMatch: card.version, body: { workstream_id: workstream.id } });
  await Promise.all([2, 3, 4].map(lookUp));
};

export const raceIntents: Intent[] = [
  { weight: 0.7, act: ring },
  { weight: 4, act: deleteUnderTouches },
  { weight: 0.7, act: crowd },
  { weight: 3, act: archiveFresh },
  { weight: 2, act: lookUpAtOnce },
];
