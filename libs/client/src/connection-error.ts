/** No answer came: the request may or may not have been carried out, unless `neverSent`. */
export class ConnectionError extends Error {
  /** The request did not leave this machine or found nobody there, so it had no effect. */
  readonly neverSent: boolean;
  /** The system's code (`ECONNREFUSED`) or message. */
  readonly reason: string;
  /** How often it was tried. */
  readonly attempts: number;

  constructor(url: string, cause: unknown, attempts: number) {
    const reason = reasonOf(cause);
    super(`No answer from ${new URL(url).origin}: ${reason}`, { cause });
    this.name = 'ConnectionError';
    this.neverSent = isNeverSent(cause);
    this.reason = reason;
    this.attempts = attempts;
  }
}

const beforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

// fetch wraps the system's error, whose code says what happened, in a TypeError that says nothing.
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
};

const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code !== undefined) return code;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
};

/** Whether a failed fetch surely reached no server. */
export const isNeverSent = (error: unknown): boolean => beforeSending.has(codeOf(error) ?? '');
