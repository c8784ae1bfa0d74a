import type { ErrorCode, errorDetails } from '@cardinal/contracts';
import type { z } from 'zod';

type Code = ErrorCode | 'connection_failed';

/** The details of a 412, and the fields of an edit that it refused. */
export type PreconditionDetails = z.output<typeof errorDetails.precondition_failed> & { patched?: string[] };

/** A refusal of the API, or of a tool before it. */
export class Refusal extends Error {
  readonly code: Code;
  readonly details: unknown;
  readonly requestId: string | undefined;
  /** Seconds after which to try again. */
  readonly retryAfter: string | undefined;
  /** Arguments with which the call can be repeated safely. */
  repeatWith: Record<string, unknown> | undefined;

  constructor(
    code: Code,
    message: string,
    {
      details,
      requestId,
      retryAfter,
      cause,
    }: { details?: unknown; requestId?: string; retryAfter?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** A 412 with the fields of the edit that it refused. */
  ofPatch(patched: string[]): Refusal {
    const { code, message, requestId, cause } = this;
    return new Refusal(code, message, {
      details: { ...(this.details as object), patched },
      cause,
      ...(requestId !== undefined && { requestId }),
    });
  }

  /** Adds the arguments with which the call can be repeated safely. */
  thatMayBeRepeatedWith(named: Record<string, unknown>): this {
    this.repeatWith = named;
    return this;
  }
}

const again = ' A write is repeated with what `repeat_with` names, so that nothing is done twice.';
const later = ({ retryAfter = '1' }: Refusal) => `Wait ${retryAfter} s, then make the same call again.`;

/** The way out of each refusal. */
const waysOut: Record<Code, string | ((refusal: Refusal) => string)> = {
  invalid_request: 'Correct the argument that the message names; `describe_operation` shows what an operation takes.',
  unauthenticated: 'The token is missing, wrong or over. Calling again does not help: the user must give a new one.',
  insufficient_scope: 'The token may not do this. Calling again does not help: tell the user which scope is missing.',
  forbidden: 'An API key may not do this. Calling again does not help: the user needs a token of the issuer.',
  not_found:
    'It is unknown, deleted, or not visible to this token; these are never told apart. Check its spelling, or look for it with `find_cards`, `list_boards` or `list_workstreams`.',
  method_not_allowed: 'Look for the operation with `list_operations`.',
  conflict: 'The state of something forbids it: read what the message and the details name, and change that first.',
  gone: ({ details }) => {
    const { oldest } = (details ?? {}) as { oldest?: number };
    return oldest === undefined
      ? 'It is not kept any more.'
      : `Older events are not kept: go on with \`after\`: ${oldest - 1}.`;
  },
  precondition_failed: ({ details }) => {
    const { current_version: now, changes = [], patched = [] } = (details ?? {}) as Partial<PreconditionDetails>;
    const both = patched.filter((field) => changes.some(({ changed }) => changed.includes(field)));
    const said = both.length > 0 ? `, ${both.join(', ')} as this call does` : '';
    return `Somebody changed it since${said}${now === undefined ? '' : `; it has version ${now} now`}. Read it again, and where the change still makes sense, make it with the version that you read.`;
  },
  payload_too_large: 'Send less at once.',
  unsupported_media_type: 'This is a fault of the tools: tell the user.',
  validation_error: 'Correct each field that the details name, and call again.',
  idempotency_key_reused:
    'The key was used for another change, or for this one with another version. Read what you mean to change; where it is still to be done, take a new key.',
  precondition_required: 'Give the `version` that you read.',
  rate_limited: later,
  internal: 'This is a fault of the service: tell the user, with the request_id.',
  unavailable: (refusal) => later(refusal) + again,
  connection_failed: `The service was not reached, or its answer was lost: the user may look whether it runs.${again}`,
};

/** A refusal as an assistant gets it: the code, the cause, and the way out. */
export const refusalContent = (refusal: Refusal) => {
  const { code, message, details, requestId, repeatWith } = refusal;
  const wayOut = waysOut[code];
  return {
    code,
    message,
    ...(details === undefined ? {} : { details }),
    what_to_do: typeof wayOut === 'string' ? wayOut : wayOut(refusal),
    ...(repeatWith ? { repeat_with: repeatWith } : {}),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
};
