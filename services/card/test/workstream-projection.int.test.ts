import { type Caller, getCard, projectWorkstream, type Workstream, workstreamChanged } from '@cardinal/contracts';
import { aCaller, eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { aCard } from './support/builders.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture();
const { identifier } = fixture;

const renamed = (caller: Caller, workstream: Workstream, name: string, version: number) => ({
  id: v7(),
  type: workstreamChanged.type,
  version: workstreamChanged.version,
  occurred_at: new Date().toISOString(),
  workspace_id: caller.workspace_id,
  request_id: 'test',
  aggregate_id: workstream.id,
  aggregate_version: version,
  data: { ...workstream, name, version },
});

/** A card in a workstream of its own, and what reads show of that. */
const aFiledCard = async (caller: Caller) => {
  const workstream = identifier.add(caller.workspace_id, 'WEB');
  const card = await aCard(fixture, caller, { workstream_id: workstream.id });
  const shown = async () => {
    const { version, workstream: summary } = await fixture.bus.call(getCard, { ...caller, card_id: card.id });
    return { version, name: summary.name };
  };
  return { workstream, shown };
};

test('a new workstream that many tell of at the same moment is written once, and no one fails', async () => {
  const rounds = Array.from({ length: 20 }, async (_, round) => {
    const caller = aCaller();
    const workstream = identifier.add(caller.workspace_id, `NEW${round}`);
    const event = renamed(caller, workstream, 'Named', 1);
    const told = Array.from({ length: 8 }, () => fixture.bus.call(projectWorkstream, { ...event, id: v7() }));
    const card = aCard(fixture, caller, { workstream_id: workstream.id });
    await Promise.all([...told, card]);
  });
  await Promise.all(rounds);
});

test('a new name shows on cards in the next read, and leaves their version', async () => {
  const caller = aCaller();
  const { workstream, shown } = await aFiledCard(caller);
  const event = renamed(caller, workstream, 'Website', 2);
  expect(await fixture.bus.call(projectWorkstream, event)).toEqual({ applied: true });
  expect(await shown()).toEqual({ version: 1, name: 'Website' });
});

test('an older event changes nothing, nor does the same one again', async () => {
  const caller = aCaller();
  const { workstream, shown } = await aFiledCard(caller);
  const third = renamed(caller, workstream, 'Third', 3);
  await fixture.bus.call(projectWorkstream, third);
  await fixture.bus.call(projectWorkstream, renamed(caller, workstream, 'Second', 2));
  expect(await fixture.bus.call(projectWorkstream, third)).toEqual({ applied: false });
  expect(await shown()).toMatchObject({ name: 'Third' });
});

test('an older word of an allocation does not undo a newer name', async () => {
  const caller = aCaller();
  const { workstream, shown } = await aFiledCard(caller);
  await fixture.bus.call(projectWorkstream, renamed(caller, workstream, 'Website', 2));
  const second = await aCard(fixture, caller, { workstream_id: workstream.id });
  expect(second.workstream.name).toBe('Website');
  expect(await shown()).toMatchObject({ name: 'Website' });
});

test('events of the feed reach the projection too', async () => {
  const caller = aCaller();
  const { workstream, shown } = await aFiledCard(caller);
  identifier.feed.append(renamed(caller, workstream, 'Website', 2));
  await eventually(async () => expect(await shown()).toMatchObject({ name: 'Website' }));
});
