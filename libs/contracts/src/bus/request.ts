import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { uuid, version } from '../scalars.ts';
import type { ServiceName } from './services.ts';

/** One request that a service serves: its subject and what travels in each direction. Parsed at both ends. */
export interface RequestContract<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** `rpc.<service>.<verb>` */
  subject: string;
  request: Request;
  reply: Reply;
  /**
   * What it may be refused with, beside what follows from what it carries: `not_found` for an id, `precondition_failed`
   * for a version, `idempotency_key_reused` for a command, `invalid_request` for a cursor.
   */
  refusals: readonly ErrorCode[];
  /**
   * The services that may ask, and no other can (libs/bus, `accessOf`). A request names the user that it acts for, and
   * is believed: only the gateway, which reads tokens, may send those that change something for a user.
   */
  callers: readonly ServiceName[];
}

/** Declares a request under `rpc.<name>`. */
export const defineRequest = <Request extends z.ZodType, Reply extends z.ZodType>(
  name: string,
  request: Request,
  reply: Reply,
  refusals: readonly ErrorCode[] = [],
  callers: readonly ServiceName[] = ['gateway'],
): RequestContract<Request, Reply> => ({ subject: `rpc.${name}`, request, reply, refusals, callers });

/** Who asks: every request names its tenant and the user it acts for. */
export const caller = z.object({ workspace_id: uuid, user_id: uuid });
export type Caller = z.infer<typeof caller>;

/**
 * What a request adds to its caller where the scope `kanban:admin` allows more. The owner believes it, because only the
 * gateway may send such a request.
 */
export const asAdmin = { is_admin: z.boolean().default(false) };

/**
 * The identity of one mutation. Two requests with the same `id` are the same command; a different fingerprint under the
 * same id is a misuse of its idempotency key.
 */
export const command = z.object({ id: uuid, fingerprint: z.string().min(1) });
export type Command = z.infer<typeof command>;

/** A caller's mutation. */
export const commandBy = caller.extend({ command });

/** The versions that the writer accepts (`If-Match`, RFC 9110 13.1.1); weak tags are left out, so it may be empty. */
export const ifMatch = z.array(version);

/** The state after a mutation; `replayed` where it is the stored answer to an earlier equal command. */
export const outcomeOf = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({ resource, replayed: z.boolean() });

/** A page as services ask for it and answer it. */
export const pageRequest = z.object({ limit: z.int().min(1).max(100), cursor: z.string().optional() });
export const pageReply = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({ items: z.array(resource), next_cursor: z.string().nullable() });
