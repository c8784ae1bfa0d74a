import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, runningPostgres, runStatements } from '@cardinal/servers';
import { api, eventually, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oneOf, promised, run } from './npm-start.ts';

/** A disk of its own, which can be filled; undefined where we may not mount one. */
const smallDisk = (): string | undefined => {
  const folder = scratchFolder('disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
};

const fill = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder);
  // Other processes write at the same time.
  for (let part = Math.floor((bavail * bsize) / 8); part >= bsize; part = Math.floor(part / 2)) {
    for (let at = 0; ; at += 1) {
      try {
        writeFileSync(join(folder, `filler-${part}-${at}`), Buffer.alloc(part));
      } catch {
        break;
      }
    }
  }
};
const empty = (folder: string) => rmSync(folder, { recursive: true });

interface Upload {
  url: string;
  headers: Record<string, string>;
}

describe('npm start on a full disk', () => {
  it('answers 503, is not ready, and goes on by itself when there is room again', async ({ skip }) => {
    const disk = smallDisk();
    if (!disk) return skip();
    const [state, port] = [join(disk, 'state'), await freePort()];
    const stack = run(state, port);
    const { token, url } = await promised(stack);
    const client = api(url.replace(/\/cards\/.*/, ''), token);
    const first = async (path: string) => (await client.get<{ id: string }[]>(path)).body.data[0]?.id;
    const column = await first(`/boards/${await first('/boards')}/columns`);
    const write = () =>
      client.post(`/columns/${column}/cards`, { body: { title: 'Card', description: 'x'.repeat(15_000) } });
    const readiness = async () => (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).json();
    const unrecorded = () =>
      runStatements(runningPostgres(join(state, 'postgres'), 'cardinal') ?? '', [
        'select from card.issued where recorded_at is null',
      ]);
    expect((await write()).status).toBe(201);
    const made = await client.post<{ upload: Upload }>('/files', { body: { name: 'notes.txt' } });
    const { headers, url: target } = made.body.data.upload;

    const filler = join(disk, 'filler');
    execFileSync('mkdir', [filler]);
    fill(filler);
    await eventually(async () => {
      const { status, body } = await write();
      expect([status, body.error?.code]).toEqual([503, 'unavailable']);
    });
    await eventually(async () => expect(await readiness()).toMatchObject({ checks: { card: 'failed' } }));
    const upload = await fetch(target, { method: 'PUT', headers, body: Buffer.alloc(1_000_000, 'x') });
    expect([upload.status, ((await upload.json()) as { error: { code: string } }).error.code]).toEqual([
      503,
      'unavailable',
    ]);
    // It cannot start either as long as there is no room.
    process.kill(oneOf(state, '/bin/postgres').pid, 'SIGKILL');
    await eventually(() => expect(stack.out()).toContain('Postgres did not come back'));
    expect((await client.get('/boards')).status).toBe(503);

    empty(filler);
    await eventually(async () => expect((await write()).status).toBe(201));
    await eventually(async () => expect(await readiness()).toMatchObject({ status: 'ok' }));
    await eventually(async () => expect(await unrecorded()).toEqual([]));
  });
});
