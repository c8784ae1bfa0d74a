import { HttpError } from '@cardinal/edge';
import type { FastifyInstance } from 'fastify';

/** Media ranges that include JSON, the most specific first. */
const ranges = ['application/json', 'application/*', '*/*'];

/** Whether an `Accept` allows JSON (RFC 9110, 12.5.1): the most specific range that includes it has a weight above 0. */
const allowsJson = (accept: string | undefined): boolean => {
  if (accept === undefined || accept.trim() === '') return true;
  const weights = new Map(
    accept
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [range = '', ...parameters] = one.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
        return [range, weight === undefined ? 1 : Number(weight)];
      }),
  );
  const weight = ranges.map((range) => weights.get(range)).find((one) => one !== undefined);
  return weight !== undefined && weight > 0;
};

/** Refuses clients that do not accept JSON. Every answer is JSON, though the protocol makes clients name streams too. */
export const requireJson = (scope: FastifyInstance): void => {
  scope.addHook('onRequest', ({ headers }, _reply, done) => {
    if (allowsJson(headers.accept)) done();
    else done(new HttpError('invalid_request', 'Accept must allow application/json', { status: 406 }));
  });
};
