import { feedOwners } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from './support/harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});

const idsOf = async (workspaceId: string) => (await harness.readAll(workspaceId)).map(({ id }) => id);

test('what owners note is in the log, numbered without a gap, in the order in which it was noted', async () => {
  const workspace = v7();
  const noted: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    const owner = feedOwners[at % feedOwners.length] ?? 'card';
    noted.push(...(await harness.owners[owner].note(workspace, [{ title: `${at}` }, { title: `${at}, too` }])));
  }
  await eventually(async () => expect(await idsOf(workspace)).toEqual(noted));
  const events = await harness.readAll(workspace);
  expect(events.map(({ seq }) => seq)).toEqual(noted.map((_, at) => at + 1));
  expect(events.map(({ text }) => JSON.parse(text))).toEqual(
    noted.map((id, at) => expect.objectContaining({ id, seq: at + 1, type: 'card.updated' })),
  );
});

test('what nobody was nudged for is found all the same', async () => {
  const workspace = v7();
  const noted = await harness.owners.dependency.note(workspace, [{}, {}], true);
  await eventually(async () => expect(await idsOf(workspace)).toEqual(noted));
});
