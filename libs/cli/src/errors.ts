import { CardinalError } from '@cardinal/client/source';

/** Why a command cannot go on, in one line for the person who typed it. */
export class CliError extends Error {}

/** What is wrong with what somebody typed, and the way out. */
export class UsageError extends CliError {}

/** The exit code of what somebody stopped. */
export const stopped = 130;
/** That of a command line which the program does not understand. */
export const wrongUsage = 2;

/** What went wrong and what to do about it, in one line; undefined for an unforeseen error, whose stack says more. */
export const explain = (error: unknown, url: string): string | undefined => {
  if (error instanceof CliError) return error.message;
  // Of a file, or whatever else the system refused.
  if (error instanceof Error && 'syscall' in error) return error.message;
  if (!(error instanceof CardinalError)) return undefined;
  switch (error.code) {
    case 'connection_failed':
    case 'timed_out':
      return `no answer from ${url} (${error.details.reason}); start Cardinal with "npm start", or name it with --url or CARDINAL_URL`;
    case 'unauthenticated':
      return 'the token was not accepted, it may have expired; "npm run --silent token -- --help" tells how to get one';
    case 'insufficient_scope':
      return 'the token lacks a scope; reading needs kanban:read, writing kanban:write, and an import that brings identifiers along kanban:admin';
    case 'unexpected_response':
      return `${url} answered (${error.status}), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`;
    default: {
      const request = error.requestId ? `, request ${error.requestId}` : '';
      return `the service refused: ${error.message}${request}`;
    }
  }
};
