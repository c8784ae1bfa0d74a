import { CardinalError } from '@cardinal/contracts';
import type { onRequestHookHandler } from 'fastify';
import { parseIfMatch } from '../http/if-match.ts';
import '../request.ts';

/** Requires `If-Match` and sets `request.ifMatch`. */
export const requireIfMatch: onRequestHookHandler = (request, _reply, done) => {
  const header = request.headers['if-match'];
  if (header === undefined) {
    done(new CardinalError('precondition_required', 'If-Match with the version of the resource is required'));
    return;
  }
  request.ifMatch = parseIfMatch(header);
  done();
};
