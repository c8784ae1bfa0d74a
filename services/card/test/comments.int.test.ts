import {
  archiveCard,
  type Card,
  createComment,
  deleteBoard,
  deleteCard,
  deleteComment,
  listComments,
  patchComment,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus } = fixture;

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('Doing');
  const [card] = (await workspace.cards(columns[0]?.id ?? '', 'Card')) as [Card];
  const say = (body: string, { order }: Workspace = workspace) =>
    bus.call(createComment, { ...order(), card_id: card.id, body: { body } });
  const list = (limit = 100, cursor?: string) =>
    bus.call(listComments, { ...workspace.who, card_id: card.id, page: { limit, cursor } });
  const read = () => workspace.read(card.id);
  const remove = (comment_id: string, if_match = [1], { order }: Workspace = workspace) =>
    bus.call(deleteComment, { ...order(), comment_id, if_match });
  return { workspace, order: workspace.order, board, card, say, list, read, remove };
};

/** Rows of a card that are really there. */
const rowsOf = async (card: Card) => {
  const rows = await fixture.instance.db.read((tx) =>
    tx.selectFrom('comments').select('id').where('card_id', '=', card.id).execute(),
  );
  return rows.length;
};

describe('create-comment', () => {
  it('writes a comment of its author, and the card counts it with one version and one event more', async () => {
    const { workspace, card, say, list, read } = await setUp();
    const { resource, replayed } = await say('  Kept as sent ');
    expect(replayed).toBe(false);
    expect(resource).toEqual({
      ...{ id: resource.id, type: 'comment', version: 1, card_id: card.id, body: '  Kept as sent ' },
      ...{ created_by: workspace.who.user_id, created_at: resource.created_at, updated_at: resource.created_at },
    });
    expect((await list()).items).toEqual([resource]);
    expect(await read()).toEqual({ ...card, version: 2, comment_count: 1, updated_at: resource.created_at });
  });

  it('of 50 at once counts 50', async () => {
    const { card, say, read, list } = await setUp();
    await Promise.all(Array.from({ length: 50 }, (_, index) => say(`${index}`)));
    expect(await read()).toMatchObject({ comment_count: 50, version: 51 });
    expect(new Set((await list()).items.map((comment) => comment.body)).size).toBe(50);
    expect(await rowsOf(card)).toBe(50);
  });

  it('works on an archived card, and not on one of a deleted board', async () => {
    const { order, card, board, say, list, read } = await setUp();
    await bus.call(archiveCard, { ...order(), card_id: card.id, if_match: [1] });
    const { resource } = await say('Late');
    await bus.call(deleteBoard, { ...order(), board_id: board.id, if_match: [1] });
    await expect(say('Later')).rejects.toMatchObject({ code: 'conflict' });
    expect((await list()).items).toEqual([resource]);
    expect(await read()).toMatchObject({ comment_count: 1 });
  });
});

describe('list-comments', () => {
  it('goes from the oldest to the newest, each once', async () => {
    const { say, list } = await setUp();
    const bodies = ['1', '2', '3', '4', '5'];
    for (const body of bodies) await say(body);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(2, cursor);
      seen.push(...page.items.map((comment) => comment.body));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(bodies);
  });

  it('refuses the cursor of another card', async () => {
    const [one, other] = [await setUp(), await setUp()];
    for (const { say } of [one, one, other]) await say('Text');
    const { next_cursor } = await one.list(1);
    await expect(other.list(1, next_cursor ?? '')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('patch-comment', () => {
  it('changes the text, and not the card; a change of nothing changes nothing', async () => {
    const { order, say, read, list } = await setUp();
    const { id } = (await say('First')).resource;
    const counted = await read();
    const patch = (version: number, body: string) =>
      bus.call(patchComment, { ...order(), comment_id: id, if_match: [version], body: { body } });
    const { resource } = await patch(1, 'Second');
    expect(resource).toMatchObject({ version: 2, body: 'Second' });
    expect((await patch(2, 'Second')).resource).toEqual(resource);
    await expect(patch(1, 'Late')).rejects.toMatchObject({
      code: 'precondition_failed',
      details: { current_version: 2 },
    });
    expect((await list()).items).toEqual([resource]);
    expect(await read()).toEqual(counted);
  });
});

describe('somebody else', () => {
  it('may neither change nor delete a comment, whatever version they know', async () => {
    const { workspace, say, list, read, remove } = await setUp();
    const { resource } = await say('Mine');
    const counted = await read();
    const other = openWorkspace(bus, workspace.who.workspace_id);
    const refusal = { code: 'insufficient_scope', message: 'Only its author may change a comment' };
    for (const if_match of [[1], [7]]) {
      const patch = { ...other.order(), comment_id: resource.id, if_match, body: { body: 'Theirs' } };
      await expect(bus.call(patchComment, patch)).rejects.toMatchObject(refusal);
      await expect(remove(resource.id, if_match, other)).rejects.toMatchObject(refusal);
    }
    expect((await list()).items).toEqual([resource]);
    expect(await read()).toEqual(counted);
    expect((await say('Theirs', other)).resource.created_by).toBe(other.who.user_id);
  });
});

describe('delete-comment', () => {
  it('takes it away, the card counts one less, and a repetition by the bus changes nothing', async () => {
    const { order, say, list, read, remove } = await setUp();
    const { id } = (await say('Short-lived')).resource;
    await expect(remove(id, [2])).rejects.toMatchObject({ code: 'precondition_failed' });
    const request = { ...order(), comment_id: id, if_match: [1] };
    expect(await bus.call(deleteComment, request)).toEqual({ deleted: true });
    expect(await bus.call(deleteComment, request)).toEqual({ deleted: true });
    await expect(remove(id)).rejects.toMatchObject({ code: 'not_found', message: 'Comment not found' });
    expect((await list()).items).toEqual([]);
    expect(await read()).toMatchObject({ version: 3, comment_count: 0 });
  });

  it('with new comments at once: the count is that of the rows', async () => {
    const { card, say, read, remove } = await setUp();
    const first = await Promise.all(Array.from({ length: 20 }, (_, index) => say(`${index}`)));
    const news = first.map(() => say('New'));
    const removals = await Promise.allSettled(first.flatMap(({ resource: { id } }) => [remove(id), remove(id)]));
    await Promise.all(news);
    expect(removals.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await read()).toMatchObject({ comment_count: 20, version: 61 });
    expect(await rowsOf(card)).toBe(20);
  });

  it('happens with the card', async () => {
    const { order, card, say, list, remove } = await setUp();
    const { id } = (await say('Gone with it')).resource;
    await bus.call(deleteCard, { ...order(), card_id: card.id, if_match: [2] });
    expect(await rowsOf(card)).toBe(0);
    await expect(list()).rejects.toMatchObject({ code: 'not_found', message: 'Card not found' });
    await expect(remove(id)).rejects.toMatchObject({ code: 'not_found', message: 'Comment not found' });
    await expect(say('Late')).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(v7())).rejects.toMatchObject({ code: 'not_found' });
  });
});
