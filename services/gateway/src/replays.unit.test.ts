import { expect, it } from 'vitest';
import { z } from 'zod';
import { asFirstSent } from './replays.ts';

const resource = z.object({
  title: z.string(),
  id: z.string(),
  tags: z.array(z.object({ name: z.string(), at: z.int() })),
  owner: z.object({ name: z.string(), id: z.string() }).nullable(),
  added: z.string().default('later'),
});
const body = z.object({ data: resource });

it('puts the members of a stored answer into the order of the contract, adds none and loses none', () => {
  const stored =
    '{"id":"1","tags":[{"at":1,"name":"a"}],"owner":{"id":"2","name":"b"},"title":"c","unknown":{"b":1,"a":2}}';
  expect(asFirstSent(body, stored)).toBe(
    '{"title":"c","id":"1","tags":[{"name":"a","at":1}],"owner":{"name":"b","id":"2"},"unknown":{"b":1,"a":2}}',
  );
  expect(asFirstSent(body, '{"tags":[],"owner":null,"title":"a","id":"1"}')).toBe(
    '{"title":"a","id":"1","tags":[],"owner":null}',
  );
});

it('leaves what breaks the contract as it is', () => {
  expect(asFirstSent(body, '{"id":1}')).toBe('{"id":1}');
});
