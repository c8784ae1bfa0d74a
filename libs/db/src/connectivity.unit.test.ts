import { expect, it } from 'vitest';
import { databaseProblem } from './connectivity.ts';

it.each([
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
])('a start waits for a server that hangs up: $message', (error) => {
  expect(databaseProblem(error, 'postgres://card:secret@localhost:5432/cardinal').kind).toBe('starting');
});
