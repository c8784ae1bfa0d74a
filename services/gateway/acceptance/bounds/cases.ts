import { type Fixture, newFixture } from '../routes/fixture.ts';
import { bodyOf, idOf, namingFields, optionsFor, pathOf, type Route } from '../routes/samples.ts';
import type { Body, SendOptions, Stack } from '../workspace.ts';
import { anyValue, bodyWith, fieldsIn, type Path, type Sampler, valuesAt, withValue } from './bodies.ts';
import { allows, describedOf, resolved, type Schema } from './schemas.ts';
import { boundaryValues } from './values.ts';

/** The resources of a request: the fixture, and a second subtask. */
export interface Subject {
  fixture: Fixture;
  neighbour: Body;
}

/** One field of an operation with one value. */
export interface Case {
  in: 'path' | 'query' | 'body' | 'header';
  field: string;
  /** Its path in a body. */
  path?: Path;
  /** The value that is sent, for the message of a failure. */
  value: unknown;
  /** Whether the document allows it; undefined where it does not say. */
  isAllowed: boolean | undefined;
  request(subject: Subject): { path: string; options: SendOptions };
}

const isOfFiles = ({ path }: Route) => /cover|linked-file|file_id/.test(path);
let adopted = 0;

/** The resources for the requests of a route, in a workspace of its own. */
export const subjectOf = async (stack: Stack, route: Route): Promise<Subject> => {
  const fixture = await newFixture(stack, { hasImage: isOfFiles(route) });
  const { client, card } = fixture;
  const neighbour = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'neighbour' } }));
  return { fixture: { ...fixture, card: await client.card(card.id) }, neighbour };
};

/** Valid values of fields that a route's sample leaves out. */
const samplerOf =
  (route: Route, { fixture, neighbour }: Subject): Sampler =>
  (field, schema) => {
    if (/^(before|after)_card_id$/.test(field)) return fixture.other.id;
    if (/^(before|after)_subtask_id$/.test(field)) return neighbour.id;
    if (field === 'workstream_id') return fixture.workstream.id;
    if (/labels|label_ids/.test(field)) return [fixture.label.id];
    if (/assignees|user_ids/.test(field)) return [fixture.client.userId];
    if (field === 'created_by') return fixture.client.userId;
    if (field === 'version') return fixture.card.version;
    if (field === 'former') return [`${fixture.adopting.prefix}-${adopted + 1_000_000}`];
    const named = namingFields({ ...route, fields: [field] })[0]?.[1];
    return named?.endsWith('_id') ? idOf(fixture, named) : anyValue(resolved(schema));
  };

/** The sample of a route's body; each adopted card has a number of its own. */
const sampleOf = (route: Route, { fixture }: Subject): Body => {
  const body = bodyOf(route, fixture);
  if (route.operationId === 'bulkCards')
    return { ...body, cards: [{ card: fixture.card.id, version: fixture.card.version }] };
  if (route.operationId !== 'adoptCards') return body;
  adopted += 1;
  return { cards: body.cards.map((card: Body) => ({ ...card, number: adopted })) };
};

const bodyCases = (route: Route, schema: Schema, subject: Subject): Case[] =>
  fieldsIn(schema).flatMap(({ path, schema: field }) => {
    const bodyFor = (one: Subject) => bodyWith(schema, sampleOf(route, one), path, samplerOf(route, one));
    const given = path.reduce((part: Body, name) => part?.[name], bodyFor(subject));
    return valuesAt(field, given).map((value): Case => {
      const sent = JSON.parse(JSON.stringify(withValue(bodyFor(subject), path, value)));
      return {
        in: 'body',
        field: path.join('.'),
        path,
        value,
        isAllowed: allows(schema, sent),
        request: (one) => ({
          path: pathOf(route, one.fixture),
          options: { ...optionsFor(route, one.fixture), body: withValue(bodyFor(one), path, value) },
        }),
      };
    });
  });

/** Percent-encoded; a lone surrogate is encoded as encoders do that ignore surrogates. */
const encoded = (text: string): string =>
  Array.from(text, (one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('');

/** As a URL writes a value; undefined where it cannot. */
const spelled = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value) ?? '';
  return /^["[{]|^$/.test(text) ? undefined : text;
};

/** A query's text as the type that the document gives it. */
const typed = ({ type, anyOf }: Schema, text: string): unknown => {
  if (anyOf) return anyOf.map((one) => typed(one, text)).find((value) => value !== text) ?? text;
  if (type === 'boolean') return { true: true, false: false }[text] ?? text;
  if (type === 'integer') return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
  return text;
};

const queryCases = (route: Route, name: string, schema: Schema): Case[] =>
  boundaryValues(schema).flatMap((value): Case[] => {
    const texts = [value].flat().map(spelled);
    if (!texts.every((text) => text !== undefined)) return [];
    // Only the list knows its cursors.
    const isOpaque = name === 'cursor';
    const read = schema.type === 'array' ? texts : typed(schema, texts[0] ?? '');
    const isTaken = texts.length === 0 || allows(schema, read);
    const isAllowed = isTaken && isOpaque ? undefined : isTaken;
    const query = texts.map((text) => `${name}=${encoded(text)}`).join('&');
    return [
      {
        in: 'query',
        field: name,
        value,
        isAllowed,
        request: ({ fixture }) => ({
          path: `${pathOf(route, fixture)}?${query}`,
          options: optionsFor(route, fixture),
        }),
      },
    ];
  });

/** Segments that a URL removes before the path is read: they lead to another path. */
const isLost = (text: string) => text === '' || /^\.{1,2}$/.test(text);

const pathCases = (route: Route, name: string, schema: Schema): Case[] =>
  [...new Set(boundaryValues(schema).map(spelled))].flatMap((text): Case[] => {
    if (text === undefined || isLost(text)) return [];
    // Without a form, the owner alone knows what it leads to.
    const isOfForm = schema.type !== 'string' || schema.format !== undefined;
    return [
      {
        in: 'path',
        field: name,
        value: text,
        isAllowed: isOfForm ? allows(schema, text) : undefined,
        request: ({ fixture }) => {
          const [before = '', after = ''] = pathOf(route, fixture, { [name]: 'PLACE' }).split('PLACE');
          return { path: `${before}${encoded(text)}${after}`, options: optionsFor(route, fixture) };
        },
      },
    ];
  });

const overlong = 'a'.repeat(1_023);
const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
const tags = {
  right: [
    ...['"1"', '"0"', '"-1"', '""', 'W/"1"', '"1", "2"', '"\xe4"'],
    ...[2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53].map((version) => `"${BigInt(version)}"`),
    `"${'9'.repeat(1_022)}"`,
    Array.from({ length: 200 }, (_, at) => `"${at}"`)
      .join(',')
      .slice(0, 1_020)
      .replace(/,[^,]*$/, ''),
  ],
  wrong: ['', ',', '1', '"1', 'w/"1"', `"${overlong}"`],
};

/** By header: values that its grammar takes, and values that it refuses (RFC 9110, CONTRACT 1.4). */
const values: Record<string, { right: string[]; wrong: string[] }> = {
  'If-Match': { right: tags.right, wrong: [...tags.wrong, '*', '"1", *'] },
  'If-None-Match': { right: [...tags.right, '*'], wrong: [...tags.wrong, '"1", *'] },
  'Idempotency-Key': {
    right: ['a', '0', '2147483648', visible, 'a'.repeat(255), "';--", '__proto__', 'null'],
    wrong: ['', 'a'.repeat(256), 'a b', '\xe4', 'a\tb'],
  },
  'Last-Event-ID': {
    right: ['0', '1', '2147483647', '2147483648', '999999999999999'],
    wrong: ['', '-1', '01', '1.0', '1e3', 'a', '1000000000000000', '9007199254740993', '9'.repeat(2_000)],
  },
  // An invalid one is ignored.
  'X-Request-Id': { right: ['a'.repeat(128), 'a'.repeat(129), '', '\xe4'], wrong: [] },
};

/** A header with the values at its bounds. @throws Error for a header without values here */
const headerCases = (route: Route, name: string): Case[] => {
  const known = values[name];
  if (!known) throw new Error(`no values for the header ${name}: name some in cases.ts`);
  const caseOf =
    (isAllowed: boolean) =>
    (value: string): Case => ({
      in: 'header',
      field: name,
      value,
      isAllowed,
      request: ({ fixture }) => ({
        path: pathOf(route, fixture),
        options: { ...optionsFor(route, fixture), headers: { [name.toLowerCase()]: value } },
      }),
    });
  return [...known.right.map(caseOf(true)), ...known.wrong.map(caseOf(false))];
};

/** Every field of an operation with every value that is worth a try. */
export const casesOf = (route: Route, subject: Subject): Case[] => {
  const { parameters, body } = describedOf(route.operationId);
  const named = (place: 'path' | 'query') => parameters.filter((one) => one.in === place);
  return [
    ...named('path').flatMap(({ name, schema }) => pathCases(route, name, schema)),
    ...named('query').flatMap(({ name, schema }) => queryCases(route, name, schema)),
    ...parameters.flatMap(({ name, in: place }) => (place === 'header' ? headerCases(route, name) : [])),
    ...(body ? bodyCases(route, body, subject) : []),
  ];
};
