import { randomUUID } from 'node:crypto';
import { erasure, erasureKey, erasureKeys, keyMarkKey } from '@cardinal/contracts';
import { eventually, testBus, testNats } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { declareRegisters } from '../src/index.ts';

const nats = await testNats();
await declareRegisters({ url: nats.url });
const { register } = await testBus(nats.url, 'access');

it('forgets an entry behind its end, and keeps one without an end', async () => {
  const [ending, staying] = [keyMarkKey(randomUUID(), randomUUID()), keyMarkKey(randomUUID(), randomUUID())];
  await register.write(staying, { of: 'staying' }, 0);
  const first = await register.write(ending, { of: 'ending' }, 0, new Date(Date.now() + 86_400_000));
  expect((await register.read(ending)).value).toEqual({ of: 'ending' });
  await register.write(ending, { of: 'ending' }, first ?? 0, new Date(Date.now() - 1_000));
  await eventually(async () => expect(await register.read(ending)).toEqual({ revision: 0 }));
  expect((await register.read(staying)).value).toEqual({ of: 'staying' });
  expect(await register.write(ending, { of: 'another' }, 0)).toBeGreaterThan(0);
});

it('reads all keys of a pattern, each once, in the order of the latest writes', async () => {
  const keys = [1, 2, 3].map(() => erasureKey(randomUUID(), randomUUID()));
  const one = (version: number) => ({ version, at: '2030-01-31T17:00:00.000Z' });
  for (const key of keys) await register.write(key, one(1), 0);
  await register.write(keyMarkKey(randomUUID(), randomUUID()), { of: 'a key' }, 0);
  const [first = ''] = keys;
  await register.write(first, one(2), (await register.read(first)).revision);
  const found: [string, number | undefined][] = [];
  for (let after = 0; ; ) {
    const next = await register.next(erasureKeys, after, erasure);
    if (!next) break;
    found.push([next.key, next.value?.version]);
    after = next.revision;
  }
  expect(found).toEqual([...keys.slice(1).map((key) => [key, 1]), [first, 2]]);
});
