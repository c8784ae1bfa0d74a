import { expect, test } from 'vitest';
import { aCaller, aCard } from './support/builders.ts';
import { startAlone } from './support/fixture.ts';
import { startReal } from './support/real-service.ts';

test('a stopped service ends by itself, without a failure', async () => {
  const fixture = await startAlone({ instances: 0 });
  const [card] = await Promise.all([startReal(fixture, 'card'), startReal(fixture, 'identifier')]);
  await aCard(fixture, aCaller());
  await card.stop();
  expect(await card.exited).toEqual({ code: 0, signal: null });
});
