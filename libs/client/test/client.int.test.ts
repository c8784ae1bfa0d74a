import { type SharedStack, sharedStack, unsigned } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CardinalClient, createClient } from '../src/index.ts';
import { operations } from '../src/operations.gen.ts';

let stack: SharedStack;
let client: CardinalClient;
const reached = new Set<string>();

beforeAll(async () => {
  stack = await sharedStack();
  const onAttempt = ({ operation }: { operation: string }) => reached.add(operation);
  client = createClient({ baseUrl: stack.baseUrl, token: await stack.token(), onAttempt });
});

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const missing = { status: 404, code: 'not_found' };

describe('the SDK on the real API', () => {
  it('does all that boards and columns can', async () => {
    let board = await client.boards.create({ name: 'Payments' });
    expect(await client.boards.get(board.id)).toEqual(board);
    board = await client.boards.update(board, { name: 'Money' });
    let column = await client.columns.create(board.id, { name: 'To do' });
    await client.columns.create(board.id, { name: 'Done' });
    column = await client.columns.update(column, { position: 'end' });
    expect(await client.columns.get(column.id)).toEqual(column);
    expect((await client.columns.list(board.id).all()).map(({ name }) => name)).toEqual(['Done', 'To do']);
    column = await client.columns.archive(column);
    expect(await client.columns.list(board.id, { archived: true }).all()).toEqual([column]);
    expect((await client.columns.restore(column)).archived_at).toBeNull();
    board = await client.boards.archive(board);
    expect((await client.boards.list({ archived: true }).all()).map(({ id }) => id)).toContain(board.id);
    board = await client.boards.restore(board);
    await client.boards.delete(board);
    await expect(client.boards.get(board.id)).rejects.toMatchObject(missing);
  });

  it('does all that cards and workstreams can', async () => {
    const board = await client.boards.create({ name: 'Tour' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const done = await client.columns.create(board.id, { name: 'Done' });
    let pay = await client.workstreams.create({ name: 'Pay', prefix: 'pay' });
    pay = await client.workstreams.update(pay, { description: 'Everything about money' });
    expect(await client.workstreams.get(pay.id)).toEqual(pay);

    let card = await client.cards.create(column.id, { title: 'Refund', priority: 'urgent' });
    const former = card.identifier;
    card = await client.cards.transfer(card, { workstream_id: pay.id });
    expect(card.identifier).toBe('PAY-1');
    expect(await client.cards.getByIdentifier(former.toLowerCase())).toMatchObject({
      card,
      is_alias: true,
      current_identifier: 'PAY-1',
    });
    expect((await client.cards.listIdentifiers(card.id).all()).map(({ identifier }) => identifier)).toEqual([
      former,
      'PAY-1',
    ]);
    expect(await client.identifiers.resolve({ text: `Refund, as in ${former}` })).toMatchObject([
      { card: { id: card.id }, is_alias: true, current_identifier: 'PAY-1' },
    ]);

    card = await client.cards.update(card, { completed: true, due_date: '2026-02-01T00:00:00+02:00' });
    card = await client.cards.move(card, { column_id: done.id, position: 'end' });
    expect(await client.cards.get(card.id)).toEqual(card);
    expect(await client.cards.list(board.id, { completed: true, column_id: done.id, q: 'fund' }).all()).toEqual([card]);
    expect(await client.cards.list(board.id, { completed: false }).all()).toEqual([]);
    expect(await client.cards.search({ board_id: board.id, completed: true }).all()).toEqual([card]);
    const both = [
      { card: 'PAY-1', version: card.version },
      { card: 'PAY-404', version: 1 },
    ];
    expect(await client.cards.bulk({ cards: both, restore: true })).toMatchObject([{ status: 200 }, { status: 404 }]);
    card = await client.cards.archive(card);
    expect(await client.cards.list(board.id, { archived: true }).all()).toEqual([card]);
    card = await client.cards.restore(card);

    expect(await client.workstreams.listIdentifiers(pay.id, { current: true }).all()).toMatchObject([
      { identifier: 'PAY-1', card: { id: card.id } },
    ]);
    const old = await client.workstreams.create({ name: 'Old', prefix: 'OLD', adopting: true });
    const cards = [{ number: 7, column_id: done.id, title: 'Moved in' }];
    expect(await client.cards.adopt(old.id, { cards })).toMatchObject([{ status: 201 }]);
    expect(await client.workstreams.open(old)).toMatchObject({ adopting: false });
    expect(await client.me.get()).toMatchObject({ scopes: ['kanban:read', 'kanban:write', 'kanban:admin'] });
    expect((await client.workstreams.archive(pay)).archived_at).not.toBeNull();
    expect((await client.workstreams.list({ archived: true }).all()).map(({ prefix }) => prefix)).toEqual(['PAY']);
    await client.cards.delete(card);
    await expect(client.cards.getByIdentifier('PAY-1')).rejects.toMatchObject(missing);
  });

  it('does all that hangs on cards', async () => {
    const me = crypto.randomUUID();
    const board = await client.boards.create({ name: 'Hangs', visibility: 'private' });
    expect(await client.boards.addMember(board.id, me)).toMatchObject({ board_id: board.id, user_id: me });
    const owner = await client.boards.addMember(board.id, me, { role: 'owner' });
    expect(owner).toMatchObject({ role: 'owner' });
    expect(await client.boards.listMembers(board.id).all()).toEqual([owner]);
    expect(await client.boards.removeMember(board.id, me)).toBeUndefined();
    const column = await client.columns.create(board.id, { name: 'To do' });
    let card = await client.cards.create(column.id, { title: 'Refund' });

    card = await client.cards.addAssignee(card.id, me);
    expect(card.assignee_user_ids).toEqual([me]);
    await client.cards.removeAssignee(card.id, me);
    let label = await client.labels.create({ name: 'bug', color: '#D73A4A' });
    label = await client.labels.update(label, { name: 'defect' });
    expect(await client.labels.list().all()).toContainEqual(label);
    expect(await client.labels.get(label.id)).toEqual(label);
    card = await client.cards.addLabel(card.id, label.id);
    expect(await client.cards.list(board.id, { label_id: label.id }).all()).toEqual([card]);
    await client.cards.removeLabel(card.id, label.id);
    await client.labels.delete(label);

    let comment = await client.comments.create(card.id, { body: 'Why twice?' });
    comment = await client.comments.update(comment, { body: 'Why?' });
    expect(await client.comments.list(card.id).all()).toEqual([comment]);
    expect(await client.comments.get(comment.id)).toEqual(comment);
    let subtask = await client.subtasks.create(card.id, { title: 'Ask the bank' });
    subtask = await client.subtasks.update(subtask, { completed: true });
    expect(await client.subtasks.list(card.id).all()).toEqual([subtask]);
    expect(await client.subtasks.get(subtask.id)).toEqual(subtask);
    expect(await client.cards.get(card.id)).toMatchObject({
      assignee_user_ids: [],
      label_ids: [],
      comment_count: 1,
      subtask_total: 1,
      subtask_completed: 1,
    });
    await client.comments.delete(comment);
    await client.subtasks.delete(subtask);
    expect(await client.cards.get(card.id)).toMatchObject({ comment_count: 0, subtask_total: 0 });
  });

  it('does all that files, covers and linked files can', async () => {
    const board = await client.boards.create({ name: 'Files' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const card = await client.cards.create(column.id, { title: 'Look' });
    const subtask = await client.subtasks.create(card.id, { title: 'Closely' });
    const file = await client.files.upload({ name: 'dot.png', board_id: board.id }, new Blob([image]));
    expect(file).toMatchObject({ name: 'dot.png', status: 'clean', content_type: 'image/png', size: image.length });
    expect(await client.files.get(file.id)).toEqual(file);
    expect(await client.files.list().all()).toEqual([file]);
    const content = await client.files.getContent(file.id);
    expect(Buffer.from(await content.arrayBuffer())).toEqual(image);

    expect(await client.cards.getCover(card.id)).toBeNull();
    const cover = await client.cards.setCover(card.id, file.id);
    expect(cover).toMatchObject({ file_id: file.id, width: 1, height: 1 });
    expect(unsigned(await client.cards.getCover(card.id))).toEqual(unsigned(cover));
    await client.cards.removeCover(card.id);
    expect(await client.cards.getCover(card.id)).toBeNull();

    const linked = async () => (await client.subtasks.list(card.id).all()).map(({ linked_file }) => linked_file);
    expect(await client.subtasks.setLinkedFile(subtask.id, file.id)).toEqual(file);
    expect(await linked()).toEqual([{ id: file.id, name: 'dot.png' }]);
    await client.subtasks.removeLinkedFile(subtask.id);
    expect(await linked()).toEqual([null]);

    await client.files.delete(file.id);
    await expect(client.files.get(file.id)).rejects.toMatchObject(missing);
    await expect(client.files.getContent(file.id)).rejects.toMatchObject(missing);
  });

  it('uploads streams, once for each key, and reports why a file is refused', async () => {
    async function* bytes(mebibytes: number) {
      for (let n = 0; n < mebibytes; n += 1) yield new Uint8Array(2 ** 20);
    }
    const once = { idempotencyKey: 'one-file' };
    const file = await client.files.upload({ name: 'zeros' }, bytes(3), once);
    expect(file.size).toBe(3 * 2 ** 20);
    expect(await client.files.upload({ name: 'zeros' }, bytes(3), once)).toEqual(file);
    for (const known of [{}, { size: 26 * 2 ** 20 }]) {
      await expect(client.files.upload({ name: 'large' }, bytes(26), known)).rejects.toMatchObject({
        status: 413,
        code: 'payload_too_large',
      });
    }
    const cut = client.files.upload({ name: 'cut.png' }, image.subarray(0, 50));
    await expect(cut).rejects.toMatchObject({
      code: 'file_not_clean',
      details: { file: { status: 'rejected', rejection: 'broken_image' } },
    });

    const { id, upload } = await client.files.create({ name: 'by hand' });
    await expect(client.files.getContent(id)).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await fetch(upload.url, { method: upload.method, headers: upload.headers, body: 'x' });
    expect(await client.files.waitUntilClean(id)).toMatchObject({ id, size: 1 });
  });

  it('declares dependencies and lists them from both ends', async () => {
    const board = await client.boards.create({ name: 'Waits' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const first = await client.cards.create(column.id, { title: 'First' });
    const then = await client.cards.create(column.id, { title: 'Then' });
    const edge = await client.cards.addDependency(then.id, first.id);
    expect(edge).toMatchObject({ card_id: then.id, depends_on_card_id: first.id });
    expect(await client.cards.addDependency(then.id, first.id)).toEqual(edge);
    const ids = (entries: { card: { id: string } }[]) => entries.map((entry) => entry.card.id);
    expect(ids(await client.cards.listDependencies(then.id).all())).toEqual([first.id]);
    expect(ids(await client.cards.listDependents(first.id).all())).toEqual([then.id]);
    await expect(client.cards.addDependency(first.id, then.id)).rejects.toMatchObject({
      status: 409,
      details: { path: expect.arrayContaining([first.identifier, then.identifier]) },
    });
    await client.cards.removeDependency(then.id, first.id);
    expect(await client.cards.listDependencies(then.id).all()).toEqual([]);
  });

  it('follows what happens, and lists what happened', async () => {
    const board = await client.boards.create({ name: 'Followed' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const stopping = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of client.events.follow({ after: 0, board_id: board.id, signal: stopping.signal })) {
        seen.push(event.type);
        if (event.type === 'card.updated') stopping.abort();
      }
    })();
    const card = await client.cards.create(column.id, { title: 'Seen' });
    await client.cards.update(card, { title: 'Seen again' });
    await following;
    expect(seen).toEqual(['board.created', 'column.created', 'card.created', 'card.updated']);
    const listed = await client.events.list({ after: 0, board_id: board.id }).all();
    expect(listed.map(({ type }) => type)).toEqual(seen);
    expect(await client.cards.listEvents(card.identifier).all()).toEqual(listed.slice(2));
  });

  it('does all that webhooks can', async () => {
    const webhook = await client.webhooks.create({ url: 'https://receiver.invalid/', types: ['card.*'] });
    expect(webhook.secret).toMatch(/^whsec_/);
    const { secret: _, ...shown } = await client.webhooks.rotate(webhook);
    expect(await client.webhooks.get(webhook.id)).toMatchObject({ id: shown.id, version: shown.version });
    const updated = await client.webhooks.update(shown, { state: 'paused', description: 'Tells the bank' });
    expect((await client.webhooks.list().all()).map(({ id }) => id)).toContain(webhook.id);
    const replayed = await client.webhooks.replay(updated, { after: 0, until: 1 });
    await client.webhooks.ping(webhook.id);
    expect(Array.isArray(await client.webhooks.listDeliveries(webhook.id).all())).toBe(true);
    const { secret, ...taken } = await client.webhooks.takeover(replayed);
    expect(secret).not.toBe(webhook.secret);
    await client.webhooks.delete(taken);
    await expect(client.webhooks.get(webhook.id)).rejects.toMatchObject(missing);
  });

  it('does all that API keys can', async () => {
    const { key, ...made } = await client.keys.create({ name: 'laptop', scope: 'kanban:read' });
    expect(await client.keys.get(made.id)).toEqual(made);
    expect((await client.keys.list().all()).map(({ id }) => id)).toContain(made.id);
    const rotated = await client.keys.rotate(made.id, { grace_seconds: 60 });
    expect([rotated.id, rotated.key === key]).toEqual([made.id, false]);
    await client.keys.revoke(made.id);
    expect((await client.keys.get(made.id)).state).toBe('revoked');
    expect(await client.keys.revokeOfUser({ user_id: made.user_id })).toEqual({ revoked: 0 });
  });

  it('does all that people can', async () => {
    const made = await client.people.add({ name: 'Maria Silva', email: 'maria@example.com' });
    expect(await client.people.get(made.id)).toEqual(made);
    expect(await client.people.list({ q: 'mar' }).all()).toEqual([made]);
    expect(await client.people.update(made, { name: 'Maria Santos' })).toMatchObject({ name: 'Maria Santos' });
    await client.people.erase(made.id);
    expect(await client.people.get(made.id)).toMatchObject({ name: 'somebody', email: null });
  });

  // Last: it looks at what the tests above reached.
  it('reaches every operation of the API', () => {
    const all = Object.values(operations).flatMap((group) => Object.values(group).map(({ id }) => id));
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((id) => !reached.has(id))).toEqual([]);
  });
});
