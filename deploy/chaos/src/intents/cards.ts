import * as api from '@cardinal/contracts';
import type { Client, Done, Intent } from '../client.ts';
import { isActive, type KnownCard } from '../knowledge.ts';
import { type PlannedRequest, requestFor } from '../send.ts';

const priorities = ['super_urgent', 'urgent', 'important', 'nice_to_have', null];

const someWorkstream = ({ knows, random }: Client) =>
  // Sometimes an archived one, which is refused.
  knows.some(random, 'workstream', random.chance(0.95) ? isActive : undefined);

/** A card in a random column, of the default workstream or a named one. Its description is never edited. */
export const creation = (client: Client, workstream?: string): PlannedRequest | undefined => {
  const column = client.knows.some(client.random, 'column', client.random.chance(0.97) ? isActive : undefined);
  if (!column) return undefined;
  const chosen = workstream ?? (client.random.chance(0.6) ? someWorkstream(client)?.id : undefined);
  const title = client.name();
  const body = { title, description: title, ...(chosen !== undefined && { workstream_id: chosen }) };
  return requestFor(api.createCard, [column.id], { body });
};

/** That many creates; none if there is no column. */
export const creations = (client: Client, count: number, workstream: string): PlannedRequest[] =>
  Array.from({ length: count }, () => creation(client, workstream)).filter((planned) => planned !== undefined);

/** A write of a card that is one command. */
type CardWrite = (client: Client, card: KnownCard) => PlannedRequest | undefined;

/** @param bodyOf makes its body; undefined if it cannot be written now */
const cardWrite =
  (operation: api.Operation, bodyOf?: (client: Client, card: KnownCard) => object | undefined): CardWrite =>
  (client, card) => {
    const body = bodyOf?.(client, card);
    if (bodyOf && !body) return undefined;
    return requestFor(operation, [card.id], { ifMatch: client.version(card), ...(body && { body }) });
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
const otherWorkstream = (client: Client) => {
  const workstream = someWorkstream(client);
  return workstream && { workstream_id: workstream.id };
};

const patch = cardWrite(api.patchCard, edits);
const patchAndTransfer = cardWrite(api.patchCard, (client) => {
  const workstream = otherWorkstream(client);
  return workstream && { ...edits(client), ...workstream };
});
const transfer = cardWrite(api.transferCard, otherWorkstream);
const move = cardWrite(api.moveCard, ({ random, knows }, card) => {
  const column = knows.some(random, 'column', isActive);
  const other = knows.someCard(random);
  const places = [{ position: 'start' }, { position: 'end' }, { position: random.int(-5, 50) }];
  const place =
    other && other.id !== card.id && random.chance(0.2) ? { before_card_id: other.id } : random.pick(places);
  return { ...(column && random.chance(0.7) && { column_id: column.id }), ...place };
});
const archive = cardWrite(api.archiveCard);
const restore = cardWrite(api.restoreCard);

/** Sends a write without a key. If the answer is lost, the sender reads the card to learn the outcome. */
const sendPatch = async (client: Client, planned: PlannedRequest, { id }: KnownCard) => {
  const done = await client.once(planned);
  if (done.answer && done.answer.status !== 503) return done;
  // Some repeat it, and are refused if it was applied.
  return client.random.chance(0.3) ? client.once(planned) : client.ask(api.getCard, [id]);
};

const written =
  (write: CardWrite) =>
  async (client: Client): Promise<Done | undefined> => {
    const card = client.knows.someCard(client.random);
    const planned = card && write(client, card);
    if (!planned) return undefined;
    return planned.method === 'POST' ? client.send(planned) : sendPatch(client, planned, card);
  };

/** Cards that a workspace has at most, about. */
const enough = 120;

const remove = async (client: Client): Promise<Done | undefined> => {
  const { knows, random } = client;
  const card = knows.someCard(random);
  if (!card || (knows.cards.size < enough / 4 && random.chance(0.8))) return undefined;
  return client.ask(api.deleteCard, [card.id], { ifMatch: client.version(card) });
};

/** Keeps the number of cards within bounds. */
const createOrRemove = async (client: Client) => {
  if (client.knows.cards.size > enough) return remove(client);
  const planned = creation(client);
  return planned && client.send(planned);
};

/** Several writes of the same version at once: one of them comes first. */
const race = async (client: Client): Promise<unknown> => {
  const card = client.knows.someCard(client.random);
  if (!card) return undefined;
  const seen = { ...card, formerVersion: card.version };
  const writes = [patch, transfer, patchAndTransfer, move, archive, restore];
  return client.atOnce([0, 1, 2].flatMap(() => client.random.pick(writes)(client, seen) ?? []));
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
