import { CardinalError, unavailable } from '@cardinal/contracts';

/** Node's codes of a connection that could not be made, or that broke. */
const unreachable = ['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'ENOENT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
const broken = ['ECONNRESET', 'ECONNABORTED', 'EPIPE'];

/** SQLSTATEs of a server that closed this connection (PostgreSQL manual, appendix A). */
const cut = [
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P05', // idle_session_timeout
];
/** SQLSTATEs after which the same request can be sent again. */
const passing = [
  '25006', // read_only_sql_transaction: the server has just become a standby
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '40001', // serialization_failure
  '40003', // statement_completion_unknown
  '40P01', // deadlock_detected
  '55P03', // lock_not_available: lock_timeout
  '57014', // query_canceled: statement_timeout
  '57P03', // cannot_connect_now: starting up, shutting down
];
/** connection_exception; insufficient_resources: too many connections, disk full; system_error: the disk fails. */
const passingClasses = ['08', '53', '58'];
const diskFull = '53100';

/** Errors that pg and Kysely mark by their message alone. */
const brokenMessages = ['Connection terminated unexpectedly', 'is not queryable', 'connection has been discarded'];
const passingMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
];

const brokenCodes = new Set([...broken, ...cut]);
const passingCodes = new Set([...brokenCodes, ...unreachable, ...passing]);

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};
const says = (error: Error, messages: string[]) => messages.some((message) => error.message.includes(message));

/** Whether an open connection is gone. A new one may work at once. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === undefined ? says(error, brokenMessages) : brokenCodes.has(code);
}

/** Whether the server's disk is full. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === diskFull;
}

function isPassing(error: Error): boolean {
  const code = codeOf(error);
  if (code === undefined) return says(error, brokenMessages) || says(error, passingMessages);
  return passingCodes.has(code) || (code.length === 5 && passingClasses.includes(code.slice(0, 2)));
}

/**
 * Makes the error to rethrow: `unavailable` for a lost connection, a timeout, a deadlock or an exhausted server. Others
 * stay, without the row that the server quotes, which must not reach a log.
 */
export function refine(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CardinalError) return error;
  if (isPassing(error)) return unavailable('The database is out of reach', error);
  for (const quote of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error, quote);
  return error;
}

/** Whether a statement failed because the key exists in a unique constraint. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  error instanceof Error && codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;
