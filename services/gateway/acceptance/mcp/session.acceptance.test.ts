import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Client, clientOf, workspaceWithBoard } from '../workspace.ts';
import { type Assistant, assistantOf, newAssistant } from './assistant.ts';

const stack = await sharedStack();

describe.each(['auto', 'legacy'] as const)('an assistant over HTTP, %s', (era) => {
  let client: Client;
  let board: Body;
  let column: Body;
  let assistant: Assistant;
  beforeAll(async () => {
    ({ client, board, column } = await workspaceWithBoard(stack));
    assistant = await assistantOf(stack, client, era);
  });
  afterAll(() => assistant.client.close());

  it('finds, creates, changes, moves and transfers a card, and finds it by the identifier that it had', async () => {
    const { data: boards } = await assistant.call('list_boards');
    expect(boards.map(({ id }: Body) => id)).toEqual([board.id]);
    const { all: read } = await assistant.call('read_board', { board_id: board.id });
    expect([read.data.name, read.columns.map(({ name }: Body) => name)]).toEqual(['Payments', ['To do']]);

    const given = { column_id: column.id, title: 'Refunds fail', idempotency_key: 'one' };
    const { data: card } = await assistant.call('create_card', given);
    expect(card.identifier).toBe('MAIN-1');
    const again = await assistant.call('create_card', given);
    expect([again.data, again.all.notes]).toEqual([card, [expect.stringContaining('Done before')]]);

    const changed = await assistant.call('update_card', { card: 'main-1', title: 'Refunds fail twice' });
    expect(changed.data).toMatchObject({ id: card.id, title: 'Refunds fail twice', version: 2 });
    expect(changed.all.notes).toEqual([expect.stringContaining('No version was given')]);

    const other = await client.createCard(column.id, 'other');
    const moved = await assistant.call('move_card', { card: 'MAIN-1', before_card: other.identifier, version: 2 });
    expect(moved.data.position).toBeLessThan(other.position);

    const pay = await client.createWorkstream('PAY');
    const transferred = await assistant.call('transfer_card', { card: 'MAIN-1', workstream_id: pay.id });
    expect(transferred.data.identifier).toBe('PAY-1');
    const { data: resolved } = await assistant.call('resolve_identifier', { identifier: 'MAIN-1' });
    expect(resolved).toMatchObject({ is_alias: true, current_identifier: 'PAY-1', card: { id: card.id } });
    const { data: found } = await assistant.call('find_cards', { q: 'twice', board_id: [board.id] });
    expect(found.map(({ identifier }: Body) => identifier)).toEqual(['PAY-1']);
    const { data: references } = await assistant.call('resolve_references', { text: 'as in MAIN-1' });
    expect(references).toMatchObject([{ requested: 'MAIN-1', current_identifier: 'PAY-1', is_alias: true }]);
  });

  it('labels, assigns, comments and links, and reads all of it with the card', async () => {
    const [{ id }, { identifier: other }] = [
      await client.createCard(column.id, 'whole'),
      await client.createCard(column.id, 'awaited'),
    ];
    const label = await client.data(client.post('/labels', { body: { name: 'bug' } }));
    const { data: me } = await assistant.call('who_am_i');
    await assistant.call('label_card', { card: id, label_id: label.id });
    await assistant.call('assign_card', { card: id, user_id: me.user_id });
    await assistant.call('comment_on_card', { card: id, body: 'said' });
    await assistant.call('add_dependency', { card: id, depends_on_card: other });
    const { all } = await assistant.call('read_card', { card: id });
    expect(all.data).toMatchObject({ label_ids: [label.id], assignee_user_ids: [client.userId] });
    expect(all.comments).toMatchObject([{ body: 'said' }]);
    expect(all.dependencies).toMatchObject([{ card: { identifier: other } }]);
    expect(all.identifiers).toMatchObject([{ identifier: all.data.identifier, is_current: true }]);
    expect((await assistant.call('remove_dependency', { card: id, depends_on_card: other })).data).toBeNull();
    await assistant.call('unlabel_card', { card: id, label_id: label.id });
    await assistant.call('unassign_card', { card: id, user_id: me.user_id });
    const { all: left } = await assistant.call('read_card', { card: id });
    expect([left.dependencies, left.data.label_ids, left.data.assignee_user_ids]).toEqual([[], [], []]);
    await expect
      .poll(async () => (await assistant.call('list_card_events', { card: id })).data.map(({ type }: Body) => type))
      .toContain('dependency.removed');
  });

  it('gets the way out with each refusal', async () => {
    const card = await client.createCard(column.id, 'mine');
    await client.data(client.patch(`/cards/${card.id}`, { body: { title: 'theirs' }, ifMatch: 1 }));
    await expect
      .poll(async () => (await assistant.call('update_card', { card: card.id, title: 'late', version: 1 })).error)
      .toMatchObject({
        code: 'precondition_failed',
        details: { current_version: 2, changes: [{ version: 2, user_id: client.userId }], patched: ['title'] },
        what_to_do: expect.stringMatching(/, title as this call does; it has version 2 now/),
      });
    const merged = await assistant.call('update_card', { card: card.id, priority: 'urgent', version: 1 });
    expect(merged.all).toMatchObject({
      data: { title: 'theirs', priority: 'urgent', version: 3 },
      notes: expect.arrayContaining(['Others changed title meanwhile; both changes are in.']),
    });
    const broken = await assistant.call('create_card', { column_id: column.id, title: '' });
    expect(broken.error).toMatchObject({ code: 'validation_error', details: [{ path: ['title'] }] });
    const unknown = await assistant.call('find_cards', { boards: [] });
    expect(unknown.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('board_id') });
    expect((await assistant.call('read_card', {})).error.message).toContain('card');
    const circle = await assistant.call('add_dependency', { card: card.id, depends_on_card: card.id });
    expect(circle.error.code).toBe('validation_error');

    const reader = await assistantOf(
      stack,
      await clientOf(stack, { workspace: client.workspaceId, scope: 'kanban:read' }),
      era,
    );
    const refused = await reader.call('create_card', { column_id: column.id, title: 'no' });
    expect(refused.error).toMatchObject({ code: 'insufficient_scope', what_to_do: expect.stringContaining('scope') });
    const admin = { operation: 'deleteCard', params: { card_id: card.identifier } };
    expect((await reader.call('call_operation', admin)).error.code).toBe('insufficient_scope');
    await reader.client.close();
  });

  it('gets the same answer for hidden resources and for those that never existed', async () => {
    const neighbour = await clientOf(stack, { workspace: client.workspaceId });
    const hidden = await client.data(client.post('/boards', { body: { name: 'Hidden', visibility: 'private' } }));
    const place = await client.data(client.post(`/boards/${hidden.id}/columns`, { body: { name: 'To do' } }));
    const card = await client.createCard(place.id, 'hidden');
    const stranger = await assistantOf(stack, neighbour, era);
    const toldOf = async (name: string, given: Record<string, unknown>, id: string) => {
      const { error } = await stranger.call(name, given);
      return JSON.stringify({ ...error, request_id: '' }).replaceAll(id, 'ID');
    };
    const nobody = randomUUID();
    const calls: [string, (id: string) => Record<string, unknown>, string, string][] = [
      ['read_board', (board_id) => ({ board_id }), hidden.id, nobody],
      ['read_card', (one) => ({ card: one }), card.id, nobody],
      ['read_card', (one) => ({ card: one }), card.identifier, 'MAIN-999'],
      ['update_card', (one) => ({ card: one, title: 'x' }), card.identifier, 'MAIN-999'],
      ['update_card', (one) => ({ card: one, title: 'x', version: 1 }), card.identifier, 'MAIN-999'],
      ['resolve_identifier', (identifier) => ({ identifier }), card.identifier, 'MAIN-999'],
      ['create_card', (column_id) => ({ column_id, title: 'x' }), place.id, nobody],
      [
        'call_operation',
        (one) => ({ operation: 'listSubtasks', params: { card_id: one } }),
        card.identifier,
        'MAIN-999',
      ],
    ];
    for (const [name, given, one, another] of calls) {
      const [told, same] = [await toldOf(name, given(one), one), await toldOf(name, given(another), another)];
      expect([name, told]).toEqual([name, same]);
      expect(told).toContain('not_found');
    }
    const { data: found } = await stranger.call('find_cards', { board_id: [hidden.id] });
    expect(found).toEqual([]);
    const refusalOf = async (uri: string) =>
      stranger.client.readResource({ uri }).then(
        () => 'read',
        ({ code, message }) => `${code} ${message.replaceAll(uri, 'URI')}`,
      );
    expect(await refusalOf(`cardinal://card/${card.identifier}`)).toBe(await refusalOf('cardinal://card/MAIN-999'));
    expect(await refusalOf(`cardinal://board/${hidden.id}`)).toBe(await refusalOf(`cardinal://board/${nobody}`));
    await stranger.client.close();
  });

  it('reads cards by any identifier and boards as resources', async () => {
    const card = await client.createCard(column.id, 'resource');
    const ops = await client.createWorkstream('OPS');
    await client.data(client.transfer(card, ops.id));
    const { contents } = await assistant.client.readResource({ uri: `cardinal://card/${card.identifier}` });
    expect(JSON.parse((contents[0] as { text: string }).text).data).toMatchObject({ id: card.id, identifier: 'OPS-1' });
    const { resources } = await assistant.client.listResources();
    expect(resources[0]).toMatchObject({ uri: `cardinal://board/${board.id}`, name: 'Payments' });
    const { contents: ofBoard } = await assistant.client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(JSON.parse((ofBoard[0] as { text: string }).text).columns).toMatchObject([{ name: 'To do' }]);
    // What names nothing, and could name nothing.
    for (const name of ['PAY-999999', '%E0%A4%A'])
      await expect(assistant.client.readResource({ uri: `cardinal://card/${name}` })).rejects.toMatchObject({
        code: -32602,
      });
    const { resourceTemplates } = await assistant.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      ...['cardinal://card/{card}', 'cardinal://board/{board_id}'],
    ]);
    const { completion } = await assistant.client.complete({
      ref: { type: 'ref/resource', uri: 'cardinal://board/{board_id}' },
      argument: { name: 'board_id', value: 'pay' },
    });
    expect(completion.values).toEqual([board.id]);
  });
});

it.each(['auto', 'legacy'] as const)('says in its instructions that the API key ends soon, %s', async (era) => {
  const client = await clientOf(stack);
  const keyFor = async (days: number) => {
    const expires_at = new Date(Date.now() + days * 86_400_000).toISOString();
    const body = { name: 'assistant', scope: 'kanban:read', expires_at };
    const { key } = await client.data(client.post('/api-keys', { body }));
    return { token: key, expires_at };
  };
  const instructionsFor = async (token: string) => {
    const { client: mcp, call } = await assistantOf(stack, { token }, era);
    expect((await call('list_boards')).all.notes).toEqual([]);
    const instructions = mcp.getInstructions();
    await mcp.close();
    return instructions;
  };
  const [soon, later] = [await keyFor(13), await keyFor(15)];
  expect(await instructionsFor(soon.token)).toMatch(`The API key of this connection ends at ${soon.expires_at}; `);
  expect(await instructionsFor(later.token)).not.toContain('API key');
});

it('cuts long texts and long lists to what a model can read, and continues from the cut', async () => {
  const { client, column } = await workspaceWithBoard(stack);
  const description = 'x'.repeat(20_000);
  const ids = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => (await client.createCard(column.id, `long ${at}`, { description })).id),
  );
  const { client: mcp, call } = await assistantOf(stack, client);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { all, text } = await call('find_cards', { limit: 100, sort: 'created', ...(cursor ? { cursor } : {}) });
    expect(text.length).toBeLessThanOrEqual(40_000);
    expect(all.data[0].description).toContain('0 of 20000 characters]');
    expect(all.notes.join(' ')).toContain('cut');
    seen.push(...all.data.map(({ id }: Body) => id));
    cursor = all.page.next_cursor ?? undefined;
  } while (cursor);
  expect(seen.toSorted()).toEqual(ids.toSorted());
  const { data } = await call('read_card', { card: ids[0] });
  expect(data.description).toBe(description);
  await mcp.close();
});

it('shows a user nothing of another workspace', async () => {
  const { client, column } = await workspaceWithBoard(stack);
  const card = await client.createCard(column.id, 'ours');
  const stranger = await newAssistant(stack);
  expect((await stranger.call('read_card', { card: card.id })).error.code).toBe('not_found');
  expect((await stranger.call('find_cards')).data).toEqual([]);
  await stranger.client.close();
});
