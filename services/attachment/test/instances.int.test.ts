import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Caller,
  deleteFile,
  getCover,
  getFile,
  getFileContent,
  putCover,
  putLinkedFile,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually, rounds } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { requestCheck } from '../src/checks/checks.ts';
import { gatedScanner } from './support/gate.ts';
import { aFile, checked, checkOf, send, startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';

const leaseMs = 3_000;
const gate = gatedScanner();
const harness = await startHarness({ scanner: gate.scanner, CHECK_LEASE_MS: leaseMs });
const _beside = await startHarness({ scanner: gate.scanner, CHECK_LEASE_MS: leaseMs, beside: harness });
const { bus, db } = harness;

beforeEach(() => {
  gate.open();
  Object.assign(gate.counts, { asked: 0, atOnce: 0 });
});

const keptOf = ({ workspace_id }: Caller, id: string) =>
  readdir(join(harness.folder, 'kept', workspace_id, id)).catch(() => []);

/** A file with a check that waits at the gate. */
const atTheGate = async (by: Caller, bytes: Uint8Array | string = 'hello') => {
  gate.shut();
  const { id, upload } = await aFile(harness, by);
  expect((await send(upload.url, bytes)).status).toBe(200);
  await eventually(() => expect(gate.counts.atOnce).toBeGreaterThan(0));
  return id;
};

/** Files of processes that vanished during their checks, with an expired lease. The gate is closed to them. */
const abandoned = async (by: Caller, { count = 1, lost = 0, of = harness } = {}) => {
  const files = await Promise.all(Array.from({ length: count }, (_, at) => uploaded(of, by, `file ${at}`)));
  const ids = files.map(({ id }) => id);
  gate.shut();
  gate.counts.asked = 0;
  const now = new Date();
  await of.db.transaction(async (tx) => {
    await tx.updateTable('files').set({ status: 'scanning' }).where('id', 'in', ids).execute();
    for (const id of ids) await requestCheck(tx, { ...by, id, created_by: by.user_id }, now);
    const left = { lease_id: v7(), due_at: now, lost_leases: lost };
    await tx.updateTable('jobs').set(left).where('kind', '=', 'check-files').where('key', 'in', ids).execute();
  });
  return ids;
};

describe('a check', () => {
  it('runs on one instance alone, however long it takes', async () => {
    const by = aCaller();
    const id = await atTheGate(by);
    const moved = new Set<number>();
    await eventually(
      async () => {
        moved.add((await checkOf(harness, id))?.due_at?.getTime() ?? 0);
        expect(moved.size).toBeGreaterThan(5);
      },
      { everyMs: 250 },
    );
    expect(await checkOf(harness, id)).toMatchObject({ lost_leases: 0, attempts: 1 });
    gate.open();
    expect(await checked(harness, by, id)).toMatchObject({ status: 'clean' });
    expect(gate.counts.asked).toBe(1);
    await eventually(async () => expect(await checkOf(harness, id)).toBeUndefined());
  });

  it('is taken over from an instance that vanished', async () => {
    const by = aCaller();
    const [id = ''] = await abandoned(by);
    await eventually(async () => expect(await checkOf(harness, id)).toMatchObject({ lost_leases: 1 }));
    gate.open();
    expect(await checked(harness, by, id)).toMatchObject({ status: 'clean' });
  });

  it('over which five instances vanished is abandoned, without reading the file again', async () => {
    const by = aCaller();
    const [id = ''] = await abandoned(by, { lost: 4 });
    expect(await checked(harness, by, id)).toMatchObject({ status: 'rejected', rejection: 'unchecked' });
    expect(gate.counts.asked).toBe(0);
  });

  it('over which an instance vanished does not run beside another such, which would vanish with it', async () => {
    const by = aCaller();
    const alone = await startHarness({ scanner: gate.scanner, CHECK_LEASE_MS: leaseMs });
    const ids = await abandoned(by, { count: 3, of: alone });
    const moved = new Set<number>();
    await eventually(
      async () => {
        const rows = await alone.db.read((tx) =>
          tx.selectFrom('jobs').select('due_at').where('kind', '=', 'check-files').execute(),
        );
        moved.add(Math.max(...rows.map(({ due_at }) => due_at?.getTime() ?? 0)));
        expect(moved.size).toBeGreaterThan(3);
      },
      { everyMs: 250 },
    );
    expect(gate.counts.asked).toBe(1);
    gate.open();
    for (const id of ids) expect(await checked(alone, by, id)).toMatchObject({ status: 'clean' });
  });

  it('is given back at once by an instance that stops', async () => {
    const by = aCaller();
    const stopping = await startHarness({ scanner: gate.scanner, CHECK_LEASE_MS: 3_600_000 });
    gate.shut();
    const { id, upload } = await aFile(stopping, by);
    await send(upload.url, 'hello');
    await eventually(() => expect(gate.counts.atOnce).toBe(1));
    await stopping.context.checks.stop();
    const row = await stopping.db.read((tx) =>
      tx.selectFrom('jobs').selectAll().where('kind', '=', 'check-files').executeTakeFirstOrThrow(),
    );
    expect(row).toMatchObject({ key: id, lease_id: null });
    expect(row.due_at?.getTime()).toBeLessThanOrEqual(Date.now());
    gate.open();
    await startHarness({ scanner: gate.scanner, beside: stopping });
    expect(await checked(stopping, by, id)).toMatchObject({ status: 'clean' });
  });
});

describe('two instances', () => {
  it('check each file once', async () => {
    const by = aCaller();
    const files = await Promise.all(Array.from({ length: 20 }, () => aFile(harness, by)));
    await Promise.all(files.map(({ upload }) => send(upload.url, 'hello')));
    for (const { id } of files) expect(await checked(harness, by, id)).toMatchObject({ status: 'clean' });
    expect(gate.counts.asked).toBe(20);
  });
});

describe('two instances during a rotation of their secret', () => {
  const [former, next] = ['f'.repeat(32), 'n'.repeat(32)];
  it.each([
    ['the first step', { URL_SECRET: former }, { URL_SECRET: former, URL_SECRET_ACCEPTED: next }],
    [
      'the second',
      { URL_SECRET: former, URL_SECRET_ACCEPTED: next },
      { URL_SECRET: next, URL_SECRET_ACCEPTED: former },
    ],
    ['the third', { URL_SECRET: next, URL_SECRET_ACCEPTED: former }, { URL_SECRET: next }],
  ])('take uploads and downloads under each other’s URLs: %s', async (_, one, other) => {
    const by = aCaller();
    const old = await startHarness(one);
    const anew = await startHarness({ ...other, beside: old });
    const expires = new Date(Date.now() + 60_000);
    for (const [signer, taker] of [
      [old, anew],
      [anew, old],
    ] as const) {
      const at = (url: string) => Object.assign(new URL(url), { port: taker.listener.port }).href;
      const { id } = await aFile(taker, by);
      const put = await send(at(signer.context.urls.upload(by.workspace_id, id, expires)), 'hello');
      expect(put.status).toBe(200);
      expect(await checked(taker, by, id)).toMatchObject({ status: 'clean' });
      const got = await fetch(at(signer.context.urls.content(by.workspace_id, id, new Date())));
      expect([got.status, await got.text()]).toEqual([200, 'hello']);
      const strange = signer.context.urls.content(by.workspace_id, id, new Date()).replace('signature=', 'signature=x');
      expect((await fetch(at(strange))).status).toBe(403);
    }
  });
});

describe('a file that is deleted', () => {
  it('while it is checked leaves nothing', async () => {
    const by = aCaller();
    const id = await atTheGate(by, await picture('png'));
    await bus.call(deleteFile, { ...by, command: aCommand(), file_id: id });
    gate.open();
    await eventually(async () => {
      expect(gate.counts.atOnce).toBe(0);
      expect(await keptOf(by, id)).toEqual([]);
    });
    await expect(bus.call(getFile, { ...by, file_id: id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('while it is downloaded arrives whole, and is not found after that', async () => {
    const by = aCaller();
    const bytes = Buffer.alloc(20 * 1024 * 1024, 'x');
    const { id } = await uploaded(harness, by, bytes);
    const { url } = await bus.call(getFileContent, { ...by, file_id: id });
    const answer = await fetch(url);
    await bus.call(deleteFile, { ...by, command: aCommand(), file_id: id });
    expect((await fetch(url)).status).toBe(404);
    await eventually(async () => expect(await keptOf(by, id)).toEqual([]));
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  });

  it('while it is set as a cover and a linked file is neither in the end', async () => {
    const by = aCaller();
    const image = await picture('png', 20, 20);
    for (let round = 0; round < rounds(10, 3); round += 1) {
      const { id: file_id } = await uploaded(harness, by, image);
      const [card_id, subtask_id] = [v7(), v7()];
      harness.card.cards.set(card_id, { boardDeleted: false });
      harness.card.subtasks.set(subtask_id, card_id);
      const puts = [
        bus.call(putCover, { ...by, card_id, file_id }),
        bus.call(putLinkedFile, { ...by, subtask_id, file_id }),
        bus.call(deleteFile, { ...by, command: aCommand(), file_id }),
        bus.call(putCover, { ...by, card_id, file_id }),
        bus.call(putLinkedFile, { ...by, subtask_id, file_id }),
      ];
      for (const outcome of await Promise.allSettled(puts)) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' });
      }
      expect(await bus.call(getCover, { ...by, card_id })).toEqual({ cover: null });
    }
    const { rows } = await db.read((tx) =>
      sql<{
        file_id: string | null;
      }>`select file_id from covers union all select file_id from linked_files except select id from files`.execute(tx),
    );
    expect(rows.filter(({ file_id }) => file_id)).toEqual([]);
  });
});
