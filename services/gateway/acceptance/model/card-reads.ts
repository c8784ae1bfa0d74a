import fc from 'fast-check';
import type { Answer, Body, Client } from '../workspace.ts';
import { type CardModel, columns, prefixes, prefixOf } from './card-model.ts';
import type { Known } from './known.ts';
import { refused, type Step, type Steps, shown } from './story.ts';

/** The workspace of a story: a user who may do everything, one without the admin scope, and what they know. */
export interface CardWorld {
  client: Client;
  writer: Client;
  known: Known;
}

export type CardStep = Step<CardModel, CardWorld>;

/** What an answer shows of a card, by what was seen of all others. */
const readCard = ({ known }: CardWorld, name: string, card: Body) => {
  const version = known.meet(name, card);
  const above = known.all().filter((one) => one.column_id === card.column_id && one.position < card.position);
  const { title, description, priority, identifier } = card;
  return {
    version,
    title,
    description,
    priority,
    identifier,
    workstream: card.workstream.prefix,
    completed: card.completed_at !== null,
    archived: card.archived_at !== null,
    column: known.name(card.column_id),
    above: above.toSorted((one, other) => one.position - other.position).map(({ id }) => known.name(id)),
  };
};

/** What an answer with a card shows; the card's version is its ETag. */
export const cardIn =
  (name: string) =>
  (real: CardWorld, { headers, body }: Answer) => {
    const shows = readCard(real, name, body.data);
    return headers.get('etag') === `"${shows.version}"` ? shows : `ETag ${headers.get('etag')}`;
  };

const read = (name: string): CardStep => ({
  told: `read(${name})`,
  possible: (model) => model.cards.has(name) || model.deleted.has(name),
  predict: (model) => (model.cards.has(name) ? shown(model.view(name)) : refused(404)),
  send: ({ client, known }) => client.get(`/cards/${known.id(name)}`),
  read: cardIn(name),
});

/** Each number of a workstream was issued to one card, or to none yet; those of deleted cards lead nowhere. */
const lookUp = (identifier: string): CardStep => ({
  told: `lookUp(${identifier})`,
  predict: (model) => {
    const found = [...model.cards].find(([, card]) => card.identifiers.includes(identifier.toUpperCase()));
    if (!found) return refused(404);
    const [name, { identifiers }] = found;
    const current = identifiers.at(-1);
    return shown({
      is: name,
      card: model.view(name),
      current,
      alias: identifier.toUpperCase() !== current,
      as: identifier,
    });
  },
  send: ({ client }) => client.get(`/cards/by-identifier/${identifier}`),
  read: (real, { body: { data } }) => ({
    is: real.known.name(data.card.id),
    card: readCard(real, real.known.name(data.card.id), data.card),
    current: data.current_identifier,
    alias: data.is_alias,
    as: data.resolved_identifier,
  }),
});

/** Oldest first, exactly one current, and each was superseded when the next one came (CONTRACT 4.4). */
const history = (name: string): CardStep => ({
  told: `history(${name})`,
  possible: (model) => model.cards.has(name) || model.deleted.has(name),
  predict: ({ cards }) => {
    const identifiers = cards.get(name)?.identifiers;
    if (!identifiers) return refused(404);
    const last = identifiers.length - 1;
    return shown(
      identifiers.map((one, at) => ({ one, of: prefixOf(one), current: at === last, superseded: at !== last })),
    );
  },
  send: ({ client, known }) => client.get(`/cards/${known.id(name)}/identifiers`),
  read: (_, { body: { data } }) =>
    data.map(({ identifier, workstream, is_current, superseded_at }: Body, at: number) => ({
      one: identifier,
      of: workstream.prefix,
      current: is_current,
      superseded: superseded_at === data[at + 1]?.assigned_at ? true : superseded_at !== null && 'at another time',
    })),
});

type View = Pick<ReturnType<CardModel['view']>, 'archived' | 'completed' | 'priority'>;
const filters: Record<string, (card: View) => boolean> = {
  '': () => true,
  'archived=true': ({ archived }) => archived,
  'completed=true': ({ completed }) => completed,
  'completed=false': ({ completed }) => !completed,
  'priority=urgent': ({ priority }) => priority === 'urgent',
};

const namesOf = ({ known }: CardWorld, { body: { data } }: Answer) =>
  data.map((card: Body) => {
    known.meet(known.name(card.id), card);
    return known.name(card.id);
  });

/** The board's cards in the order of its columns; archived ones only where asked for. */
const list = (filter: string): CardStep => ({
  told: `list(${filter})`,
  predict: (model) => {
    const inOrder = columns.flatMap((column) => model.order[column]).map((name) => [name, model.view(name)] as const);
    const asked = inOrder.filter(([, card]) => card.archived === (filter === 'archived=true'));
    return shown(asked.filter(([, card]) => filters[filter]?.(card)).map(([name]) => name));
  },
  send: ({ client, known }) => client.get(`/boards/${known.id('board')}/cards?${filter}`),
  read: namesOf,
});

/** The cards of both boards in the order in which they were created. */
const listAll = (filter: string): CardStep => ({
  told: `listAll(${filter})`,
  predict: ({ cards }) => {
    const all = [...cards].filter(([, card]) => card.archived === (filter === 'archived=true'));
    return shown(all.filter(([, card]) => filters[filter]?.(card)).map(([name]) => name));
  },
  send: ({ client }) => client.get(`/cards?sort=created&${filter}`),
  read: namesOf,
});

const someCard = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const someIdentifier = fc
  .tuple(fc.constantFrom(...prefixes, 'main', 'pay'), fc.integer({ min: 1, max: 6 }))
  .map(([prefix, number]) => `${prefix}-${number}`);

/** What is read while a story goes on. */
export const cardReads: Steps<CardModel, CardWorld> = fc.oneof(
  someCard.map(read),
  someIdentifier.map(lookUp),
  someCard.map(history),
  fc.constantFrom(...Object.keys(filters)).map(list),
  fc.constantFrom(...Object.keys(filters)).map(listAll),
);

/**
 * In the end: every card, every issued identifier and the number after it, every history, and the lists in their orders.
 */
export const cardEpilogue = (model: CardModel): CardStep[] => {
  const issued = [...[...model.cards.values()].map((card) => card.identifiers), ...model.deleted.values()].flat();
  const next = prefixes.map((prefix) => `${prefix}-${issued.filter((one) => prefixOf(one) === prefix).length + 1}`);
  const names = [...model.cards.keys(), ...model.deleted.keys()];
  return [
    ...[...issued, ...next].map(lookUp),
    ...names.flatMap((name) => [read(name), history(name)]),
    ...Object.keys(filters).map(list),
    ...Object.keys(filters).map(listAll),
  ];
};
