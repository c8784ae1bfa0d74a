import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openJournal } from '../../src/import/journal.ts';
import { openJournalFile } from '../../src/import/journal-file.ts';

const schemas = { head: z.object({ of: z.string() }), step: z.string() };
const open = (file: string, of = 'a') => openJournalFile(file, schemas, { of });

it('keeps the order of steps that are noted at once, below the line that says what they are of', async () => {
  const file = join(scratchFolder('journal'), 'new/journal.jsonl');
  const { head, append } = await open(file);
  expect(head).toBeUndefined();
  await Promise.all([append(['1']), append(['2', '3']), append(['4'])]);
  expect(await readFile(file, 'utf8')).toBe('{"of":"a"}\n"1"\n"2"\n"3"\n"4"\n');
  expect(await open(file, 'b')).toMatchObject({ head: { of: 'a' }, steps: ['1', '2', '3', '4'] });
});

it('cuts off the beginning of a line, and goes on behind the whole ones', async () => {
  const file = join(scratchFolder('journal'), 'journal.jsonl');
  await (await open(file)).append(['größer']);
  await appendFile(file, '"hal');
  const { steps, append } = await open(file);
  expect(steps).toEqual(['größer']);
  await append(['next']);
  expect((await open(file)).steps).toEqual(['größer', 'next']);
});

it('writes nothing behind a step that could not be written', async () => {
  const folder = join(scratchFolder('journal'), 'folder');
  const { append } = await open(join(folder, 'journal.jsonl'));
  await writeFile(folder, '');
  await expect(append(['1'])).rejects.toThrow();
  await rm(folder);
  await expect(append(['2'])).rejects.toThrow();
  expect(await open(join(folder, 'journal.jsonl'))).toMatchObject({ head: undefined, steps: [] });
});

it('says which line is none', async () => {
  const file = join(scratchFolder('journal'), 'journal.jsonl');
  await appendFile(file, '{"of":"a"}\n"1"\n2\n');
  await expect(open(file)).rejects.toThrow(`${file}:3 is no line of a journal; choose another folder with --run`);
});

it('goes on with what 1.1.0 wrote of an export, and with that of no other one', async () => {
  const file = join(scratchFolder('journal'), 'cardinal.jsonl');
  await writeFile(file, '{"export":"e","workspace":"w"}\n["label 1","made"]\n');
  const journal = await openJournal(file, 'w', 'e');
  const again = async () => expect.unreachable('it was done');
  expect([journal.isBegun, await journal.once('label 1', again)]).toEqual([true, 'made']);
  expect(await journal.once('label 2', async ({ idempotencyKey }) => `${idempotencyKey}`)).toBe(
    journal.keyOf('label 2'),
  );
  expect((await openJournal(file, 'w', 'e')).id('label 2')).toBe(journal.keyOf('label 2'));
  const refused = 'is of another export or workspace; choose another folder with --run';
  await expect(openJournal(file, 'w', 'f')).rejects.toThrow(refused);
  await expect(openJournal(file, 'v', 'e')).rejects.toThrow(refused);
});
