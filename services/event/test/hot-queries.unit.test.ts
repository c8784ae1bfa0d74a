import { expect, test } from 'vitest';
import { writeEvents } from '../src/log/append.ts';
import { findRange, readActorEvents, readCardEvents, readEvents } from '../src/log/read.ts';

test.each([
  ['append-events', writeEvents],
  ['range-of-log', findRange.asc],
  ['range-of-log-desc', findRange.desc],
  ['read-events', readEvents.asc],
  ['read-events-desc', readEvents.desc],
  ['read-card-events', readCardEvents.asc],
  ['read-card-events-desc', readCardEvents.desc],
  ['read-actor-events', readActorEvents.asc],
  ['read-actor-events-desc', readActorEvents.desc],
])('the statement %s is the reviewed one', async (name, { text }) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});
