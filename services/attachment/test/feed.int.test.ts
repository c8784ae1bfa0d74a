import {
  createFile,
  deleteCover,
  deleteFile,
  deleteLinkedFile,
  event,
  getFile,
  putCover,
  putLinkedFile,
} from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { aCaller, aCommand, eventually, whitePng } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { aFile, checked, send, startHarness, uploaded } from './support/harness.ts';

const harness = await startHarness();
const { bus, card: double, db, clock } = harness;

const within = <T>(requestId: string, work: () => T): T =>
  runInContext(newContext({ requestId, timeoutMs: 60_000 }), work);

/** The events of a workspace in order, with the second board that a reader must see. */
const eventsOf = async (workspaceId: string) => {
  const { rows } = await db.read((tx) =>
    sql<{ seq: number; other_board_id: string | null; event: object }>`
      select seq, other_board_id, event from changes where workspace_id = ${workspaceId} order by seq`.execute(tx),
  );
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  return rows.map(({ seq, other_board_id, event: one }) => ({ ...event.parse({ seq, ...one }), other_board_id }));
};

/** A user of a workspace with a card, a subtask on it and a board, all visible. */
const setUp = () => {
  const who = aCaller();
  const [card_id, subtask_id, board_id] = [v7(), v7(), v7()];
  double.cards.set(card_id, { boardDeleted: false });
  double.subtasks.set(subtask_id, card_id);
  double.boards.add(board_id);
  const others = { user_id: v7(), workspace_id: who.workspace_id };
  return { who, others, card_id, subtask_id, board_id, readEvents: () => eventsOf(who.workspace_id) };
};

test('a file has events when it is created, when its bytes have arrived, and when they are checked', async () => {
  const { who, board_id, readEvents } = setUp();
  const request = { ...who, command: aCommand(), body: { name: 'plan.pdf', board_id } };
  const { upload, ...made } = (await within('request-1', () => bus.call(createFile, request))).resource;
  await bus.call(createFile, request);
  await (await send(upload.url, '%PDF-1.7\n')).arrayBuffer();
  const data = await checked(harness, who, made.id);
  const [created, arrived, ended, ...rest] = await readEvents();
  expect(rest).toEqual([]);
  const common = { card: null, board_id, other_board_id: null, subject: { type: 'file', id: made.id, version: null } };
  expect(created).toEqual({
    ...common,
    id: expect.any(String),
    seq: 1,
    type: 'file.created',
    at: made.created_at,
    data: made,
    actor: { user_id: who.user_id, api_key_id: null },
    request_id: 'request-1',
    changed: [],
    previous: {},
  });
  expect(arrived).toMatchObject({
    ...common,
    type: 'file.updated',
    actor: { user_id: who.user_id, api_key_id: null },
    changed: ['status', 'size'],
    previous: { status: 'pending', size: null },
    data: { status: 'scanning', size: 9 },
  });
  expect(arrived?.request_id).not.toBe(arrived?.id);
  expect(ended).toMatchObject({
    ...common,
    type: 'file.updated',
    actor: { user_id: who.user_id, api_key_id: null },
    changed: ['status', 'content_type'],
    request_id: ended?.id,
    previous: { status: 'scanning', content_type: null },
    data,
  });
});

test('an upload that is refused or expires has an event, one that breaks off has none', async () => {
  const { who, readEvents } = setUp();
  const [empty, late] = [await aFile(harness, who), await aFile(harness, who)];
  const broken = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode('half'));
      stream.error(new Error('broke off'));
    },
  });
  await expect(send(late.upload.url, broken)).rejects.toThrow();
  expect((await send(empty.upload.url, '')).status).toBe(422);
  clock.ahead = 48 * 3_600_000;
  await eventually(async () =>
    expect(await bus.call(getFile, { ...who, file_id: late.id })).toMatchObject({ status: 'rejected' }),
  );
  clock.ahead = 0;
  const rejected = { type: 'file.updated', changed: ['status', 'rejection'], previous: { status: 'pending' } };
  const ends = (await readEvents()).slice(2);
  expect(ends).toMatchObject([
    { ...rejected, subject: { id: empty.id }, data: { status: 'rejected', rejection: 'empty' } },
    { ...rejected, subject: { id: late.id }, data: { status: 'rejected', rejection: 'expired' } },
  ]);
  expect(ends.map((one) => one.request_id === one.id)).toEqual([false, true]);
});

test('a deleted file has one event; its covers and links have none', async () => {
  const { who, others, card_id, subtask_id, readEvents } = setUp();
  const { id: file_id } = await uploaded(harness, who, whitePng(20, 10), 'a.png');
  await bus.call(putCover, { ...who, card_id, file_id });
  await bus.call(putLinkedFile, { ...who, subtask_id, file_id });
  const before = (await readEvents()).length;
  const request = { ...others, command: aCommand(), file_id };
  await bus.call(deleteFile, request);
  await bus.call(deleteFile, request);
  expect((await readEvents()).slice(before)).toMatchObject([
    {
      type: 'file.deleted',
      actor: { user_id: others.user_id, api_key_id: null },
      subject: { type: 'file', id: file_id },
      changed: [],
      previous: {},
      data: null,
      board_id: null,
    },
  ]);
});

test('a cover has an event when it is replaced and when it is cleared, for readers that see its file too', async () => {
  const { who, card_id, board_id, readEvents } = setUp();
  const first = await uploaded(harness, who, whitePng(20, 10), 'a.png');
  const second = await uploaded(harness, who, whitePng(30, 10), 'b.png', board_id);
  await bus.call(deleteCover, { ...who, card_id });
  const before = (await readEvents()).length;
  const put = (file_id: string) => bus.call(putCover, { ...who, card_id, file_id });
  await put(first.id);
  await put(first.id);
  const { renditions: _, ...data } = await within('request-2', () => put(second.id));
  await bus.call(deleteCover, { ...who, card_id });
  await bus.call(deleteCover, { ...who, card_id });
  const events = (await readEvents()).slice(before);
  const subject = { type: 'cover', id: card_id, version: null };
  const common = { subject, card: { id: card_id, identifier: expect.any(String) }, changed: ['file_id'] };
  const was = (file_id: string | null) => ({ previous: { file_id } });
  expect(events).toMatchObject([
    { ...common, type: 'cover.set', other_board_id: null, data: { file_id: first.id }, ...was(null) },
    { ...common, type: 'cover.set', other_board_id: board_id, request_id: 'request-2', ...was(first.id) },
    { ...common, type: 'cover.cleared', other_board_id: board_id, data: null, ...was(second.id) },
  ]);
  expect(events[1]?.data, 'its renditions are at URLs that end').toEqual(data);
  expect(new Set(events.map((one) => one.board_id)), 'the board of the card').not.toContain(null);
});

test('a link has an event when it is replaced and when it is cleared, for readers that see its file too', async () => {
  const { who, card_id, subtask_id, board_id, readEvents } = setUp();
  const first = await uploaded(harness, who, 'text', 'a.txt', board_id);
  const second = await uploaded(harness, who, 'text', 'b.txt');
  await bus.call(deleteLinkedFile, { ...who, subtask_id });
  const before = (await readEvents()).length;
  const put = (file_id: string) => bus.call(putLinkedFile, { ...who, subtask_id, file_id });
  await put(first.id);
  await put(first.id);
  await put(second.id);
  await put(first.id);
  await within('request-3', () => bus.call(deleteLinkedFile, { ...who, subtask_id }));
  await bus.call(deleteLinkedFile, { ...who, subtask_id });
  const subject = { type: 'linked_file', id: subtask_id, version: null };
  const common = { subject, card: { id: card_id, identifier: expect.any(String) }, changed: ['file_id'] };
  const was = (file_id: string | null) => ({ previous: { file_id } });
  const events = (await readEvents()).slice(before);
  expect(events).toMatchObject([
    { ...common, type: 'linked_file.set', other_board_id: board_id, data: first, ...was(null) },
    { ...common, type: 'linked_file.set', other_board_id: null, data: second },
    { ...common, type: 'linked_file.set', other_board_id: board_id, data: first, ...was(second.id) },
    { ...common, type: 'linked_file.cleared', other_board_id: board_id, data: null, ...was(first.id) },
  ]);
  expect(events[1]?.previous, 'the one before is on a board that a reader of this one may not see').toEqual({});
  expect(events[3]?.request_id).toBe('request-3');
});

test('a refused request has no event', async () => {
  const { who, card_id, subtask_id, readEvents } = setUp();
  const { id: file_id } = await aFile(harness, who);
  const before = await readEvents();
  await expect(bus.call(putCover, { ...who, card_id, file_id })).rejects.toMatchObject({ code: 'conflict' });
  await expect(bus.call(putLinkedFile, { ...who, subtask_id, file_id })).rejects.toMatchObject({ code: 'conflict' });
  await expect(bus.call(deleteFile, { ...who, command: aCommand(), file_id: v7() })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await readEvents()).toEqual(before);
});
