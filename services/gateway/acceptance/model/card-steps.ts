import fc from 'fast-check';
import { type CardModel, type Column, columns, type Edit, type Place, type Prefix, prefixes } from './card-model.ts';
import { type CardStep, type CardWorld, cardIn } from './card-reads.ts';
import { headerOf, type IfMatch, ifMatches, type Steps, shown, toldOf } from './story.ts';

const names = ['A', 'B', 'C', 'D', 'E'];
const someCard = fc.constantFrom(...names);
const someColumn = fc.constantFrom(...columns);
const workstream = fc.constantFrom(...prefixes, 'PAY' as const, 'unknown' as const);
const edits: fc.Arbitrary<Edit> = fc.record(
  {
    title: fc.constantFrom('x', 'y', ''),
    description: fc.constantFrom(null, 'text'),
    priority: fc.constantFrom(null, 'urgent', 'important'),
    completed: fc.boolean(),
    workstream,
  },
  { requiredKeys: [] },
);
const someEdit = edits.filter((edit) => Object.keys(edit).length > 0);

const told = (value: object): string =>
  Object.entries(value)
    .map(([field, one]) => `${field} ${one === '' ? 'empty' : one}`)
    .join(', ');
const bodyOf = ({ known }: CardWorld, { workstream: prefix, ...fields }: Edit) => ({
  ...fields,
  ...(prefix !== undefined && { workstream_id: known.id(prefix) }),
});
const known = (model: Readonly<CardModel>, name: string) => model.cards.has(name) || model.deleted.has(name);

const create = (name: string, column: Column, fields: Edit): CardStep => ({
  told: `create(${name} in ${[column, told(fields)].filter(Boolean).join(', ')})`,
  possible: (model) => !known(model, name),
  predict: (model) => model.create(name, column, fields),
  send: (real) =>
    real.known.post(real.client, `create ${name}`, `/columns/${real.known.id(column)}/cards`, {
      body: { title: name, ...bodyOf(real, fields) },
    }),
  read: cardIn(name),
});

const edit = (name: string, fields: Edit, ifMatch: IfMatch): CardStep => ({
  told: `edit(${name}, ${told(fields)}${toldOf(ifMatch)})`,
  possible: (model) => known(model, name),
  predict: (model) => model.edit(name, ifMatch, fields),
  send: (real) =>
    real.client.patch(`/cards/${real.known.id(name)}`, {
      ifMatch: headerOf(ifMatch, real.known.last(name)?.version),
      body: bodyOf(real, fields),
    }),
  read: cardIn(name),
});

/** A versioned POST on a card. */
const post = (
  [operation, name, ifMatch]: ['transfer' | 'move' | 'archive' | 'restore', string, IfMatch],
  rest: string,
  predict: CardStep['predict'],
  body?: (real: CardWorld) => unknown,
): CardStep => ({
  told: `${operation}(${name}${rest}${toldOf(ifMatch)})`,
  possible: (model) => known(model, name),
  predict,
  send: (real) => {
    const path = `/cards/${real.known.id(name)}/${operation === 'transfer' ? 'workstream' : operation}`;
    const ifMatchHeader = headerOf(ifMatch, real.known.last(name)?.version);
    const options = { ifMatch: ifMatchHeader, ...(body && { body: body(real) }) };
    return real.known.post(real.client, `${operation} ${name}`, path, options);
  },
  read: cardIn(name),
});

const transfer = (name: string, to: Prefix | 'unknown', ifMatch: IfMatch) =>
  post(
    ['transfer', name, ifMatch],
    ` -> ${to}`,
    (model) => model.transfer(name, ifMatch, to),
    ({ known }) => ({ workstream_id: known.id(to) }),
  );

const placeIn = ({ known }: CardWorld, place: Place, column: string) => {
  if (typeof place === 'string') return { position: place };
  if ('before' in place) return { before_card_id: known.id(place.before) };
  if ('after' in place) return { after_card_id: known.id(place.after) };
  const { position } = known.last('at' in place ? place.at : place.below);
  if ('at' in place) return { position };
  const next = known.all().filter((one) => one.column_id === column && one.position > position);
  return { position: (position + Math.min(position + 2, ...next.map((one) => one.position))) / 2 };
};

const move = (name: string, column: Column | undefined, place: Place, ifMatch: IfMatch): CardStep => {
  const at = typeof place === 'string' ? place : Object.entries(place).flat().join(' ');
  const number = typeof place === 'object' && ('at' in place ? place.at : 'below' in place && place.below);
  const step = post(
    ['move', name, ifMatch],
    `${column ? ` to ${column}` : ''}, ${at}`,
    (model) => model.move(name, ifMatch, column, place),
    (real) => {
      const columnId = column ? real.known.id(column) : real.known.last(name)?.column_id;
      return { ...(column && { column_id: columnId }), ...placeIn(real, place, columnId) };
    },
  );
  // Where a number leads depends only on the positions in the same column.
  const reaches = (model: Readonly<CardModel>) => {
    const to = column ?? model.cards.get(name)?.column;
    return !number || (model.cards.has(name) && to !== undefined && model.order[to].includes(number));
  };
  return { ...step, possible: (model) => known(model, name) && reaches(model) };
};

const remove = (name: string, ifMatch: IfMatch, isAdmin: boolean): CardStep => ({
  told: `delete(${name}${toldOf(ifMatch)}${isAdmin ? '' : ', by no admin'})`,
  possible: (model) => known(model, name),
  predict: (model) => model.delete(name, ifMatch, isAdmin),
  send: async ({ client, writer, known }) => {
    const header = headerOf(ifMatch, known.last(name)?.version);
    const answer = await (isAdmin ? client : writer).delete(`/cards/${known.id(name)}`, { ifMatch: header });
    if (answer.status === 204) known.forget(name);
    return answer;
  },
});

const repeat = (operation: string, name: string, changed: boolean): CardStep => ({
  told: `${changed ? 'reuse key of' : 'repeat'}(${operation} ${name})`,
  possible: (model) => model.answered.has(`${operation} ${name}`),
  predict: (model) => model.repeat(`${operation} ${name}`, changed),
  send: ({ known }) => {
    const other = operation === 'create' ? { body: { title: 'something else' } } : { ifMatch: '"77"' };
    return known.again(`${operation} ${name}`, changed ? other : {});
  },
  read: ({ known }, answer) => known.isReplay(`${operation} ${name}`, answer),
});

const setColumn = (column: Column, archived: boolean): CardStep => ({
  told: `${archived ? 'archive' : 'restore'}Column(${column})`,
  predict: (model) => {
    if (archived) model.archivedColumns.add(column);
    else model.archivedColumns.delete(column);
    return shown(archived);
  },
  send: ({ client, known }) => {
    const ifMatch = known.last(`column ${column}`).version;
    return client.post(`/columns/${known.id(column)}/${archived ? 'archive' : 'restore'}`, { ifMatch });
  },
  read: ({ known }, { body }) => known.meet(`column ${column}`, body.data) > 0 && body.data.archived_at !== null,
});

const setDefault = (prefix: Prefix | null): CardStep => ({
  told: `setBoardDefault(${prefix})`,
  predict: (model) => {
    model.boardDefault = prefix;
    return shown(prefix);
  },
  send: ({ client, known }) => {
    const { id, version: ifMatch } = known.last('board');
    return client.patch(`/boards/${id}`, { ifMatch, body: { default_workstream_id: prefix && known.id(prefix) } });
  },
  read: ({ known }, { body }) => {
    known.meet('board', body.data);
    return body.data.default_workstream_id && known.name(body.data.default_workstream_id);
  },
});

const fresh = edits.map(({ title, completed, ...fields }) => fields);
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom('start' as const, 'end' as const),
  someCard.map((before) => ({ before })),
  someCard.map((after) => ({ after })),
  someCard.map((at) => ({ at })),
  someCard.map((below) => ({ below })),
);
const destination = fc.option(fc.constantFrom(...columns, 'elsewhere' as const), { nil: undefined });
const operation = fc.constantFrom('create', 'transfer', 'move', 'archive', 'restore');

/** Everything that is done to cards and to what is around them; creates, moves and transfers twice. */
export const cardWrites: Steps<CardModel, CardWorld>[] = [
  fc.tuple(someCard, someColumn, fresh).map((all) => create(...all)),
  fc.tuple(someCard, fc.constantFrom('todo' as const), fc.constant({})).map((all) => create(...all)),
  fc.tuple(someCard, someEdit, ifMatches).map((all) => edit(...all)),
  fc.tuple(someCard, workstream, ifMatches).map((all) => transfer(...all)),
  fc.tuple(someCard, fc.constantFrom(...prefixes), fc.constant('current' as const)).map((all) => transfer(...all)),
  fc.tuple(someCard, destination, place, ifMatches).map((all) => move(...all)),
  fc.tuple(someCard, fc.constant(undefined), place, fc.constant('current' as const)).map((all) => move(...all)),
  fc
    .tuple(someCard, ifMatches)
    .map(([name, ifMatch]) => post(['archive', name, ifMatch], '', (model) => model.archive(name, ifMatch))),
  fc
    .tuple(someCard, ifMatches)
    .map(([name, ifMatch]) => post(['restore', name, ifMatch], '', (model) => model.restore(name, ifMatch))),
  fc.tuple(someCard, ifMatches, fc.constantFrom(true, true, false)).map((all) => remove(...all)),
  fc.tuple(operation, someCard, fc.boolean()).map((all) => repeat(...all)),
  fc.tuple(someColumn, fc.boolean()).map((all) => setColumn(...all)),
  fc.option(fc.constantFrom(...prefixes)).map(setDefault),
];
