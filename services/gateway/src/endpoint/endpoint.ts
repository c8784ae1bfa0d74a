import type { Bus } from '@cardinal/bus';
import { type Caller, type Command, type ErrorCode, validationError } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { commandOf } from '../plugins/idempotency.ts';
import { type Principal, rankOf, type Scope } from '../tokens/principal.ts';
import type { Reply } from './replies.ts';

/** What endpoints need of the bus. */
export type BusCaller = Pick<Bus, 'call' | 'fetch'>;

/** Groups of operations, in the order in which the API page shows them. */
export const tags = [
  'Boards',
  'Columns',
  'Cards',
  'Labels',
  'Comments',
  'Subtasks',
  'Dependencies',
  'Files',
  'Identifiers',
  'Workstreams',
] as const;
type Tag = (typeof tags)[number];

/** One operation of the API: what its page says, what it requires, and what it does. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API's prefix, with `:name` for parameters. */
  path: string;
  operationId: string;
  tag: Tag;
  summary: string;
  description: string | undefined;
  scope: Scope;
  requires: readonly Requirement[];
  /** Refusals that do not follow from the rest of the definition. */
  refusals: readonly ErrorCode[];
  params: z.ZodObject;
  query: z.ZodObject;
  body: z.ZodType | undefined;
  reply: Reply<unknown>;
  run(request: FastifyRequest, bus: BusCaller): Promise<unknown>;
}

/** Headers that a write may require. */
type Requirement = 'If-Match' | 'Idempotency-Key';

interface Described {
  path: string;
  operationId: string;
  tag: Tag;
  summary: string;
  description?: string;
  refusals?: readonly ErrorCode[];
}

const nothing = z.strictObject({});
type Nothing = typeof nothing;

const isAdmin = ({ rank }: Principal) => rank >= rankOf('kanban:admin');

interface Read<Params extends z.ZodObject, Query extends z.ZodObject, Answer> extends Described {
  params?: Params;
  query?: Query;
  reply: Reply<Answer>;
  answer(input: {
    bus: BusCaller;
    by: Caller;
    isAdmin: boolean;
    params: z.output<Params>;
    query: z.output<Query>;
  }): Promise<Answer>;
}

/** A GET endpoint; HEAD comes with it. Query parameters that it does not name are refused. */
export const read = <Answer, Params extends z.ZodObject = Nothing, Query extends z.ZodObject = Nothing>(
  definition: Read<Params, Query, Answer>,
): Endpoint => ({
  ...definition,
  method: 'GET',
  description: definition.description,
  scope: 'kanban:read',
  requires: [],
  refusals: definition.refusals ?? [],
  params: definition.params ?? nothing,
  query: definition.query ?? nothing,
  body: undefined,
  reply: definition.reply as Reply<unknown>,
  run: ({ principal, params, query }, bus) =>
    definition.answer({
      bus,
      by: principal.caller,
      isAdmin: isAdmin(principal),
      params: params as z.output<Params>,
      query: query as z.output<Query>,
    }),
});

interface Write<Params extends z.ZodObject, Body extends z.ZodType, Answer> extends Described {
  method: 'POST' | 'PATCH' | 'DELETE';
  /** Default `kanban:write`. */
  scope?: Scope;
  requires: readonly Requirement[];
  params?: Params;
  /** Without it the endpoint takes no body. */
  body?: Body;
  reply: Reply<Answer>;
  answer(input: {
    bus: BusCaller;
    by: Caller & { command: Command };
    /** Whether the token has the scope `kanban:admin`. */
    isAdmin: boolean;
    params: z.output<Params>;
    ifMatch: number[];
    body: z.output<Body>;
  }): Promise<Answer>;
}

/** An endpoint that changes something. */
export const write = <Answer, Params extends z.ZodObject = Nothing, Body extends z.ZodType = z.ZodUndefined>(
  definition: Write<Params, Body, Answer>,
): Endpoint => ({
  ...definition,
  description: definition.description,
  scope: definition.scope ?? 'kanban:write',
  refusals: definition.refusals ?? [],
  params: definition.params ?? nothing,
  query: nothing,
  body: definition.body,
  reply: definition.reply as Reply<unknown>,
  run: (request, bus) =>
    definition.answer({
      bus,
      by: { ...request.principal.caller, command: commandOf(request, definition.operationId) },
      isAdmin: isAdmin(request.principal),
      params: request.params as z.output<Params>,
      ifMatch: request.ifMatch,
      body: request.body as z.output<Body>,
    }),
});

interface Desired<Params extends z.ZodObject, Body extends z.ZodType, Answer> extends Described {
  method: 'PUT' | 'DELETE';
  params: Params;
  /** One that may be left out: its schema says what then counts. Without it the endpoint takes no body. */
  body?: Body;
  reply: Reply<Answer>;
  answer(input: {
    bus: BusCaller;
    by: Caller;
    isAdmin: boolean;
    params: z.output<Params>;
    body: z.output<Body>;
  }): Promise<Answer>;
}

/**
 * A desired-state write (specification, "What the service does"): its path says everything, but for a body that may be
 * left out. It needs no headers; repeating it changes nothing, so it carries no command.
 */
export const desire = <Answer, Params extends z.ZodObject, Body extends z.ZodType = z.ZodUndefined>(
  definition: Desired<Params, Body, Answer>,
): Endpoint => ({
  ...definition,
  description: definition.description,
  scope: 'kanban:write',
  requires: [],
  refusals: definition.refusals ?? [],
  query: nothing,
  body: definition.body,
  reply: definition.reply as Reply<unknown>,
  run: async ({ principal, params, body, sentBody }, bus) => {
    // The framework hands a body of `null` on as none.
    if (sentBody === null) throw validationError([{ path: [], message: 'The body must be an object' }]);
    return definition.answer({
      bus,
      by: principal.caller,
      isAdmin: isAdmin(principal),
      params: params as z.output<Params>,
      body: body as z.output<Body>,
    });
  },
});
