import { CardinalError, unavailable } from '@cardinal/contracts';

/** Node's codes of a connection that could not be made or broke. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENOENT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SQLSTATEs after which the same request may simply be sent again (PostgreSQL manual, appendix A). */
const passingStates = new Set([
  '25006', // read_only_sql_transaction: this server has just become a standby
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '40001', // serialization_failure
  '40003', // statement_completion_unknown
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
]);
/** connection_exception, insufficient_resources (too many connections, disk full). */
const passingClasses = new Set(['08', '53']);

/** pg and Kysely tell these by message alone. */
const connectionMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'is not queryable',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
  'connection has been discarded',
];

/** Whether the connection to the database failed, so that what was sent on it may or may not have happened. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    return socketCodes.has(code) || code.startsWith('08') || code.startsWith('57P');
  }
  return connectionMessages.some((message) => error.message.includes(message));
}

function isPassing(error: unknown): boolean {
  if (isConnectionFailure(error)) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (
    typeof code === 'string' && code.length === 5 && (passingStates.has(code) || passingClasses.has(code.slice(0, 2)))
  );
}

/**
 * Turns a failure of the connection, a timeout, a deadlock or an exhausted server into `unavailable`; leaves any other
 * error as it is.
 */
export function refine(error: unknown): unknown {
  if (error instanceof CardinalError || !isPassing(error)) return error;
  return unavailable('The database is out of reach', error);
}
