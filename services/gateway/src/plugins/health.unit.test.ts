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
  const pings = ['card', 'identifier', 'dependency', 'attachment'].map((service) => `rpc.${service}.ping`);
  expect(asked.sort()).toEqual(['bus', 'keys', ...pings].sort());
  await app.close();
});
