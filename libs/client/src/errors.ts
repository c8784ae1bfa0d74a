import { type ErrorBody, errorCodes, type File } from './operations.gen.ts';

type ApiCode = ErrorBody['error']['code'];
type ApiDetails = NonNullable<ErrorBody['error']['details']>;

/** No answer came: the request may or may not have been carried out. */
export interface LostAnswer {
  /** It did not leave this machine or reached no server, so it had no effect. A browser cannot know. */
  neverSent: boolean;
  /** The code of the system (`ECONNREFUSED`), or its message. */
  reason: string;
}

/** The details of errors, by code. */
export interface DetailsByCode {
  /** The fields of the body that break a rule. */
  validation_error: Extract<ApiDetails, unknown[]> | undefined;
  /** The identifiers of the cards of a cycle, where a dependency would close one. */
  conflict: Extract<ApiDetails, { path: string[] }> | undefined;
  precondition_failed: Extract<ApiDetails, { current_version: number }> & {
    /** The fields of the own patch, where `merge` could not send it again. */
    patched?: string[];
  };
  /** The `seq` of the oldest event that is kept. */
  gone: Extract<ApiDetails, { oldest: number }>;
  /** A code that this version of the client does not know. */
  unknown_code: { code: string; details: unknown };
  /** The answer is not Cardinal's: a proxy's page, a bucket's refusal. */
  unexpected_response: undefined;
  connection_failed: LostAnswer;
  timed_out: LostAnswer;
  /** The file as it was last read: infected, rejected, or still being checked when the wait ended. */
  file_not_clean: { file: File };
}

/** A code of the API (CONTRACT 1.4), or one of the client's own. */
export type ErrorCode = ApiCode | keyof DetailsByCode;

interface Facts<Code extends ErrorCode = ErrorCode> {
  code: Code;
  message: string;
  details: Code extends keyof DetailsByCode ? DetailsByCode[Code] : undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  attempts?: number;
  cause?: unknown;
}

const Base = class CardinalError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** Of the HTTP answer; undefined where none came. */
  readonly status: number | undefined;
  /** Quote it when asking for help: every log line of the request carries it. */
  readonly requestId: string | undefined;
  /** How often the request was sent. Above 1 a 412, or the 404 of a delete, may speak of an earlier sending's own effect. */
  readonly attempts: number;

  constructor({ code, message, details, status, requestId, attempts = 1, cause }: Facts) {
    super(`${message} (${status === undefined ? code : `${code}, ${status}`})`, { cause });
    this.name = 'CardinalError';
    this.code = code;
    this.details = details;
    this.status = status;
    this.requestId = requestId;
    this.attempts = attempts;
  }
};

/** Any failure of a call, except the reason of its own signal. `code` decides the type of `details`. */
export type CardinalError = {
  [Code in ErrorCode]: InstanceType<typeof Base> & { readonly code: Code; readonly details: Facts<Code>['details'] };
}[ErrorCode];
export const CardinalError = Base as unknown as {
  new <Code extends ErrorCode>(facts: Facts<Code>): CardinalError;
  readonly prototype: CardinalError;
};

const isErrorBody = (body: unknown): body is { error: { code: string; message: string } & Record<string, unknown> } => {
  const error = (body as { error?: { code?: unknown } } | null | undefined)?.error;
  return typeof error === 'object' && error !== null && typeof error.code === 'string';
};

/** An address without its query, which may hold a signature. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** Reads an answer that is no success, its body parsed where that was JSON, after so many sendings. */
export const refusal = (response: Response, body: unknown, attempts: number): CardinalError => {
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined, attempts };
  const message = `${withoutQuery(response.url)} answered without a Cardinal body`;
  return (
    errorOf(facts, body) ?? new CardinalError({ ...facts, code: 'unexpected_response', message, details: undefined })
  );
};

/** The error in a body; undefined where there is none. */
export const errorOf = (
  facts: { status: number; requestId: string | undefined; attempts: number },
  body: unknown,
): CardinalError | undefined => {
  if (!isErrorBody(body)) return undefined;
  const { code, message, details, request_id } = body.error;
  const told = { ...facts, requestId: typeof request_id === 'string' ? request_id : facts.requestId };
  if (!errorCodes.has(code)) {
    return new CardinalError({ ...told, code: 'unknown_code', message, details: { code, details } });
  }
  // The service sends the details that belong to the code.
  return new CardinalError({ ...told, code: code as ApiCode, message, details: details as undefined });
};

const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

// fetch wraps the system's error, whose code says what happened, in a TypeError that does not.
const systemCode = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return systemCode(error.cause);
};

const reasonOf = (error: unknown): string => {
  const code = systemCode(error);
  if (code !== undefined) return code;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
};

/** Ports that no fetch connects to (WHATWG Fetch, "bad port"): Node says so in a message alone. */
const isBadPort = (error: unknown): boolean => reasonOf(error) === 'bad port';

/** Whether a failed fetch certainly reached no server. */
export const isNeverSent = (error: unknown): boolean => isBadPort(error) || beforeSending.has(systemCode(error) ?? '');

/** Whether the same request would fail again: its time limit is too short, or its address invalid. */
export const isHopeless = (error: unknown): boolean => isLate(error) || isBadPort(error);

const isLate = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

/** The error for a fetch that threw. */
export const lostAnswer = (url: string, cause: unknown, attempts: number): CardinalError => {
  const reason = isLate(cause) ? 'no answer in time' : reasonOf(cause);
  return new CardinalError({
    code: isLate(cause) ? 'timed_out' : 'connection_failed',
    message: `No answer from ${new URL(url).origin}: ${reason}`,
    details: { neverSent: isNeverSent(cause), reason },
    attempts,
    cause,
  });
};
