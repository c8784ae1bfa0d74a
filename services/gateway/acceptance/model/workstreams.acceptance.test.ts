import { sharedStack } from '@cardinal/testkit';
import fc from 'fast-check';
import { it } from 'vitest';
import { type Answer, type Body, type Client, clientOf } from '../workspace.ts';
import { Known } from './known.ts';
import {
  headerOf,
  type IfMatch,
  ifMatches,
  refused,
  type Step,
  type Steps,
  shown,
  tellStories,
  toldOf,
} from './story.ts';
import { WorkstreamModel } from './workstream-model.ts';

interface World {
  client: Client;
  known: Known;
}
type One = Step<WorkstreamModel, World>;

const stack = await sharedStack();

/** A board with a column, two workstreams beside MAIN. */
const start = async (): Promise<{ model: WorkstreamModel; real: World }> => {
  const client = await clientOf(stack);
  const known = new Known();
  const make = (path: string, name: string) => client.data(client.post(path, { body: { name } }));
  known.meet('board', await make('/boards', 'Board'));
  known.call('column', (await make(`/boards/${known.id('board')}/columns`, 'To do')).id);
  known.meet('MAIN', (await client.all('/workstreams'))[0]);
  for (const prefix of ['PAY', 'WEB']) known.meet(prefix, await client.createWorkstream(prefix));
  return { model: new WorkstreamModel(['PAY', 'WEB']), real: { client, known } };
};

const viewOf = ({ known }: World, data: Body) => {
  const { version, name, description, prefix, is_default: isDefault, archived_at } = data;
  known.meet(prefix, data);
  return { version, name, description, archived: archived_at !== null, prefix, isDefault };
};
const read = (real: World, { body, headers }: Answer) =>
  headers.get('etag') === `"${body.data.version}"` ? viewOf(real, body.data) : `ETag ${headers.get('etag')}`;
const readCard = ({ known }: World, { body: { data } }: Answer) => {
  const { title, identifier, workstream } = data;
  // A workstream's new name changes what its cards show, and not their version.
  const version = known.meet(title, { ...data, workstream: workstream.id });
  return { version, identifier, workstream: `${workstream.prefix} ${workstream.name}` };
};

const create = (prefix: string, name: string): One => ({
  told: `create(${prefix})`,
  predict: (model) => model.create(prefix, name),
  send: ({ client, known }) =>
    known.post(client, `create ${prefix.toUpperCase()}`, '/workstreams', { body: { prefix, name } }),
  read,
});

const edit = (prefix: string, fields: Parameters<WorkstreamModel['edit']>[2], ifMatch: IfMatch): One => ({
  told: `edit(${prefix}, ${Object.entries(fields).map(([field, value]) => `${field} ${value || 'empty'}`)}${toldOf(ifMatch)})`,
  possible: ({ workstreams }) => workstreams.has(prefix),
  predict: (model) => model.edit(prefix, ifMatch, fields),
  send: ({ client, known }) =>
    client.patch(`/workstreams/${known.id(prefix)}`, {
      ifMatch: headerOf(ifMatch, known.last(prefix)?.version),
      body: fields,
    }),
  read,
});

const archive = (prefix: string, ifMatch: IfMatch): One => ({
  told: `archive(${prefix}${toldOf(ifMatch)})`,
  possible: ({ workstreams }) => workstreams.has(prefix),
  predict: (model) => model.archive(prefix, ifMatch),
  send: ({ client, known }) =>
    known.post(client, `archive ${prefix}`, `/workstreams/${known.id(prefix)}/archive`, {
      ifMatch: headerOf(ifMatch, known.last(prefix)?.version),
    }),
  read,
});

const createCard = (name: string, named: string | undefined): One => ({
  told: `createCard(${name}${named ? ` in ${named}` : ''})`,
  possible: ({ cards }) => !cards.has(name),
  predict: (model) => model.createCard(name, named),
  send: ({ client, known }) =>
    known.post(client, `createCard ${name}`, `/columns/${known.id('column')}/cards`, {
      body: { title: name, ...(named && { workstream_id: known.id(named) }) },
    }),
  read: readCard,
});

/** By the POST of its own or as an edit. */
const transfer = (name: string, to: string, ifMatch: IfMatch, way: 'POST' | 'PATCH'): One => ({
  told: `transfer(${name} -> ${to}${toldOf(ifMatch)}${way === 'PATCH' ? ', by PATCH' : ''})`,
  possible: ({ cards }) => cards.has(name),
  predict: (model) => model.transfer(name, to, ifMatch, way === 'POST'),
  send: ({ client, known }) => {
    const options = { ifMatch: headerOf(ifMatch, known.last(name)?.version), body: { workstream_id: known.id(to) } };
    const card = `/cards/${known.id(name)}`;
    return way === 'PATCH'
      ? client.patch(card, options)
      : known.post(client, `transfer ${name}`, `${card}/workstream`, options);
  },
  read: readCard,
});

const setDefault = (prefix: string | null): One => ({
  told: `setBoardDefault(${prefix})`,
  predict: (model) => model.setDefault(prefix),
  send: ({ client, known }) => {
    const { id, version: ifMatch } = known.last('board');
    return client.patch(`/boards/${id}`, { ifMatch, body: { default_workstream_id: prefix && known.id(prefix) } });
  },
  read: ({ known }, { body: { data } }) => ({
    version: known.meet('board', data),
    default: data.default_workstream_id && known.name(data.default_workstream_id),
  }),
});

const repeat = (label: string, changed: boolean): One => ({
  told: `${changed ? 'reuse key of' : 'repeat'}(${label})`,
  possible: ({ answered }) => answered.has(label),
  predict: (model) => model.repeat(label, changed),
  send: ({ known }) => {
    const operation = label.split(' ')[0];
    const body = operation === 'create' ? { prefix: 'OTHER', name: 'Other' } : { title: 'other' };
    const other = operation?.startsWith('create') ? { body } : { ifMatch: '"77"' };
    return known.again(label, changed ? other : {});
  },
  read: ({ known }, answer) => known.isReplay(label, answer),
});

const show = (prefix: string): One => ({
  told: `read(${prefix})`,
  predict: (model) => (model.workstreams.has(prefix) ? shown(model.view(prefix)) : refused(404)),
  send: ({ client, known }) => client.get(`/workstreams/${known.id(prefix)}`),
  read,
});

const list = (archived: boolean): One => ({
  told: `list(${archived ? 'archived' : 'active'})`,
  predict: (model) => {
    const asked = [...model.workstreams].filter(([, one]) => one.archived === archived);
    return shown(asked.map(([prefix]) => model.view(prefix)));
  },
  send: ({ client }) => client.get(`/workstreams?archived=${archived}`),
  read: (real, { body: { data } }) => data.map((one: Body) => viewOf(real, one)),
});

const showCard = (name: string): One => ({
  told: `readCard(${name})`,
  possible: ({ cards }) => cards.has(name),
  predict: (model) => shown(model.viewCard(name)),
  send: ({ client, known }) => client.get(`/cards/${known.id(name)}`),
  read: readCard,
});

/** Which card a number leads to; 404 for one that was not given out yet. */
const lookUp = (identifier: string): One => ({
  told: `lookUp(${identifier})`,
  predict: ({ cards }) => {
    const found = [...cards].find(([, card]) => card.identifiers.includes(identifier));
    return found ? shown({ is: found[0], now: found[1].identifiers.at(-1) }) : refused(404);
  },
  send: ({ client }) => client.get(`/cards/by-identifier/${identifier}`),
  read: (_, { body: { data } }) => ({ is: data.card.title, now: data.current_identifier }),
});

const prefixes = fc.constantFrom('MAIN', 'PAY', 'PAY', 'WEB', 'OPS');
const typed = fc.constantFrom('PAY', 'Pay', 'web', 'Main', 'OPS', 'ops', 'oPs', 'P', '1X', 'P-Y', 'ELEVENCHARS');
const cards = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
const fields = fc.constantFrom<Parameters<WorkstreamModel['edit']>[2][]>(
  ...[{ name: 'x' }, { name: 'y' }, { name: '' }, { description: 'text' }, { description: null }, { prefix: 'NEW' }],
);
const kept = fc.oneof(
  prefixes.map((prefix) => `create ${prefix}`),
  prefixes.map((prefix) => `archive ${prefix}`),
  cards.map((name) => `createCard ${name}`),
  cards.map((name) => `transfer ${name}`),
);
const steps: Steps<WorkstreamModel, World>[] = [
  fc.tuple(typed, fc.constantFrom('x', 'y')).map((all) => create(...all)),
  fc.tuple(prefixes, fields, ifMatches).map((all) => edit(...all)),
  fc.tuple(prefixes, ifMatches).map((all) => archive(...all)),
  fc.tuple(cards, prefixes).map((all) => createCard(...all)),
  cards.map((name) => createCard(name, undefined)),
  fc
    .tuple(cards, prefixes, ifMatches, fc.constantFrom('POST' as const, 'PATCH' as const))
    .map((all) => transfer(...all)),
  fc.option(prefixes).map(setDefault),
  fc.tuple(kept, fc.boolean()).map((all) => repeat(...all)),
  fc.oneof(prefixes.map(show), fc.boolean().map(list), cards.map(showCard)),
];

/** Everything as it is shown in the end, every issued identifier, and the number after it. */
const epilogue = (model: WorkstreamModel): One[] => [
  ...[...model.workstreams].flatMap(([prefix, { lastNumber }]) => [
    show(prefix),
    ...Array.from({ length: lastNumber + 1 }, (_, at) => lookUp(`${prefix}-${at + 1}`)),
  ]),
  ...[...model.cards.keys()].map(showCard),
  list(false),
  list(true),
];

it('workstreams keep to their rules in every story', () => tellStories({ start, steps, epilogue }));
