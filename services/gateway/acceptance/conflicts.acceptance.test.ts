import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Client, clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

let [client, other]: Client[] = [];
let [board, column]: Body[] = [];
beforeAll(async () => {
  ({ client, board, column } = await workspaceWithBoard(stack));
  other = await clientOf(stack, { workspace: client.workspaceId });
});

const both = () => [client, other] as [Client, Client];

/** Sends a write with a version that is stale. @returns the details of its 412, which the log may not have yet */
const staleDetails = async (path: string, ifMatch: number | string, body: object = { name: 'mine' }): Promise<Body> => {
  const answer = await both()[0].patch(path, { body, ifMatch });
  expect(answer.status, answer.text).toBe(412);
  return answer.body.error.details;
};

/** Expects these details, once the log has all changes and the machine answers in time. */
const expectDetails = (path: string, ifMatch: number | string, body: object | undefined, expected: object) =>
  expect.poll(() => staleDetails(path, ifMatch, body)).toMatchObject(expected);

describe('a 412 names what changed since the version in If-Match', () => {
  it.each(['boards', 'columns', 'workstreams', 'labels'])('of %s', async (list) => {
    const [me, they] = both();
    const made: Record<string, () => Promise<Body>> = {
      boards: () => me.data(me.post('/boards', { body: { name: 'First' } })),
      columns: () => me.data(me.post(`/boards/${board.id}/columns`, { body: { name: 'First' } })),
      workstreams: () => me.createWorkstream('AWAY'),
      labels: () => me.data(me.post('/labels', { body: { name: 'first' } })),
    };
    const { id } = await (made[list] as () => Promise<Body>)();
    await they.data(they.patch(`/${list}/${id}`, { body: { name: 'theirs' }, ifMatch: 1 }));
    const { updated_at: at } = await me.data(me.patch(`/${list}/${id}`, { body: { name: 'ours' }, ifMatch: 2 }));
    const type = `${list.slice(0, -1)}.updated`;
    await expectDetails(`/${list}/${id}`, 1, undefined, {
      current_version: 3,
      changes: [
        { version: 2, type, at: expect.any(String), user_id: they.userId, changed: ['name'] },
        { version: 3, type, at, user_id: me.userId, changed: ['name'] },
      ],
      complete: true,
    });
  });

  it('of comments and subtasks', async () => {
    const [me, they] = both();
    const card = await me.createCard(column.id, 'with parts');
    const comment = await me.data(me.post(`/cards/${card.id}/comments`, { body: { body: 'first' } }));
    await me.data(me.patch(`/comments/${comment.id}`, { body: { body: 'second' }, ifMatch: 1 }));
    await expectDetails(
      `/comments/${comment.id}`,
      1,
      { body: 'third' },
      {
        changes: [{ version: 2, type: 'comment.updated', changed: ['body'] }],
        complete: true,
      },
    );
    const subtask = await me.data(me.post(`/cards/${card.id}/subtasks`, { body: { title: 'first' } }));
    await they.data(they.patch(`/subtasks/${subtask.id}`, { body: { completed: true }, ifMatch: 1 }));
    await expectDetails(
      `/subtasks/${subtask.id}`,
      1,
      { title: 'late' },
      {
        changes: [{ version: 2, user_id: they.userId, changed: ['completed_at', 'completed'] }],
        complete: true,
      },
    );
  });

  it('of cards, by whatever name, with what counts in them', async () => {
    const [me, they] = both();
    const card = await me.createCard(column.id, 'a card');
    const moved = await me.createWorkstream('GONE');
    await they.data(they.patch(`/cards/${card.id}`, { body: { title: 'theirs', priority: 'urgent' }, ifMatch: 1 }));
    const comment = await they.data(they.post(`/cards/${card.id}/comments`, { body: { body: 'seen' } }));
    const subtask = await me.data(me.post(`/cards/${card.id}/subtasks`, { body: { title: 'do' } }));
    await me.data(me.patch(`/subtasks/${subtask.id}`, { body: { title: 'do it' }, ifMatch: 1 }));
    await me.data(me.patch(`/subtasks/${subtask.id}`, { body: { completed: true }, ifMatch: 2 }));
    await they.send('DELETE', `/comments/${comment.id}`, { ifMatch: 1 });
    await me.data(me.transfer({ id: card.id, version: 6 }, moved.id));
    const versions: [number, string, string[]][] = [
      [2, 'card.updated', ['title', 'priority']],
      [3, 'comment.created', ['comment_count']],
      [4, 'subtask.created', ['subtask_total']],
      [5, 'subtask.updated', ['subtask_completed']],
      [6, 'comment.deleted', ['comment_count']],
      [7, 'card.transferred', ['identifier', 'workstream', 'workstream_id']],
    ];
    const changes = versions.map(([version, type, changed]) => ({ version, type, changed }));
    const all = { current_version: 7, changes, complete: true };
    await expectDetails(`/cards/${card.identifier}`, 1, { title: 'mine' }, all);
    // From a version that an event of a part made, and from the last of several.
    const last = { ...all, changes: changes.slice(4) };
    await expectDetails(`/cards/${card.id}`, '"2", "5", "99"', { title: 'mine' }, last);
  });

  it('with one of sixteen that edit at once', async () => {
    const [me] = both();
    const card = await me.createCard(column.id, 'for many');
    const answers = await together(16, (n) =>
      me.patch(`/cards/${card.id}`, { body: { title: `of ${n}` }, ifMatch: card.version }),
    );
    const refused = answers.filter(({ status }) => status === 412);
    expect(refused).toHaveLength(15);
    for (const { body } of refused) {
      expect(body.error.details.current_version).toBe(2);
      expect([[], [2]]).toContainEqual(body.error.details.changes.map(({ version }: Body) => version));
    }
    const changes = [{ version: 2, changed: ['title'] }];
    await expectDetails(`/cards/${card.id}`, 1, { title: 'late' }, { changes, complete: true });
  });
});

describe('a 412 is incomplete', () => {
  const expectIncomplete = (path: string, ifMatch: number | string, body: object, versions: number[]) =>
    expectDetails(path, ifMatch, body, { changes: versions.map((version) => ({ version })), complete: false });

  it('where a deleted label changed the card, which has no event', async () => {
    const [me] = both();
    const card = await me.createCard(column.id, 'labelled');
    const label = await me.data(me.post('/labels', { body: { name: 'brief' } }));
    await me.data(me.put(`/cards/${card.id}/labels/${label.id}`));
    await me.send('DELETE', `/labels/${label.id}`, { ifMatch: 1 });
    await expectIncomplete(`/cards/${card.id}`, 1, { title: 'late' }, [2]);
  });

  it('where the card was on a board that the writer does not see', async () => {
    const [me, they] = both();
    const hidden = await they.data(they.post('/boards', { body: { name: 'Theirs', visibility: 'private' } }));
    const list = await they.data(they.post(`/boards/${hidden.id}/columns`, { body: { name: 'Theirs' } }));
    const card = await they.createCard(list.id, 'secret');
    await they.data(they.patch(`/cards/${card.id}`, { body: { title: 'still secret' }, ifMatch: 1 }));
    expect((await me.patch(`/cards/${card.id}`, { body: { title: 'x' }, ifMatch: 1 })).status).toBe(404);
    await they.data(they.post(`/cards/${card.id}/move`, { body: { column_id: column.id }, ifMatch: 2 }));
    await expectIncomplete(`/cards/${card.id}`, 1, { title: 'late' }, [3]);
  });

  it('where no version below the current one is named', async () => {
    const [me] = both();
    const card = await me.createCard(column.id, 'ahead');
    await expectIncomplete(`/cards/${card.id}`, 99, { title: 'late' }, []);
    await expectIncomplete(`/cards/${card.id}`, 'W/"1"', { title: 'late' }, []);
  });

  it('of a webhook, which has no events', async () => {
    const [me] = both();
    const body = { url: 'https://example.com/', types: ['card.*'] };
    const hook = await me.data(me.post('/webhooks', { body }));
    await me.data(me.patch(`/webhooks/${hook.id}`, { body: { description: 'first' }, ifMatch: hook.version }));
    await expectIncomplete(`/webhooks/${hook.id}`, hook.version, { description: 'late' }, []);
  });

  it('of more than a hundred changes, of which the newest are named', async () => {
    const [me] = both();
    const card = await me.createCard(column.id, 'often');
    for (let version = 1; version <= 120; version += 1) {
      await me.data(me.patch(`/cards/${card.id}`, { body: { title: `now ${version}` }, ifMatch: version }));
    }
    const versions = Array.from({ length: 100 }, (_, n) => n + 22);
    await expectIncomplete(`/cards/${card.id}`, 1, { title: 'late' }, versions);
    const changes = versions.map((version) => ({ version }));
    await expectDetails(`/cards/${card.id}`, 21, { title: 'late' }, { changes, complete: true });
  });
});

it('says nothing of what is not there', async () => {
  const [me] = both();
  const answer = await me.patch(`/cards/${randomUUID()}`, { body: { title: 'x' }, ifMatch: 1 });
  expect(answer.body.error).not.toHaveProperty('details');
});
