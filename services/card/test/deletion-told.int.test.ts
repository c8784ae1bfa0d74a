import { type Caller, type Card, deleteCard } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { aCaller, aCommand } from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { expect, test } from 'vitest';
import { aCard } from './support/builders.ts';
import { startDependencyDouble } from './support/dependency-double.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture();
const dependency = await startDependencyDouble(fixture.natsUrl);

const remove = (caller: Caller, { id, version }: Card, command = aCommand()) =>
  runInContext(newContext({ timeoutMs: 30_000 }), () =>
    fixture.bus.call(deleteCard, { ...caller, card_id: id, if_match: [version], command }),
  );
const toldOf = ({ id }: Card) => dependency.told.filter(({ aggregate_id }) => aggregate_id === id);
const noted = async ({ workspace_id }: Caller, { id }: Card) =>
  (await internalEventsOf(fixture.instance, workspace_id)).filter(({ aggregate_id }) => aggregate_id === id);

test('the dependency service knows of a deletion before its writer does, by the event that is in the feed', async () => {
  const caller = aCaller();
  const card = await aCard(fixture, caller);
  expect(await remove(caller, card)).toEqual({ deleted: true });
  const [told] = toldOf(card);
  expect([told]).toEqual(await noted(caller, card));
  expect(told).toMatchObject({ aggregate_version: card.version + 1, data: { identifier: card.identifier } });
});

test('a repeated command tells it again: the first may have died before it did', async () => {
  const caller = aCaller();
  const card = await aCard(fixture, caller);
  const command = aCommand();
  for (let time = 0; time < 2; time += 1) expect(await remove(caller, card, command)).toEqual({ deleted: true });
  const [first, second] = toldOf(card);
  expect(second).toEqual(first);
  expect(await noted(caller, card)).toHaveLength(1);
});

test('what is refused is told to nobody', async () => {
  const caller = aCaller();
  const card = await aCard(fixture, caller);
  await expect(remove(caller, { ...card, version: 7 })).rejects.toMatchObject({ code: 'precondition_failed' });
  await expect(remove(aCaller(), card)).rejects.toMatchObject({ code: 'not_found' });
  expect(toldOf(card)).toEqual([]);
});

test('a writer is answered in time where the dependency service is not, and its event is in the feed', async () => {
  const caller = aCaller();
  const [slow, away] = [await aCard(fixture, caller), await aCard(fixture, caller)];
  const { promise, resolve } = Promise.withResolvers<void>();
  dependency.holdUp = promise;
  expect(await remove(caller, slow)).toEqual({ deleted: true });
  resolve();
  await dependency.bus.drain();
  expect(await remove(caller, away)).toEqual({ deleted: true });
  for (const card of [slow, away]) expect(await noted(caller, card)).toHaveLength(1);
});
