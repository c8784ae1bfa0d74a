import { ApiError } from '../api-error.ts';
import { ConnectionError } from '../connection-error.ts';
import { ImportError } from './import-error.ts';

/**
 * Says in one line what went wrong and what to do about it.
 * @param url where the import was sent
 * @returns undefined for an error that nobody foresaw: its stack says more
 */
export const explain = (error: unknown, url: string): string | undefined => {
  if (error instanceof ImportError) return error.message;
  if (error instanceof ConnectionError) {
    return `no answer from ${url} (${error.reason}); start Cardinal with "npm start", or name it with --url or CARDINAL_URL`;
  }
  if (error instanceof ApiError) return explainAnswer(error, url);
  return undefined;
};

const explainAnswer = (error: ApiError, url: string): string => {
  switch (error.code) {
    case 'unauthenticated':
      return 'the token was not accepted, it may have expired; "npm run --silent token -- --help" tells how to get one';
    case 'insufficient_scope':
      return 'the token lacks a scope; an import needs kanban:read and kanban:write';
    case 'unexpected_response':
      return `${url} answered (${error.status}), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`;
    default: {
      const request = error.requestId ? `, request ${error.requestId}` : '';
      return `the service refused: ${error.message}${request}`;
    }
  }
};
