import { randomUUID } from 'node:crypto';
import { keyMarkKey } from '@cardinal/contracts';
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
