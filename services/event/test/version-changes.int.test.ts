import { listVersionChanges } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness();
await startCardDouble(harness.nats.url);

it('names no change from before a rollback: its version may have been given again', async () => {
  const who = { workspace_id: v7(), user_id: v7() };
  const label = { id: v7(), type: 'label', name: 'bug' };
  const subject = { type: 'label' as const, id: label.id, within: null };
  const changes = () => harness.bus.call(listVersionChanges, { ...who, subject, after: 1, until: 2 });
  await harness.owners.card.note(who.workspace_id, [{ type: 'label.updated', data: label }]);
  await expect.poll(changes).toMatchObject({ changes: [{ version: 2 }], complete: true });
  await harness.owners.card.note(who.workspace_id, [{ type: 'feed.reset', data: { database: 'card' } }]);
  await expect.poll(changes).toEqual({ changes: [], complete: false });
  // The version is given again, and then known.
  await harness.owners.card.note(who.workspace_id, [{ type: 'label.updated', data: { ...label, name: 'fault' } }]);
  await expect.poll(changes).toMatchObject({ changes: [{ version: 2 }], complete: true });
});
