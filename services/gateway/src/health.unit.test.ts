import { askedBy } from '@cardinal/contracts';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { health } from './health.ts';

it('asks each service once, however many probes come', async () => {
  const asked: string[] = [];
  const bus = {
    ping: async () => void asked.push('bus'),
    call: async ({ subject }: { subject: string }) => {
      asked.push(subject);
      return {} as never;
    },
  };
  const app = fastify();
  health(app, { bus, keys: async () => void asked.push('keys') });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => app.inject(at % 2 ? '/readyz' : '/readyz?verbose')),
  );
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const pings = askedBy('gateway').map((service) => `rpc.${service}.ping`);
  expect(asked.sort()).toEqual(['bus', 'keys', ...pings].sort());
  await app.close();
});

it('skips the excluded checks, and no others', async () => {
  const down = new Set(['rpc.card.ping', 'rpc.dependency.ping']);
  const bus = {
    ping: async () => {},
    call: async ({ subject }: { subject: string }) => {
      if (down.has(subject)) throw new Error('down');
      return {} as never;
    },
  };
  const app = fastify();
  health(app, { bus, keys: async () => {} });
  const ask = async (query: string) => (await app.inject(`/readyz${query}`)).statusCode;
  expect(await ask('')).toBe(503);
  expect(await ask('?exclude=card')).toBe(503);
  expect(await ask('?exclude=card&exclude=dependency')).toBe(200);
  const { checks } = (await app.inject('/readyz?verbose&exclude=card&exclude=dependency')).json();
  expect(checks).toEqual({ bus: 'ok', keys: 'ok', identifier: 'ok', attachment: 'ok', event: 'ok', access: 'ok' });
  await app.close();
});

it('answers strangers only whether it is ready', async () => {
  const bus = { ping: async () => {}, call: async () => ({}) as never };
  const app = fastify();
  health(app, { bus, keys: async () => {} });
  const ask = async (remoteAddress: string, headers = {}) =>
    (await app.inject({ url: '/readyz?verbose', remoteAddress, headers })).json();
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1']) expect(await ask(address)).toHaveProperty('checks');
  for (const address of ['192.0.2.1', '2001:db8::1']) expect(await ask(address)).toEqual({ status: 'ok' });
  expect(await ask('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).toEqual({ status: 'ok' });
  expect(await ask('127.0.0.1', { forwarded: 'for=192.0.2.1' })).toEqual({ status: 'ok' });
  await app.close();
});
