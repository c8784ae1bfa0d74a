import type { Caller } from '@cardinal/contracts';
import { aCaller, eventually } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import type { Scanner } from '../src/checks/scanner.ts';
import { aFile, checked, type Harness, send, startHarness } from './support/harness.ts';

/** A scanner that shows whose file is being scanned, and continues with the next one on request. */
const turnstile = () => {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  let isOpen = false;
  const scanner: Scanner = async (path) => {
    asked.push(path.split('/').at(-3) ?? '');
    if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
    return false;
  };
  return {
    scanner,
    asked,
    letOneOn: () => held.shift()?.(),
    open() {
      isOpen = true;
      for (const letOn of held) letOn();
    },
  };
};

const upload = async (harness: Harness, by: Caller, files: number) => {
  const ids: string[] = [];
  while (ids.length < files) {
    const { id, upload } = await aFile(harness, by);
    expect((await send(upload.url, 'x')).status).toBe(200);
    ids.push(id);
  }
  return ids;
};

describe('a workspace with many files and others with one', () => {
  it('have the others wait for one check, though every instance checks the first one’s files', async () => {
    const { scanner, asked, letOneOn, open } = turnstile();
    const harness = await startHarness({ scanner });
    await startHarness({ scanner, beside: harness });
    const [busy, quiet] = [aCaller(), aCaller()];
    await upload(harness, busy, 12);
    await eventually(() => expect(asked).toEqual(Array(4).fill(busy.workspace_id)));
    await upload(harness, quiet, 1);
    letOneOn();
    await eventually(() => expect(asked).toHaveLength(5));
    expect(asked[4]).toBe(quiet.workspace_id);
    open();
  });
});

describe('two users of a workspace', () => {
  it('have the one with one file wait for one check of the other, who has many', async () => {
    const { scanner, asked, letOneOn, open } = turnstile();
    const harness = await startHarness({ scanner, CHECKS_AT_ONCE: 1 });
    const busy = aCaller();
    const colleague = { ...busy, user_id: aCaller().user_id };
    const many = await upload(harness, busy, 12);
    const [one = ''] = await upload(harness, colleague, 1);
    await eventually(() => expect(asked).toHaveLength(1));
    letOneOn();
    await eventually(() => expect(asked).toHaveLength(2));
    letOneOn();
    expect(await checked(harness, colleague, one)).toMatchObject({ status: 'clean' });
    expect(many).toHaveLength(12);
    open();
  });
});
