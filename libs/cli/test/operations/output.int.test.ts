import { stripVTControlCharacters } from 'node:util';
import { type SharedStack, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { atTerminal, runHere, startCli } from '../run-cli.ts';
import { startRecorder } from './recorder.ts';
import { makeUnnamed, makeWorkspace } from './workspace.ts';

let stack: SharedStack;
let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let identifier: string;

/** A card that was MAIN-1, waits for PAY-7, is waited for by OPS-3, and has a comment and a label. */
beforeAll(async () => {
  stack = await sharedStack();
  workspace = await makeWorkspace(stack);
  const { client, column, label, web, pay, ops } = workspace;
  const made = await client.cards.create(column.id, { title: '日本語のタイトル'.repeat(20), label_ids: [label.id] });
  const card = await client.cards.transfer(made, { workstream_id: web.id });
  identifier = card.identifier;
  await client.cards.addDependency(card.id, pay.card.id);
  await client.cards.addDependency(ops.card.id, card.id);
  await client.comments.create(card.id, { body: 'So it is.' });
});

const onTerminal = async (...args: string[]) => {
  const { code, stdout } = await atTerminal(process.stdout, () => runHere(args, workspace.access));
  expect(code).toBe(0);
  return stdout.trimEnd().split('\n');
};

it('shows tables on a terminal, with names and without ids', async () => {
  const [headings = '', ...rows] = await onTerminal('cards', 'list', '--board', 'Launch');
  expect(headings).toMatch(/^identifier {2}title +column/);
  expect(rows).toHaveLength(3);
  expect(rows.find((row) => row.startsWith(identifier))).toMatch(/日本語のタイトル.*… {2}To do/);
  expect(rows.join('\n')).not.toMatch(/[0-9a-f]{8}-/);
  expect(await onTerminal('labels', 'list')).toHaveLength(2);
});

it('shows a resource on a terminal with names in the place of ids', async () => {
  const lines = await onTerminal('cards', 'get', identifier);
  expect(lines[0]).toMatch(new RegExp(`^identifier +${identifier}$`));
  for (const line of [/^board +Launch$/, /^column +To do$/, /^labels +bug$/])
    expect(lines).toContainEqual(expect.stringMatching(line));
});

it('shows a card with what hangs on it', async () => {
  const show = async () => (await onTerminal('show', 'MAIN-1')).join('\n');
  // The log follows the writes.
  await expect.poll(show).toMatch(/comment\.created +\S+ +"So it is."$/m);
  const text = await show();
  expect(text).toMatch(new RegExp(`^${identifier} {2}日本語`));
  expect(text).toMatch(/^where +Launch \/ To do$/m);
  expect(text).toMatch(/^formerly +MAIN-1 {2}until \d{4}-/m);
  expect(text).toMatch(/^waits for +PAY-7 {2}Refund PAY$/m);
  expect(text).toMatch(/^waited for by +OPS-3 {2}Refund OPS$/m);
  expect(text).toMatch(/^comments +1 comment$/m);
  // A line is that of `cardinal events`.
  const events = (await onTerminal('events', '--card', 'MAIN-1')).map(stripVTControlCharacters);
  expect(events.length).toBeGreaterThan(1);
  const [label = '', ...more] = text.split('\n').slice(-events.length - 1, -1);
  expect([label, ...more].map((line) => line.slice('waited for by  '.length))).toEqual(events);
});

it('shows a card without its last events where nobody answers for them', async () => {
  const { url, requests, stop } = await startRecorder(stack.origin, /\/events/);
  onTestFinished(stop);
  const { code, stdout, stderr } = await runHere(['show', identifier], { ...workspace.access, url });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^the last events could not be read: the service refused: .*unavailable.*\n$/),
  ]);
  expect(JSON.parse(stdout)).toMatchObject({
    card: { identifier },
    identifiers: [{ identifier: 'MAIN-1' }, { identifier }],
    events: null,
    dependencies: [{ card: { identifier: 'PAY-7' } }],
    dependents: [{ card: { identifier: 'OPS-3' } }],
  });
  expect(requests.some(({ path }) => /\/cards\/[0-9a-f-]+\/events/.test(path))).toBe(true);
});

it('keeps its help to the width of a terminal', async () => {
  for (const args of [['--help'], ['cards', '--help'], ['import', '--help'], ['events', '--help']]) {
    const long = (await onTerminal(...args)).filter((line) => line.length > 80);
    // What is one word, or stands in an example, is not broken.
    expect([args, long.filter((line) => !line.includes('cardinal '))]).toEqual([args, []]);
  }
});

it('prints JSON where no terminal is, and on one with --json', async () => {
  const piped = await runHere(['labels', 'list'], workspace.access);
  expect(
    piped.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ name: 'bug' }]);
  expect(JSON.parse((await onTerminal('labels', 'get', 'bug', '--json')).join('\n'))).toMatchObject({ name: 'bug' });
});

it('takes a whole body from standard input, and writes the bytes of a file', async () => {
  const { access } = workspace;
  const create = startCli(['cards', 'create', '--board', 'Launch', '--body', '-'], access);
  create.input.end('{"title": "From a pipe", "workstream_id": "WEB"}');
  const made = await create.ended;
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(JSON.parse(made.stdout)).toMatchObject({ title: 'From a pipe', workstream: { prefix: 'WEB' } });
  const { file_id = '' } = await makeUnnamed(workspace, '/files/:file_id');
  const { code, stdout } = await startCli(['files', 'get-content', file_id], access).ended;
  expect([code, stdout.slice(1, 4)]).toEqual([0, 'PNG']);
});

it('takes any text from standard input, once', async () => {
  const { access, client } = workspace;
  const piped = async (args: string[], input: string) => {
    const run = startCli(args, access);
    run.input.end(input);
    const { code, stdout, stderr } = await run.ended;
    return { code, stderr, made: code === 0 ? JSON.parse(stdout) : undefined };
  };
  const description = 'Two lines\n\nof a \u2014 pipe';
  const create = ['cards', 'create', '--board', 'Launch'];
  const { made: card } = await piped([...create, 'Title', '--description', '-'], `${description}\n`);
  expect(card).toMatchObject({ title: 'Title', description });
  expect((await piped([...create, '--title', '-'], 'Piped\r\n')).made).toMatchObject({ title: 'Piped' });
  const said = await piped(['comments', 'create', card.identifier, '--body', '-'], 'So.');
  expect(said.made).toMatchObject({ body: 'So.' });
  const { version } = await client.cards.get(card.identifier);
  await piped(['api', 'PATCH', `cards/${card.identifier}`, '--version', `${version}`, '-f', 'description=-'], 'Anew\n');
  expect(await client.cards.get(card.identifier)).toMatchObject({ description: 'Anew' });
  const twice = await piped([...create, '--title', '-', '--description', '-'], 'x');
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input is read once') });
  const withBody = await piped([...create, 'x', '--description', '-', '--body', '-'], '{}');
  expect(withBody).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input is read once') });
});

it('lets no name steer the terminal', async () => {
  const { client, access, column } = workspace;
  const { identifier: evil } = await client.cards.create(column.id, { title: 'a\u001b[31mb', description: 'c\u009bd' });
  await client.labels.create({ name: 'e\u001b[2Jf' });
  const { stderr } = await runHere(['labels', 'get', 'nothing'], access);
  const shown = [...(await onTerminal('show', evil)), ...(await onTerminal('cards', 'get', evil)), stderr].join('');
  expect(shown).toContain('a [31mb');
  expect(shown).toContain('e [2Jf');
  expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
