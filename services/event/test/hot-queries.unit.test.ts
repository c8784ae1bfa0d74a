import { expect, test } from 'vitest';
import { writeEvents } from '../src/log/append.ts';
import { findRange, readCardEvents, readEvents } from '../src/log/read.ts';

test.each([
  ['append-events', writeEvents],
  ['range-of-log', findRange],
  ['read-events', readEvents],
  ['read-card-events', readCardEvents],
])('the statement %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
