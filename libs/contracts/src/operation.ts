import { z } from 'zod';
import { asAdmin, caller, command, ifMatch, pageRequest, type RequestContract } from './bus.ts';
import { cardIdOrIdentifier } from './card-identifier.ts';
import type { ErrorCode } from './errors.ts';
import type { EventType } from './event-types.ts';
import { pageQuery, type Response } from './response.ts';
import { doc, uuid } from './scalars.ts';
import type { DatabaseOwner, ServiceName } from './services.ts';

/** Groups of operations, in the order in which the API page shows them. */
export const tags = {
  Boards: 'A board has columns of cards. It is seen by the whole workspace, or by its creator and its members.',
  Columns: 'The steps of a board, in an order.',
  Cards:
    'Pieces of work. A card stands in a column, has an identifier of its workstream, and may be assigned to users.',
  Labels: 'Marks for cards, known in the whole workspace.',
  Comments: 'What users say of a card. Only its author changes a comment.',
  Subtasks: 'Parts of a card, in an order.',
  Dependencies: 'Which card waits for which, without cycles, across all boards of a workspace.',
  Files: 'Files are uploaded, checked, and then served: as covers of cards, linked to subtasks, or by themselves.',
  Identifiers: 'Every identifier that a card ever had leads to it for ever.',
  Events: 'What happened in the workspace, in order and without a gap: as pages, as a stream, or sent to webhooks.',
  Webhooks:
    'Addresses to which events are sent, in order for each card, signed as Standard Webhooks say, until they are taken.',
  Workstreams: 'What gives cards their identifiers. `MAIN` is there from the beginning and cannot be archived.',
  Me: 'Who asks, as the token says.',
} as const;
type Tag = keyof typeof tags;

/** What a token may do; each includes those before it (CONTRACT 2.2). */
export const scopes = ['kanban:read', 'kanban:write', 'kanban:admin'] as const;
export type Scope = (typeof scopes)[number];

const isFlag = (field: z.core.SomeType): boolean =>
  field instanceof z.ZodDefault || field instanceof z.ZodOptional
    ? isFlag(field.unwrap())
    : field instanceof z.ZodBoolean;

/** Whether a query may have a field several times (`anyOf`). */
const isRepeatable = (field: z.core.SomeType): boolean =>
  field instanceof z.ZodOptional
    ? isRepeatable(field.unwrap())
    : field instanceof z.ZodUnion && field.options.some((option) => option instanceof z.ZodArray);

/** Where the API lives (CONTRACT 1.1). */
export const apiPrefix = '/api/kanban/v1';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below the API's prefix, with `:name` for parameters. */
type Route = `${Method} /${string}`;

type Header = 'If-Match' | 'Idempotency-Key';

/** An operation as a tool of assistants (ADR 0069). */
interface Tool {
  /** What it is called there, `read_card`; assistants remember it, so it never changes. */
  name: string;
  /** Lists that are answered along with it: the ids of operations that have no parameter but its own. */
  along?: Readonly<Record<string, string>>;
}

/** What is said of an operation; its owner answers it as a whole. */
interface Described {
  summary: string;
  description?: string;
  /** Default: `kanban:read` for what reads, else `kanban:write`. */
  scope?: Scope;
  /** Of a POST that asks a question: it changes nothing, and needs neither key nor version. */
  isRead?: true;
  /**
   * Of a DELETE that is a command, one without sets a desired state; and of a POST that makes several things at once.
   * Others say it by themselves (`requiredBy`).
   */
  requires?: readonly Header[];
  /** Schemas of parameters; one that is named `…_id` is a UUID without it. */
  params?: Record<string, z.ZodType>;
  /** What narrows a list (`reply` is one), each under its own name in the bus request. */
  query?: Record<string, z.ZodType>;
  /** The same, together under `filters` in the bus request. */
  filters?: z.ZodObject;
  body?: z.ZodType;
  /** How many members and elements a body may have, nested ones included; far more than its schema takes. */
  maxMembers?: number;
  reply: Response;
  /** Refusals that do not follow from the rest (`RequestContract`). */
  refusals?: readonly ErrorCode[];
  example?: unknown;
  /** Where assistants have a tool of their own for it; they reach all others by one for everything. */
  tool?: Tool;
  /** Its subject is `rpc.<service>.<verb>`; default: its id in kebab case. */
  verb?: string;
  /** What parameters are called in the bus request where it is something else. */
  as?: Record<string, string>;
  /** Passes on whether the token has `kanban:admin`. */
  asAdmin?: true;
  /** Of an operation that writes: the types of the events that it may emit, one for an effect (ADR 0065). */
  emits?: readonly EventType[];
  callers?: readonly ServiceName[];
}

type ParamNames<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<`/${Tail}`>
    : Rest
  : never;
type BusName<Definition, Name extends string> = Definition extends { as: infer As }
  ? Name extends keyof As
    ? As[Name] & string
    : Name
  : Name;
type If<Condition extends boolean, Shape> = Condition extends true ? Shape : unknown;
type Has<Definition, Part> = Definition extends Part ? true : false;
type IsCommand<Path, Definition> = Path extends `${'POST' | 'PATCH'} ${string}`
  ? Definition extends { isRead: true }
    ? false
    : true
  : Has<Definition, { requires: readonly unknown[] }>;
type NeedsVersion<Path, Definition> = Path extends `POST ${string}`
  ? Definition extends { reply: { collection: string } } | { isRead: true } | { requires: readonly ['Idempotency-Key'] }
    ? false
    : true
  : Path extends `PATCH ${string}`
    ? true
    : Has<Definition, { requires: readonly ['If-Match'] }>;
type BusShape<Path, Definition extends Described> = typeof caller.shape & {
  [Name in ParamNames<Path> as BusName<Definition, Name>]: Definition extends { params: { [_ in Name]: infer Param } }
    ? Param
    : typeof uuid;
} & If<IsCommand<Path, Definition>, { command: typeof command }> &
  If<NeedsVersion<Path, Definition>, { if_match: typeof ifMatch }> &
  If<Has<Definition, { asAdmin: true }>, typeof asAdmin> &
  If<Has<Definition, { reply: { kind: 'page' } }>, { page: typeof pageRequest }> &
  (Definition extends { query: infer Query } ? Query : unknown) &
  (Definition extends { filters: infer Filters } ? { filters: Filters } : unknown) &
  (Definition extends { body: infer Body } ? { body: Body } : unknown);
type BusRequest<Path, Definition extends Described> = z.ZodObject<{
  -readonly [Name in keyof BusShape<Path, Definition>]: BusShape<Path, Definition>[Name] extends z.core.SomeType
    ? BusShape<Path, Definition>[Name]
    : never;
}>;

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

const idOf = (name: string) => doc(uuid, `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`);

/** Whether a path's parameter is a card, which clients may name by an identifier too; its owner is sent the id. */
const namesCard = (name: string) => /(?:^|_)card_id$/.test(name);

const cardParam = (schema: z.ZodType | undefined) => {
  const which = schema?.description?.replace(/\.$/, '') ?? 'The card';
  return cardIdOrIdentifier.meta({
    ...cardIdOrIdentifier.meta(),
    description: `${which}: its id, or an identifier that it has or ever had, in any letter case.`,
  });
};

/** The headers that a command needs, by its style (CONTRACT 3.1); undefined for others. */
const requiredBy = (route: Route, { isRead, requires, reply }: Described): readonly Header[] | undefined => {
  if (isRead) return undefined;
  if (route.startsWith('PATCH')) return ['If-Match'];
  if (route.startsWith('POST') && !requires)
    return reply.collection ? ['Idempotency-Key'] : ['If-Match', 'Idempotency-Key'];
  return requires;
};

let declared = 0;

const httpOf = (tag: Tag, id: string, route: Route, definition: Described) => {
  const [method, path] = route.split(' ') as [Method, string];
  const { params = {}, query = {}, filters, body, reply, as = {} } = definition;
  const requires = requiredBy(route, definition);
  const isPage = reply.kind === 'page';
  const isRead = method === 'GET' || definition.isRead === true;
  const fields: Record<string, z.ZodType> = { ...query, ...filters?.shape };
  const conditional = 'With its `ETag`; `If-None-Match` answers 304 while it is the current one.';
  declared += 1;
  const names = namesIn(path);
  const paramOf = (name: string) => (namesCard(name) ? cardParam(params[name]) : (params[name] ?? idOf(name)));
  return {
    /** Its name in the document, in clients and in metrics; in the key of a command too (ADR 0018), so it never changes. */
    id,
    method,
    path,
    tag,
    summary: definition.summary,
    description: definition.description ?? (reply.isConditional && conditional),
    /** Whether it changes nothing. */
    isRead,
    scope: definition.scope ?? (isRead ? 'kanban:read' : 'kanban:write'),
    requires: requires ?? [],
    reply,
    refusals: definition.refusals ?? [],
    example: definition.example,
    tool: definition.tool,
    as,
    /** Whether it changes something that must not be done twice. */
    isCommand: requires !== undefined,
    params: z.strictObject(Object.fromEntries(names.map((name) => [name, paramOf(name)]))),
    /** Those of its parameters that are cards. */
    cards: names.filter(namesCard),
    query: z.strictObject({ ...fields, ...(isPage ? pageQuery.shape : {}) }) as z.ZodObject,
    /** What the query spells `true` or `false`. */
    flags: Object.keys(fields).filter((name) => fields[name] && isFlag(fields[name])),
    /** What the query may have several times. */
    repeatable: Object.keys(fields).filter((name) => fields[name] && isRepeatable(fields[name])),
    body,
    maxMembers: definition.maxMembers ?? 1_000,
    asAdmin: definition.asAdmin ?? false,
    /** The types of events that it may emit; undefined where a write does not say. */
    emits: definition.emits ?? (isRead ? [] : undefined),
    /** Whether its query goes to the owner under `filters`. */
    hasFilters: filters !== undefined,
    /** Its place in the order of declarations. */
    order: declared,
  };
};

/** How clients ask for an operation, as data: the gateway's routes, the document and the tests follow from it. */
export type HttpOperation = ReturnType<typeof httpOf>;

/** An operation of the API: the request that its owner serves, and the half that clients see. */
export interface Operation<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType>
  extends RequestContract<Request, Reply> {
  http: HttpOperation;
}

/**
 * Declares the operations of a service that stand under one tag: how clients ask for each and, following from that, the
 * bus request that its owner serves. What the gateway owns it answers itself, and no such request is sent.
 */
export const operationsOf =
  (service: DatabaseOwner | 'gateway', tag: Tag) =>
  <Path extends Route, const Definition extends Described>(
    id: string,
    route: Path,
    definition: Definition,
  ): Operation<BusRequest<Path, Definition>, Definition['reply']['reply']> => {
    const http = httpOf(tag, id, route, definition);
    const { isRead, path, requires, isCommand, as, body, reply, refusals } = http;
    const { params = {}, query, filters, asAdmin: isTold, callers = ['gateway'] }: Described = definition;
    const verb = definition.verb ?? id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const request = z.object({
      ...caller.shape,
      ...(isCommand ? { command } : {}),
      ...Object.fromEntries(namesIn(path).map((name) => [as[name] ?? name, params[name] ?? idOf(name)])),
      ...(requires.includes('If-Match') ? { if_match: ifMatch } : {}),
      ...(isTold ? asAdmin : {}),
      ...query,
      ...(filters ? { filters } : {}),
      ...(reply.kind === 'page' ? { page: pageRequest } : {}),
      ...(body ? { body } : {}),
    });
    return {
      subject: `rpc.${service}.${verb}`,
      request: request as unknown as BusRequest<Path, Definition>,
      reply: reply.reply as Definition['reply']['reply'],
      refusals,
      callers,
      setsState: !isCommand && !isRead,
      http,
    };
  };
