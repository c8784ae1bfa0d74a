import { randomUUID } from 'node:crypto';
import { declaredOperations } from '@cardinal/contracts';
import { z } from 'zod';
import type { Answer, Body, SendOptions } from '../workspace.ts';
import type { Fixture } from './fixture.ts';

/** Every operation of the API, as a client meets it. */
export const routes = declaredOperations.map(
  ({ http: { id, method, isRead, scope, path, params, cards, requires, reply, body, emits, example } }) => {
    const inner = body instanceof z.ZodPrefault ? body.unwrap() : body;
    return {
      operationId: id,
      method,
      /** Whether it changes nothing. */
      isRead,
      /** What a token needs. */
      scope,
      /** With `{name}` for parameters. */
      path: path.replace(/:(\w+)/g, '{$1}'),
      /** Names of the parameters in the path. */
      params: Object.keys(params.shape),
      /** Those that are cards, which may be named by their identifiers too. */
      cards,
      /** Status of its success. */
      success: reply.status,
      needsIfMatch: requires.includes('If-Match'),
      needsKey: requires.includes('Idempotency-Key'),
      takesBody: body !== undefined,
      /** Whether the body may not be left out. */
      needsBody: body !== undefined && !body.safeParse(undefined).success,
      /** Whether its answer never ends. */
      isStream: reply.kind === 'stream',
      /** The types of events that it may emit; undefined where its declaration does not say. */
      emits,
      /** Names of the fields of its body. */
      fields: inner instanceof z.ZodObject ? Object.keys(inner.shape) : [],
      example,
    };
  },
);
export type Route = (typeof routes)[number];

/** What stands for each parameter of a path. */
const parameters: Record<string, (fixture: Fixture) => string> = {
  board_id: ({ board }) => board.id,
  column_id: ({ column }) => column.id,
  card_id: ({ card }) => card.id,
  depends_on_card_id: ({ other }) => other.id,
  identifier: ({ card }) => card.identifier,
  label_id: ({ label }) => label.id,
  comment_id: ({ comment }) => comment.id,
  subtask_id: ({ subtask }) => subtask.id,
  workstream_id: ({ workstream }) => workstream.id,
  user_id: ({ client }) => client.userId,
  file_id: ({ file }) => file.id,
  webhook_id: ({ webhook }) => webhook.id,
  api_key_id: ({ apiKey }) => apiKey.id,
  person_id: ({ person }) => person.id,
};

/** The id (or identifier) that a fixture has for a parameter. */
export const idOf = (fixture: Fixture, parameter: string): string => {
  const pick = parameters[parameter];
  if (!pick) throw new Error(`no sample for ${parameter}: name one in samples.ts`);
  return pick(fixture);
};

/** Another value than the fixture's own for some parameters. */
export type Replacement = Record<string, string>;

/** Operations of a workstream that adopts. */
const ofAdopting = ['adoptCards', 'openWorkstream'];

export const pathOf = (route: Route, fixture: Fixture, replacement: Replacement = {}): string => {
  const { adopting: workstream } = fixture;
  const named = ofAdopting.includes(route.operationId) ? { ...fixture, workstream } : fixture;
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(replacement[name] ?? idOf(named, name)),
  );
};

/** What a field of a body or a parameter names: `before_card_id` a card. */
const namedBy = (field: string) =>
  Object.keys(parameters).find((parameter) => field === parameter || field.endsWith(`_${parameter}`)) ?? field;

/** Fields of a route's body that name something, and what they name. */
export const namingFields = ({ fields }: Route): [field: string, parameter: string][] =>
  fields.filter((field) => field.endsWith('_id')).map((field) => [field, namedBy(field)]);

const asCard = (card: string) => ({ card });

/** The body that the document shows, with the fixture's own ids. */
export const bodyOf = (route: Route, fixture: Fixture): Body => {
  const ids = namingFields(route).map(([field, parameter]) => [field, idOf(fixture, parameter)] as const);
  const example = route.example as Body;
  const body = { ...example, ...Object.fromEntries(ids.filter(([field]) => field in example)) };
  if (route.operationId === 'bulkCards') {
    return { ...body, cards: [fixture.card.id, fixture.other.identifier].map(asCard) };
  }
  // The log of a fixture is short.
  if (route.operationId === 'replayWebhook') return { after: 0 };
  // Not enabled as in the example: one that sends may change its state, and so its version, between two requests of a test.
  if (route.operationId === 'patchWebhook') return { description: 'Tells another chat' };
  // An address is given once.
  if (route.operationId === 'addPerson') return { ...body, email: `${randomUUID()}@example.com` };
  if (route.operationId !== 'adoptCards') return body;
  // No former identifiers: their workstreams would have to adopt, too.
  const adopted = (card: Body) => ({ ...card, column_id: fixture.column.id, former: [] });
  return { cards: example.cards.map(adopted) };
};

/** What a path's last id names has this version. */
const versionOf = ({ params }: Route, fixture: Fixture): number => {
  const owner = params.at(-1)?.replace('_id', '') as keyof Fixture;
  return (fixture[owner] as Body).version;
};

/** The options of a right request to a route. */
export const optionsFor = (route: Route, fixture: Fixture): SendOptions => ({
  ...(route.takesBody ? { body: bodyOf(route, fixture) } : {}),
  ...(route.needsIfMatch ? { ifMatch: versionOf(route, fixture) } : {}),
  key: route.needsKey ? randomUUID() : null,
});

/** Sends a right request of the fixture's owner, but for what the caller changes. */
export const sendTo = (
  route: Route,
  fixture: Fixture,
  change: { by?: Fixture['client']; replacement?: Replacement; path?: string; options?: SendOptions } = {},
): Promise<Answer> => {
  const { by = fixture.client, replacement, path = pathOf(route, fixture, replacement), options } = change;
  return by.send(route.method, path, { ...optionsFor(route, fixture), ...options });
};
