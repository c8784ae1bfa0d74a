import type { IncomingMessage } from 'node:http';
import { checkHeaderLength } from '../preconditions.ts';

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Node keeps only the first of several `Authorization` headers; which one counts must not be left to chance. */
const hasSeveral = (rawHeaders: string[]): boolean => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
};

/** The bearer token of a request (RFC 6750 2.1), where there is one. @throws CardinalError where it is overlong */
export const bearerToken = (request: IncomingMessage): string | undefined => {
  const header = request.headers.authorization;
  if (header === undefined || hasSeveral(request.rawHeaders)) return undefined;
  checkHeaderLength('authorization', header);
  return bearer.exec(header)?.[1];
};
