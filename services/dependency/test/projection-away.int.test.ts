import { dependencyChanged } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { expect, test } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { createClient } from './support/client.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness({ bestEffortTimeoutMs: 250 });
const card = await startCardDouble(harness.natsUrl);

test('a writer is answered in time where the projection does not answer, and its event is in the feed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  card.holdUp = promise;
  const { put, remove, who, events } = createClient(harness);
  const [a, b] = card.add(who.workspace_id, 2) as [string, string];
  await runInContext(newContext({ timeoutMs: 30_000 }), () => put(a, b));
  await runInContext(newContext({ timeoutMs: 30_000 }), () => remove(a, b));
  resolve();

  const noted = (await events()).map((event) => dependencyChanged.schema.parse(event));
  expect(noted.map(({ aggregate_version, data }) => [aggregate_version, data.exists])).toEqual([
    [1, true],
    [2, false],
  ]);
});

test('nothing is written where the card service does not answer', async () => {
  const { put, remove, who, edges } = createClient(harness);
  const [a, b, c] = card.add(who.workspace_id, 3) as [string, string, string];
  await put(a, b);
  await card.bus.drain();
  const inTime = <Result>(run: () => Promise<Result>) => runInContext(newContext({ timeoutMs: 1_000 }), run);
  await expect(inTime(() => put(a, c))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(inTime(() => remove(a, b))).rejects.toMatchObject({ code: 'unavailable' });
  expect(await edges()).toHaveLength(1);
});
