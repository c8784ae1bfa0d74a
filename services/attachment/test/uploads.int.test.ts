import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteFile, getFile, getFileContent, listFiles, replyOf } from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { ServiceContext } from '../src/context.ts';
import { listVisibleFiles } from '../src/files/files.ts';
import { aFile, checked, send, startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';

const _mebibyte = 1024 * 1024;
const harness = await startHarness();
const { bus } = harness;

const folderOf = (by: { workspace_id: string }, id: string) => join(harness.folder, 'kept', by.workspace_id, id);
const isGone = (path: string) => eventually(() => expect(readdir(path)).rejects.toThrow('ENOENT'));
const _arriving = () => readdir(join(harness.folder, 'arriving'));

describe('an upload', () => {
  it('stores the bytes, once, and they can be downloaded', async () => {
    const by = aCaller();
    const file = await aFile(harness, by, 'Größe.txt');
    expect(file).toMatchObject({ status: 'pending', size: null, content_type: null, upload: { method: 'PUT' } });
    await expect(bus.call(getFileContent, { ...by, file_id: file.id })).rejects.toMatchObject({ code: 'conflict' });

    const answer = await send(file.upload.url, 'hello');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: { id: file.id, status: 'scanning', size: 5 } });
    expect(await checked(harness, by, file.id)).toMatchObject({
      status: 'clean',
      content_type: 'application/octet-stream',
      size: 5,
    });

    const again = await send(file.upload.url, 'other');
    expect(again.status).toBe(409);
    const { url } = await bus.call(getFileContent, { ...by, file_id: file.id });
    const content = await fetch(url);
    expect(await content.text()).toBe('hello');
    expect(content.headers.get('x-content-type-options')).toBe('nosniff');
    expect(content.headers.get('content-length')).toBe('5');
    expect(content.headers.get('content-disposition')).toBe(
      'attachment; filename="Gr__e.txt"; filename*=UTF-8\'\'Gr%C3%B6%C3%9Fe.txt',
    );
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('5');
    expect((await fetch(url.replace('/content', '/upload'))).status).toBe(405);
    expect(
      (await fetch(url.replace(/signature=./, (start) => (start.endsWith('A') ? 'signature=B' : 'signature=A'))))
        .status,
    ).toBe(403);
  });

  it('that never arrives is rejected', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    harness.clock.ahead = 2 * 3_600_000;
    try {
      expect((await send(file.upload.url, 'late')).status).toBe(403);
      expect(await checked(harness, by, file.id)).toMatchObject({ status: 'rejected', rejection: 'expired' });
    } finally {
      harness.clock.ahead = 0;
    }
  });
});

describe('the bytes', () => {
  it('of an image must decode to the last one', async () => {
    const by = aCaller();
    const whole = await picture('jpeg');
    const file = await uploaded(harness, by, whole.subarray(0, whole.length / 2), 'half.jpg');
    expect(file).toMatchObject({ status: 'rejected', rejection: 'broken_image', content_type: 'image/jpeg' });
    await isGone(folderOf(by, file.id));
    await expect(bus.call(getFileContent, { ...by, file_id: file.id })).rejects.toMatchObject({
      code: 'validation_error',
    });
  });
});

describe('a file', () => {
  it('is deleted with its bytes, once, and its URL ends with it', async () => {
    const by = aCaller();
    const { id } = await uploaded(harness, by, 'hello');
    const { url } = await bus.call(getFileContent, { ...by, file_id: id });
    const request = { ...by, command: aCommand(), file_id: id };
    await bus.call(deleteFile, request);
    expect(await bus.call(deleteFile, request)).toEqual({ deleted: true });
    await isGone(folderOf(by, id));
    expect((await fetch(url)).status).toBe(404);
    await expect(bus.call(deleteFile, { ...request, command: aCommand() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is as visible as its board, in lists and alone', async () => {
    const by = aCaller();
    const board = v7();
    await expect(aFile(harness, by, 'x', board)).rejects.toMatchObject({ code: 'not_found' });
    harness.card.boards.add(board);
    const open = [];
    for (let at = 0; at < 4; at += 1) {
      open.push((await aFile(harness, by, `open ${at}`)).id);
      await aFile(harness, by, `hidden ${at}`, board);
    }
    const hidden = await aFile(harness, by, 'hidden', board);
    const all = (limit: number, cursor?: string) => bus.call(listFiles, { ...by, page: { limit, cursor } });
    expect((await all(50)).items).toHaveLength(9);

    harness.card.boards.delete(board);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await all(3, cursor ?? undefined);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(open);
    const unknown = await bus.call(getFile, { ...by, file_id: v7() }).catch((error) => error);
    const unseen = await bus.call(getFile, { ...by, file_id: hidden.id }).catch((error) => error);
    expect(unseen).toEqual(unknown);
    const foreign = await bus.call(getFile, { ...aCaller(), file_id: open[0] ?? '' }).catch((error) => error);
    expect(foreign).toEqual(unknown);
  });

  it('is listed with one question to the card service and two to the database, however many are hidden', async () => {
    const by = aCaller();
    const boards = Array.from({ length: 5 }, () => v7());
    await harness.db.transaction((tx) =>
      sql`
        insert into files (workspace_id, id, name, board_id, status, created_by, created_at, updated_at,
          upload_expires_at)
        select ${by.workspace_id}, gen_random_uuid(), 'hidden', (${boards}::uuid[])[1 + n % 5], 'pending', ${by.user_id},
          now(), now(), now()
        from generate_series(1, 2500) as n`.execute(tx),
    );
    const seen = await aFile(harness, by, 'seen');
    const counted = { questions: 0, queries: 0 };
    const { visibility } = harness.context;
    const counting = {
      db: {
        ...harness.db,
        read: (fn) => {
          counted.queries += 1;
          return harness.db.read(fn);
        },
      },
      visibility: {
        ...visibility,
        boards: (caller, asked) => {
          counted.questions += 1;
          expect(asked.toSorted()).toEqual(boards.toSorted());
          return visibility.boards(caller, asked);
        },
      },
    } satisfies Pick<ServiceContext, 'db' | 'visibility'>;
    const document = await listVisibleFiles(counting, { ...by, page: { limit: 10 } });
    expect(replyOf(document)).toEqual({ items: [expect.objectContaining({ id: seen.id })], next_cursor: null });
    expect(counted).toEqual({ questions: 1, queries: 2 });
  });
});
