import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@cardinal/client/source';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { expect, it, vi } from 'vitest';
import { atTerminal, runHere } from '../run-cli.ts';

const stack = await sharedStack();
const access = { url: stack.origin, token: await stack.token() };
const client = createClient({ baseUrl: access.url, token: access.token });
const folder = scratchFolder('files');
mkdirSync(folder, { recursive: true });
const bytes = Buffer.alloc(300_000, 'Größe 😀 ');
writeFileSync(join(folder, 'notes of may.txt'), bytes);
writeFileSync(join(folder, 'empty'), '');

const upload = (...args: string[]) => runHere(['files', 'upload', ...args], access, folder);
const contentOf = async (id: string) => {
  const parts: Uint8Array[] = [];
  for await (const part of (await client.files.getContent(id)).body) parts.push(part);
  return Buffer.concat(parts);
};

it('sends the bytes of a file, waits for the checks, and prints its id', async () => {
  const { code, stdout, stderr } = await upload('notes of may.txt');
  expect([code, stderr]).toEqual([0, '']);
  const id = stdout.trimEnd();
  expect(await client.files.get(id)).toMatchObject({ name: 'notes of may.txt', status: 'clean', board_id: null });
  expect((await contentOf(id)).equals(bytes)).toBe(true);
});

it('puts it on a board, under another name, and prints all of it as JSON', async () => {
  const board = await client.boards.create({ name: 'Launch' });
  const args = ['notes of may.txt', '--board', 'launch', '--name', 'may.txt', '--json'];
  expect(JSON.parse((await upload(...args)).stdout)).toMatchObject({
    name: 'may.txt',
    board_id: board.id,
    status: 'clean',
  });
});

it('shows its progress on a terminal', async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const { code, stdout } = await atTerminal(process.stderr, () => upload('notes of may.txt')).finally(() =>
    vi.restoreAllMocks(),
  );
  expect(code).toBe(0);
  expect((await contentOf(stdout.trimEnd())).equals(bytes)).toBe(true);
  expect(written.join('')).toContain('100% | 300000/300000 bytes');
});

it('fails for a file that the checks refuse, that is none, or is not there', async () => {
  expect(await upload('empty')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: .*empty/) });
  expect(await upload('.')).toMatchObject({ code: 1, stderr: 'error: . is no file\n' });
  expect(await upload('gone')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot read gone: ENOENT') });
});
