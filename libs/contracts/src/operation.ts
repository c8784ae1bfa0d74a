import { z } from 'zod';
import { asAdmin, caller, command, ifMatch, pageRequest, type RequestContract } from './bus.ts';
import { cardIdOrIdentifier } from './card-identifier.ts';
import type { ErrorCode } from './errors.ts';
import type { EventType } from './event-types.ts';
import { pageQuery, type Response } from './response.ts';
import { doc, timestamp, uuid } from './scalars.ts';
import type { DatabaseOwner, ServiceName } from './services.ts';

/** Groups of operations, in the order of the API page. */
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
  'API keys': 'Credentials that stay, for scripts, CI jobs and assistants.',
  People: 'Whom the ids of users stand for: their names, and their e-mail addresses.',
  Me: 'Who asks, as the token or the key says.',
} as const;
type Tag = keyof typeof tags;

/** Scopes of a token; each includes those before it (CONTRACT 2.2). */
export const scopes = ['kanban:read', 'kanban:write', 'kanban:admin'] as const;
export type Scope = (typeof scopes)[number];

/** The credential of a request, added to its caller. Only the gateway may send it. */
export const credential = z.object({
  scope: z.enum(scopes),
  /** null: a token. */
  api_key: z.object({ id: uuid, expires_at: timestamp.nullable() }).nullable(),
  /** Whether users of this deployment can have tokens: then no key makes another. */
  has_issuer: z.boolean(),
});
export type Credential = z.output<typeof credential>;

const isFlag = (field: z.core.SomeType): boolean =>
  field instanceof z.ZodDefault || field instanceof z.ZodOptional
    ? isFlag(field.unwrap())
    : field instanceof z.ZodBoolean || (field instanceof z.ZodUnion && field.options.some(isFlag));

/** Whether a query may repeat a field (`anyOf`). */
const isRepeatable = (field: z.core.SomeType): boolean =>
  field instanceof z.ZodOptional
    ? isRepeatable(field.unwrap())
    : field instanceof z.ZodUnion && field.options.some((option) => option instanceof z.ZodArray);

/** Path prefix of the API (CONTRACT 1.1). */
export const apiPrefix = '/api/kanban/v1';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Method and path below the prefix, with `:name` for parameters. */
type Route = `${Method} /${string}`;

type Header = 'If-Match' | 'Idempotency-Key';

/** An operation as a tool of assistants (ADR 0069). */
interface Tool {
  /** Its name there, such as `read_card`. Assistants remember it, so it never changes. */
  name: string;
  /** Lists that are returned with it: ids of operations whose only parameter is that of this one. */
  along?: Readonly<Record<string, string>>;
}

/** The declaration of an operation. Its owner answers it whole. */
interface Described {
  summary: string;
  description?: string;
  /** Default: `kanban:read` for reads, else `kanban:write`. */
  scope?: Scope;
  /** For a POST that is a query: it changes nothing, and needs neither key nor version. */
  isRead?: true;
  /**
   * Set for a DELETE that is a command (one without it sets a desired state), and for a POST that makes several things
   * at once. For others it follows from the declaration (`requiredBy`).
   */
  requires?: readonly Header[];
  /** Schemas of parameters. One named `…_id` is a UUID without it. */
  params?: Record<string, z.ZodType>;
  /** Parameters that narrow a list (`reply` is one), each under its own name in the bus request. */
  query?: Record<string, z.ZodType>;
  /** The same, together under `filters` in the bus request. */
  filters?: z.ZodObject;
  body?: z.ZodType;
  /** Most members and elements of a body, nested ones included; far more than its schema accepts. */
  maxMembers?: number;
  reply: Response;
  /** Error codes that do not follow from the rest (`RequestContract`). */
  refusals?: readonly ErrorCode[];
  example?: unknown;
  /** Set where assistants have a tool for it. They reach all others by one general tool. */
  tool?: Tool;
  /** Its subject is `rpc.<service>.<verb>`; default: its id in kebab case. */
  verb?: string;
  /** Names of parameters in the bus request, where they differ. */
  as?: Record<string, string>;
  /** Passes on whether the token has `kanban:admin`. */
  asAdmin?: true;
  /** Passes on the credential of the request. */
  asCredential?: true;
  /** For writes: the types of events that they may emit, one per effect (ADR 0065). */
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
  If<Has<Definition, { asCredential: true }>, { credential: typeof credential }> &
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

/** Whether a path parameter is a card. Clients may use an identifier there; its owner gets the id. */
const namesCard = (name: string) => /(?:^|_)card_id$/.test(name);

const cardParam = (schema: z.ZodType | undefined) => {
  const which = schema?.description?.replace(/\.$/, '') ?? 'The card';
  return cardIdOrIdentifier.meta({
    ...cardIdOrIdentifier.meta(),
    description: `${which}: its id, or an identifier that it has or ever had, in any letter case.`,
  });
};

/** The headers that a command needs (CONTRACT 3.1); undefined for other operations. */
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
    /** Its name in the document, in clients, in metrics and in the key of a command (ADR 0018), so it never changes. */
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
    /** Whether it must not be done twice. */
    isCommand: requires !== undefined,
    params: z.strictObject(Object.fromEntries(names.map((name) => [name, paramOf(name)]))),
    /** Its parameters that are cards. */
    cards: names.filter(namesCard),
    query: z.strictObject({ ...fields, ...(isPage ? pageQuery.shape : {}) }) as z.ZodObject,
    /** Query parameters with the values `true` and `false`. */
    flags: Object.keys(fields).filter((name) => fields[name] && isFlag(fields[name])),
    /** Query parameters that may be repeated. */
    repeatable: Object.keys(fields).filter((name) => fields[name] && isRepeatable(fields[name])),
    body,
    maxMembers: definition.maxMembers ?? 1_000,
    asAdmin: definition.asAdmin ?? false,
    asCredential: definition.asCredential ?? false,
    /** The types of events that it may emit; undefined where a write does not declare them. */
    emits: definition.emits ?? (isRead ? [] : undefined),
    /** Whether its query goes to the owner under `filters`. */
    hasFilters: filters !== undefined,
    /** Its place in the order of declarations. */
    order: declared,
  };
};

/** The HTTP side of an operation, as data. The gateway's routes, the document and the tests follow from it. */
export type HttpOperation = ReturnType<typeof httpOf>;

/** An operation of the API: its bus request and its HTTP side. */
export interface Operation<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType>
  extends RequestContract<Request, Reply> {
  http: HttpOperation;
}

/**
 * Declares the operations of a service under one tag: the HTTP side of each and, from it, the bus request that the
 * owner serves. The gateway answers its own operations itself, without a bus request.
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
    const { params = {}, query, filters, callers = ['gateway'] }: Described = definition;
    const verb = definition.verb ?? id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const request = z.object({
      ...caller.shape,
      ...(isCommand ? { command } : {}),
      ...Object.fromEntries(namesIn(path).map((name) => [as[name] ?? name, params[name] ?? idOf(name)])),
      ...(requires.includes('If-Match') ? { if_match: ifMatch } : {}),
      ...(http.asAdmin ? asAdmin : {}),
      ...(http.asCredential ? { credential } : {}),
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
