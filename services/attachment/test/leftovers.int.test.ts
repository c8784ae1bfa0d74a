import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Caller, deleteFile } from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { localFolder } from '../src/storage/local-folder.ts';
import { aFile, checked, send, startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';

const hourMs = 3_600_000;
const stubborn: string[] = [];
const harness = await startHarness({
  storage: async (folder) => {
    const real = await localFolder(folder);
    const removeAll: typeof real.removeAll = async (below, keep) => {
      if (stubborn.some((id) => below.endsWith(id))) throw new Error('the disk says no');
      return real.removeAll(below, keep);
    };
    return { ...real, removeAll };
  },
});
const { bus, db, clock, context } = harness;

const folderOf = ({ workspace_id }: Caller, id: string) => join(harness.folder, 'kept', workspace_id, id);
const keptOf = (by: Caller, id: string) => readdir(folderOf(by, id)).catch(() => []);
const remove = (by: Caller, file_id: string) => bus.call(deleteFile, { ...by, command: aCommand(), file_id });
const removalsOf = (id: string) =>
  db.read((tx) =>
    tx.selectFrom('jobs').selectAll().where('kind', '=', 'remove-bytes').where('key', 'like', `${id}%`).execute(),
  );

/** Stores bytes for a file that no row mentions. */
const turnUp = (by: Caller, id: string, name: string) =>
  context.storage.put(`${by.workspace_id}/${id}/${name}`, Readable.from([Buffer.from('x')]));

/** Makes the service believe that it is later. */
const later = async (ms: number, look: () => Promise<void>) => {
  clock.ahead += ms;
  context.removals.nudge();
  try {
    await eventually(look);
  } finally {
    clock.ahead -= ms;
  }
};

it('bytes of an upload that broke before they were noted are removed once the file is checked', async () => {
  const by = aCaller();
  const { id, upload } = await aFile(harness, by);
  await turnUp(by, id, 'content-lost');
  expect((await send(upload.url, await picture('png', 400, 300))).status).toBe(200);
  expect(await checked(harness, by, id)).toMatchObject({ status: 'clean' });
  await eventually(async () =>
    expect((await keptOf(by, id)).sort()).toEqual([
      expect.stringMatching(/^content-.{36}$/),
      'rendition-320.webp',
      'rendition-400.webp',
    ]),
  );
});

it('late bytes of a deleted file are removed once no more can arrive', async () => {
  const by = aCaller();
  const { id } = await uploaded(harness, by, 'x');
  await remove(by, id);
  await eventually(async () => {
    expect(await keptOf(by, id)).toEqual([]);
    const left = await removalsOf(id);
    expect(left).toHaveLength(1);
    expect(left[0]?.due_at?.getTime()).toBeGreaterThan(Date.now());
  });
  await turnUp(by, id, 'rendition-320.webp');
  await later(2 * hourMs, async () => {
    expect(await keptOf(by, id)).toEqual([]);
    expect(await removalsOf(id)).toEqual([]);
  });
});

it('bytes that cannot be removed now are removed later, and delay no others', async () => {
  const by = aCaller();
  const [stuck, other] = [await uploaded(harness, by, 'x'), await uploaded(harness, by, 'x')];
  stubborn.push(stuck.id);
  await remove(by, stuck.id);
  await remove(by, other.id);
  await eventually(async () => expect(await keptOf(by, other.id)).toEqual([]));
  expect(await keptOf(by, stuck.id)).toHaveLength(1);
  stubborn.length = 0;
  await later(hourMs / 30, async () => expect(await keptOf(by, stuck.id)).toEqual([]));
});

it('an upload that breaks off while its folder is created leaves nothing', async () => {
  async function* broken() {
    yield Buffer.from('x');
    throw new Error('the client left');
  }
  for (let time = 0; time < 500; time += 1) {
    await expect(context.storage.put(`w/f/${time}`, broken())).rejects.toThrow('the client left');
  }
  await context.storage.put('w/f/whole', Readable.from([Buffer.from('x')]));
  expect(await readdir(join(harness.folder, 'arriving'))).toEqual([]);
});

it('a part of an upload that a killed process left is removed once it cannot be continued', async () => {
  const arriving = join(harness.folder, 'arriving');
  const [old, young] = [join(arriving, 'old'), join(arriving, 'young')];
  await Promise.all([writeFile(old, 'x'), writeFile(young, 'x')]);
  const then = new Date(Date.now() - 2 * hourMs);
  await utimes(old, then, then);
  await context.storage.clearAbandoned();
  expect(await readdir(arriving)).toEqual(['young']);
});
