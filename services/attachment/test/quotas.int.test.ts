import { type Caller, createFile, deleteFile } from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { gatedScanner } from './support/gate.ts';
import { aFile, checked, send, startHarness, uploaded } from './support/harness.ts';

const gate = gatedScanner();
const harness = await startHarness({ MAX_FILE_BYTES: 1_000, scanner: gate.scanner });
const { bus, db, context } = harness;

const plenty = { ...context.config };
const allow = (quotas: Partial<typeof plenty>) => Object.assign(context.config, plenty, quotas);
beforeEach(() => {
  allow(plenty);
  gate.open();
});

/** Creates so many files at once. @returns how many are created, the others being refused with the message */
const create = async (by: Caller, count: number, message: RegExp) => {
  const request = () => ({ ...by, command: aCommand(), body: { name: 'x', board_id: null } });
  const outcomes = await Promise.allSettled(Array.from({ length: count }, () => bus.call(createFile, request())));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  for (const error of refused)
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringMatching(message) });
  return count - refused.length;
};
const remove = (by: Caller, file_id: string) => bus.call(deleteFile, { ...by, command: aCommand(), file_id });

describe('a workspace', () => {
  it('has no more pending files than its quota, however many are created at once', async () => {
    allow({ WORKSPACE_MAX_PENDING_BYTES: 3_000 });
    const by = aCaller();
    expect(await create(by, 12, /wait to be uploaded or checked/)).toBe(3);
    expect(await create(aCaller(), 2, /never/)).toBe(2);

    const { rows } = await db.read((tx) =>
      sql<{ id: string }>`select id from files where workspace_id = ${by.workspace_id}`.execute(tx),
    );
    await remove(by, rows[0]?.id ?? '');
    const another = await aFile(harness, by);
    expect(await create(by, 1, /wait/)).toBe(0);

    // A file that is being checked counts with its real size.
    gate.shut();
    expect((await send(another.upload.url, 'x')).status).toBe(200);
    expect(await create(by, 1, /wait/)).toBe(0);
    gate.open();
    await checked(harness, by, another.id);
    expect(await create(by, 2, /wait/)).toBe(1);
  });

  it('has no more files than its quota, whatever their status', async () => {
    allow({ WORKSPACE_MAX_FILES: 3 });
    const by = aCaller();
    const { id } = await uploaded(harness, by, 'x');
    const empty = await aFile(harness, by);
    expect((await send(empty.upload.url, '')).status).toBe(422);
    expect(await create(by, 5, /has 3 files, which is as many as it may/)).toBe(1);
    await remove(by, id);
    expect(await create(by, 5, /3 files/)).toBe(1);
  });

  it('has no more bytes than its quota, pending ones included', async () => {
    allow({ WORKSPACE_MAX_BYTES: 2_500 });
    const by = aCaller();
    const { id } = await uploaded(harness, by, 'x'.repeat(900));
    expect(await create(by, 5, /may have 2500 bytes in all/)).toBe(1);
    await remove(by, id);
    expect(await create(by, 5, /2500 bytes/)).toBe(1);
  });

  it('gets a stored answer again, though its quota is exhausted', async () => {
    allow({ WORKSPACE_MAX_FILES: 1 });
    const request = { ...aCaller(), command: aCommand(), body: { name: 'x', board_id: null } };
    const first = await bus.call(createFile, request);
    expect(await bus.call(createFile, request)).toEqual({ ...first, replayed: true });
  });
});

it('the files of a workspace are counted exactly', async () => {
  const by = aCaller();
  const files: Awaited<ReturnType<typeof aFile>>[] = [];
  while (files.length < 12) files.push(await aFile(harness, by));
  await Promise.all(
    files.map(async ({ id, upload }, at) => {
      if (at % 2 === 0) await send(upload.url, 'x'.repeat(at));
      if (at % 3 === 0) await remove(by, id);
    }),
  );
  await eventually(async () => {
    const { rows } = await db.read((tx) =>
      sql`select count(*) files, count(*) filter (where status = 'pending') pending_files,
          coalesce(sum(size) filter (where status = 'scanning'), 0)::bigint scanning_bytes,
          coalesce(sum(size) filter (where status = 'clean'), 0)::bigint clean_bytes
        from files where workspace_id = ${by.workspace_id}`.execute(tx),
    );
    expect(rows).toMatchObject([{ scanning_bytes: 0, files: 8, pending_files: 4 }]);
    const usage = await db.read((tx) =>
      tx.selectFrom('workspace_usage').selectAll().where('workspace_id', '=', by.workspace_id).execute(),
    );
    expect(usage).toMatchObject(rows as object[]);
  });
});
