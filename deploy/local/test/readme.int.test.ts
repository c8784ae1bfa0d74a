import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort, repository } from '@cardinal/servers';
import { eventually, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { promised, run } from './npm-start.ts';
import { blocksOf, commandsOf, expectPrinted } from './readme.ts';
import { hasTerminals, openTerminal } from './terminal.ts';

/** A stack after its first start, and what the READMEs have of it that is chosen otherwise here. */
const freshStart = async () => {
  const state = scratchFolder('state');
  const [port, receiver] = [await freePort(), await freePort()];
  await promised(run(state, port));
  const terminal = await openTerminal({
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: scratchFolder('home'),
    CARDINAL_STATE: state,
    CARDINAL_URL: `http://127.0.0.1:${port}`,
  });
  // A journal comes beside the file that is moved in.
  const rows = 'libs/cli/test/import/example.tsv';
  const copy = join(scratchFolder('rows'), 'example.tsv');
  copyFileSync(join(repository, rows), copy);
  const changes = {
    [`-- ${rows}`]: `-- ${copy}`,
    'http://127.0.0.1:8080': `http://127.0.0.1:${port}`,
    '127.0.0.1:9000': `127.0.0.1:${receiver}`,
    '.listen(9000': `.listen(${receiver}`,
    // The same program: tests of its package build it in that folder.
    'npm run --silent build -w @cardinal/cli': ':',
    'libs/cli/dist/cardinal.js': 'libs/cli/src/main.ts',
  };
  return { terminal, blocks: (file: string, heading: string) => blocksOf(file, heading, changes) };
};

describe.skipIf(!hasTerminals)('what the READMEs have a newcomer paste (skipped where there is no script(1))', () => {
  it('is what happens, in the tour with curl and behind it', async () => {
    const { terminal, blocks } = await freshStart();
    const { paste } = terminal;
    const [lines, create, transfer, resolve, ...more] = blocks('README.md', 'Five minutes with curl').map(
      ({ text }) => text,
    );
    expect(more).toEqual([]);
    expect(await paste(lines ?? '')).toBe('');
    const created = await paste(create ?? '');
    expect(created).toMatch(/^HTTP\/1.1 201 Created$/m);
    expect(created).toMatch(/^etag: "1"$/im);
    expect(created).toContain('"identifier":"MAIN-2"');
    expect(await paste(transfer ?? '')).toBe('PAY-1\n');
    const again = transfer?.split('\n').slice(2).join('\n') ?? '';
    expect(await paste(again)).toBe('PAY-1\n');
    const resolved = await paste(resolve ?? '');
    expect(resolved).toContain('is_alias: true');
    expect(resolved).toContain("current_identifier: 'PAY-1'");
    expect(resolved).toMatch(/identifier: 'MAIN-2'[\s\S]*identifier: 'PAY-1'/);

    const [show, activity, stream, comment, webhook, deliveries, ...rest] = blocks(
      'services/event/README.md',
      'Follow what happens',
    );
    expect(rest).toEqual([]);
    expectPrinted(await paste(show?.text ?? ''), activity?.text ?? '');
    await paste(`${stream?.text.trimEnd()} &`);
    await eventually(() => expect(terminal.shown()).toMatch(/^retry: /m));
    await paste(comment?.text ?? '');
    await eventually(() => expect(terminal.shown()).toContain('"type":"comment.created"'));
    await paste(webhook?.text ?? '');
    const delivered = await paste(deliveries?.text ?? '');
    expect(delivered.match(/, 204, /g)).toHaveLength(2);
    await eventually(() => expect(terminal.shown().match(/^verified /gm)).toHaveLength(2));
  });

  it('is what happens, in the quick start of the API page', async () => {
    const { terminal, blocks } = await freshStart();
    const { paste } = terminal;
    const chapter = blocks('services/gateway/openapi.json', 'Quick start');
    const [first, list, stream, webhook, commands, ...more] = chapter.flatMap(({ language, text }) =>
      language === 'sh' ? [text] : [],
    );
    expect(more).toEqual([]);
    await paste('TOKEN=$(npm run --silent key -- --scope kanban:admin)');
    expect(JSON.parse(await paste(first ?? ''))).toMatchObject({ data: { card: { title: 'Refund twice' } } });
    const { data: events } = JSON.parse(await paste(list ?? ''));
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4]);
    await paste(`${stream?.trimEnd()} &`);
    await eventually(() => expect(terminal.shown()).toMatch(/^event: card.created$/m));

    const receiver = join(scratchFolder('receiver'), 'receiver.mjs');
    writeFileSync(receiver, chapter.findLast(({ language }) => language === 'js')?.text ?? '');
    await paste(webhook?.replace('receiver.mjs', receiver) ?? '');
    await eventually(() => expect(terminal.shown()).toMatch(/^verified card.created$/m));
    expect(await paste(commands ?? '')).toMatch(/^where +Payments \/ Done$/m);
  });

  it('is what happens, in the tour with `cardinal` and when moving in', async () => {
    const { terminal, blocks } = await freshStart();
    const [login, commands, session, ...more] = blocks('libs/cli/README.md', 'Five minutes with `cardinal`');
    expect(more).toEqual([]);
    await terminal.paste(login?.text ?? '');
    await terminal.paste(commands?.text ?? '');
    const [moving] = blocks('libs/cli/src/import/README.md', 'Move in');
    for (const block of [session, moving]) {
      const told = block ? commandsOf(block) : [];
      expect(told.length).toBeGreaterThan(2);
      for (const { command, printed } of told) expectPrinted(await terminal.paste(command), printed);
    }
  });
});
