import { fastify } from 'fastify';
import { expect, it, test } from 'vitest';
import { limitsOf, restAfter, underPressure } from './admission.ts';
import { type Config, configSchema } from './config.ts';

it.each([
  [0, 0],
  [65_536, 0],
  [65_537, 5],
  [1_048_576, 75],
])('the bytes of an answer of %i still count for %i ms', (bytes, ms) => {
  expect(restAfter(bytes, { RATE_LIMIT_MAX: 2_000, RATE_LIMIT_WINDOW_MS: 10_000 })).toBe(ms);
});

it('one workspace has one large page under way by default, a quarter of it beside for others of it', () => {
  const environment = { NATS_URL: 'nats://a', JWKS_FILE: 'a', TOKEN_ISSUER: 'a', TOKEN_AUDIENCE: 'a' };
  expect(limitsOf(configSchema.parse(environment))).toEqual({
    user: { held: 1_048_576, waiting: 256 },
    workspace: { held: 1_310_720, waiting: 1_024 },
    all: { held: 67_108_864, waiting: 4_096 },
  });
  const least = { held: 1, waiting: 1 };
  expect(limitsOf({ BYTES_UNDER_WAY: 1, WAITING: 1 })).toEqual({ user: least, workspace: least, all: least });
});

test('a stall that has passed is no overload', async () => {
  const app = fastify();
  app.get('/', async () => 'served');
  underPressure(app, { MAX_EVENT_LOOP_DELAY_MS: 400 } as Config)(app);
  // Some delays of the first second are measured, and one of them is long: their mean is above the bound.
  await new Promise((resolve) => setTimeout(resolve, 120));
  const until = performance.now() + 2_500;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect((await app.inject('/')).body).toBe('served');
  await app.close();
});

test('a start that stood still for so long that nothing could be measured is no overload', async () => {
  const app = fastify();
  app.get('/', async () => 'served');
  underPressure(app, { MAX_EVENT_LOOP_DELAY_MS: 1 } as Config)(app);
  const until = performance.now() + 1_100;
  while (performance.now() < until);
  // The look at what was measured in the first second is due by now.
  await new Promise((resolve) => setTimeout(resolve));
  expect((await app.inject('/')).body).toBe('served');
  await app.close();
});
