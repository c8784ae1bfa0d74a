import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { text, timestamp, uuid } from './scalars.ts';
import type { DatabaseOwner, ServiceName } from './services.ts';

/** A request that a service serves: its subject, and the schemas of request and reply, which both ends check. */
export interface RequestContract<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** `rpc.<service>.<verb>` */
  subject: string;
  request: Request;
  reply: Reply;
  /** Error codes of its own, besides those that follow from an id, version, command or cursor in it. */
  refusals: readonly ErrorCode[];
  /**
   * The only services that may send it (libs/bus, `accessOf`). The user that a request names is trusted: only the
   * gateway, which reads tokens, may send those that change something for a user.
   */
  callers: readonly ServiceName[];
  /** It sets a state and has no command: run late, it would undo newer writes. */
  setsState?: boolean;
}

/** Declares a request under `rpc.<name>`. */
export const defineRequest = <Request extends z.ZodType, Reply extends z.ZodType>(
  name: string,
  request: Request,
  reply: Reply,
  refusals: readonly ErrorCode[] = [],
  callers: readonly ServiceName[] = ['gateway'],
): RequestContract<Request, Reply> => ({ subject: `rpc.${name}`, request, reply, refusals, callers });

/** A message without an answer that may be lost. Its receiver looks sooner than it would otherwise. */
export interface SignalContract<Data extends z.ZodType = z.ZodType> {
  /** `sig.<name>` */
  signal: string;
  data: Data;
  /** The only services that may send it, and that may receive it. */
  from: readonly ServiceName[];
  to: readonly ServiceName[];
  /** Whether one process of a service receives it, or each. */
  each: 'service' | 'process';
}

/** Declares a signal under `sig.<name>`. */
export const defineSignal = <Data extends z.ZodType>(
  name: string,
  data: Data,
  parties: Pick<SignalContract, 'from' | 'to' | 'each'>,
): SignalContract<Data> => ({ signal: `sig.${name}`, data, ...parties });

/** The caller of a request: tenant and user, and the API key that the user came with. */
export const caller = z.object({ workspace_id: uuid, user_id: uuid, by_api_key: uuid.optional() });
export type Caller = z.infer<typeof caller>;

/** Added to a caller where the scope `kanban:admin` allows more. Only the gateway may send it. */
export const asAdmin = { is_admin: z.boolean().default(false) };

/** The identity of a command. The same `id` means the same command, or a misused idempotency key. */
export const command = z.object({ id: uuid, fingerprint: text({ min: 1, max: 64 }) });
export type Command = z.infer<typeof command>;

/**
 * The versions that the writer accepts (`If-Match`, RFC 9110 13.1.1). Weak tags are left out, so it may be empty. A
 * version that no resource can have is allowed: it matches nothing.
 */
export const ifMatch = z.array(z.int().min(1));

/** The state after a write; `replayed` where it is the stored answer to an earlier equal command. */
export const outcomeOf = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({ resource, replayed: z.boolean() });

export const pageRequest = z.object({ limit: z.int().min(1).max(100), cursor: z.string().optional() });
export const pageReply = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({ items: z.array(resource), next_cursor: z.string().nullable() });

const envelope = z.object({
  id: uuid,
  type: z.string(),
  /** Version of the event's schema. */
  version: z.int().min(1),
  occurred_at: timestamp,
  workspace_id: uuid,
  request_id: z.string(),
  aggregate_id: uuid,
  /** The aggregate's version after the change. A projection applies an event only if it is newer. */
  aggregate_version: z.int().min(0),
});

/**
 * Declares an internal event `<capability>.<what>`, for other services alone, with the small full state in it
 * (ARCHITECTURE, "Feeds").
 */
export const defineInternalEvent = <Data extends z.ZodType>(type: string, eventVersion: number, data: Data) => ({
  type,
  version: eventVersion,
  schema: envelope.extend({ data }),
});

export type InternalEventContract<Data extends z.ZodType = z.ZodType> = ReturnType<typeof defineInternalEvent<Data>>;

/**
 * Declares the request by which the writer of an internal event hands it to the projecting service, before the writer
 * is answered (ARCHITECTURE, "Projections"). The feed has the same event.
 */
export const defineProjection = <Data extends z.ZodType>(
  name: string,
  { schema }: InternalEventContract<Data>,
  writer: DatabaseOwner,
) => defineRequest(name, schema, z.object({ applied: z.boolean() }), [], [writer]);

export type InternalEventOf<Contract extends InternalEventContract> = z.output<Contract['schema']>;
/** Any internal event, with unknown data. */
export const internalEvent = envelope.extend({ data: z.unknown() });
export type InternalEvent = z.infer<typeof internalEvent>;

/** The part of a reply that a caller reads which passes its text on. */
export interface DocumentHead {
  id?: string;
  version?: number;
  /** Set where the reply is the outcome of a command; the text is its resource. */
  replayed?: boolean;
  /** Set where the reply is a page of a list; the text is its items. */
  next_cursor?: string | null;
  /** Set where the page is of a log: the highest `seq` there is. */
  head?: number;
}

/** A reply as JSON that its owner wrote once (ARCHITECTURE, "Batching"). Bus and gateway pass on its bytes. */
export class Document<out Reply = unknown> {
  declare protected readonly reply: Reply;
  readonly head: DocumentHead;
  /** JSON in one line, in UTF-8. */
  readonly bytes: Buffer;

  constructor(head: DocumentHead, json: string | Buffer) {
    this.head = head;
    this.bytes = typeof json === 'string' ? Buffer.from(json) : json;
  }

  get text(): string {
    return this.bytes.toString();
  }
}

const idAndVersion = ({ id, version: number }: { id?: unknown; version?: unknown }): DocumentHead => ({
  ...(typeof id === 'string' && { id }),
  ...(typeof number === 'number' && { version: number }),
});

interface PossibleReply {
  resource?: object;
  replayed?: boolean;
  items?: unknown[];
  next_cursor?: string | null;
  head?: number;
}

/** Serializes a reply as a document: an outcome (`outcomeOf`), a page (`pageReply`) or any other object. */
export const documentOf = <Reply extends object>(reply: Reply): Document<Reply> => {
  const { resource, replayed, items, next_cursor, head }: PossibleReply = reply;
  if (resource && replayed !== undefined) {
    return new Document({ ...idAndVersion(resource), replayed }, JSON.stringify(resource));
  }
  if (items && next_cursor !== undefined) {
    const rest = { ...(replayed !== undefined && { replayed }), ...(head !== undefined && { head }) };
    return new Document({ next_cursor, ...rest }, JSON.stringify(items));
  }
  return new Document(idAndVersion(reply), JSON.stringify(reply));
};

/** Parses a document of {@link documentOf}. It does not check the contract. */
export const replyOf = ({ head, text }: Document): unknown => {
  const value: unknown = JSON.parse(text);
  const { next_cursor, replayed } = head;
  if (next_cursor !== undefined) return { items: value, ...head };
  if (replayed !== undefined) return { resource: value, replayed };
  return value;
};
