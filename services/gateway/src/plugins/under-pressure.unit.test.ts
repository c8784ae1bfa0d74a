import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import type { Config } from '../config.ts';
import { underPressure } from './under-pressure.ts';

test('a start that stood still for so long that nothing could be measured is no overload', async () => {
  const app = fastify();
  app.get('/', async () => 'served');
  await underPressure(app, { MAX_EVENT_LOOP_DELAY_MS: 2_000 } as Config);
  const until = performance.now() + 1_100;
  while (performance.now() < until);
  // The plugin's look at what was measured in the first second is due by now.
  await new Promise((resolve) => setTimeout(resolve));
  expect(app.memoryUsage().eventLoopDelay).toBe(Number.POSITIVE_INFINITY);
  expect((await app.inject('/')).body).toBe('served');
  await app.close();
});
