import { CardinalError, unavailable } from '@cardinal/contracts';

/** Node's codes of an open connection that broke, and SQLSTATEs of a server that closed it. */
const broken = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', '57P01', '57P02', '57P05'];
/** Errors of pg and Kysely that only their message marks: the connection is gone. */
const brokenMessages = ['Connection terminated unexpectedly', 'is not queryable', 'connection has been discarded'];
/** Two writes met, and this one was rolled back: serialization_failure, deadlock_detected. */
const conflicts = ['40001', '40P01'];
/** lock_not_available: `lock_timeout` ended the wait for a lock. */
const locked = '55P03';
const diskFull = '53100';

/**
 * Faults that pass: the same request can be sent again. Codes are Node's, SQLSTATEs (PostgreSQL manual, appendix A), or
 * classes of them with two letters.
 */
const passing: { says: string; codes: string[]; messages: string[] }[] = [
  {
    says: 'The database is out of reach',
    codes: [
      ...broken,
      ...['ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'ENOENT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
      '08', // connection_exception
      '25006', // read_only_sql_transaction: the server has just become a standby
      '40003', // statement_completion_unknown
      '57P03', // cannot_connect_now: starting up, shutting down
    ],
    messages: [
      ...brokenMessages,
      'Connection terminated',
      'Cannot use a pool after calling end',
      'driver has already been destroyed',
    ],
  },
  {
    // It passes when an operator corrects it: the server's log says what.
    says: 'The database refuses the connection',
    codes: [
      '28', // invalid_authorization_specification: the password, the role, pg_hba.conf
      '3D000', // invalid_catalog_name: there is no such database
    ],
    messages: [],
  },
  {
    says: 'The database did not answer in time',
    codes: [
      '25P03', // idle_in_transaction_session_timeout
      '25P04', // transaction_timeout
      '57014', // query_canceled: statement_timeout
    ],
    messages: ['timeout exceeded when trying to connect', 'timeout expired', 'Query read timeout'],
  },
  {
    says: 'Another write held the same rows',
    codes: [...conflicts, locked],
    messages: [],
  },
  {
    says: 'The database has no room, memory or connection left, or its disk fails',
    codes: ['53', '58'], // insufficient_resources, system_error
    messages: [],
  },
];

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
};
const hasMessage = (error: Error, messages: string[]) => messages.some((message) => error.message.includes(message));

/** Whether an open connection is gone. A new one may work at once. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return code === undefined ? hasMessage(error, brokenMessages) : broken.includes(code);
}

/** Whether the server rolled this transaction back because two met. Run again, it may succeed at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && conflicts.includes(codeOf(error) ?? '');
}

/** Whether a lock was not free in time (`lock_timeout`). */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === locked;
}

/** Whether the server's disk is full. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === diskFull;
}

const passingFault = (error: Error) => {
  const code = codeOf(error);
  return passing.find(({ codes, messages }) => {
    if (code === undefined) return hasMessage(error, messages);
    return codes.includes(code) || (code.length === 5 && codes.includes(code.slice(0, 2)));
  });
};

/**
 * Makes the error to rethrow: `unavailable` for a lost or refused connection, a timeout, a deadlock or an exhausted server.
 * Others stay, without the row that the server quotes, which must not reach a log.
 */
export function refine(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CardinalError) return error;
  const fault = passingFault(error);
  if (fault) return unavailable(fault.says, error);
  for (const quote of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error, quote);
  return error;
}

/** Whether a statement failed because the key exists in a unique constraint. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  error instanceof Error && codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;
