import { CardinalError } from '@cardinal/contracts';
import type { onRequestHookHandler } from 'fastify';
import { checkHeaderLengths } from '../http/header-bounds.ts';
import { parseIfMatch } from '../http/if-match.ts';
import { parseIfNoneMatch } from '../http/if-none-match.ts';
import '../request.ts';

/** Requires `If-Match`, whatever it says. */
export const requireIfMatch: onRequestHookHandler = ({ headers }, _reply, done) => {
  if (headers['if-match'] !== undefined) done();
  else done(new CardinalError('precondition_required', 'If-Match with the version of the resource is required'));
};

/** Refuses overlong headers before any of them is parsed. */
export const boundHeaders: onRequestHookHandler = ({ headers }, _reply, done) => {
  checkHeaderLengths(headers);
  done();
};

/** Sets `request.ifMatch`, after {@link requireIfMatch}. */
export const readIfMatch: onRequestHookHandler = (request, _reply, done) => {
  request.ifMatch = parseIfMatch(request.headers['if-match'] ?? '');
  done();
};

/** Sets `request.ifNoneMatch`: what is malformed is refused before anyone is asked for the resource. */
export const readIfNoneMatch: onRequestHookHandler = (request, _reply, done) => {
  const header = request.headers['if-none-match'];
  request.ifNoneMatch = header === undefined ? undefined : parseIfNoneMatch(header);
  done();
};
