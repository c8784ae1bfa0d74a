import { expect, test } from 'vitest';
import { startGround } from './support/ground.ts';
import { aCaller, aCard } from './support/making.ts';
import { startReal } from './support/real-service.ts';

test('a stopped service ends by itself, without a failure', async () => {
  const ground = await startGround({ instances: 0 });
  const [card] = await Promise.all([startReal(ground, 'card'), startReal(ground, 'identifier')]);
  await aCard(ground, aCaller());
  await card.stop();
  expect(await card.exited).toEqual({ code: 0, signal: null });
});
