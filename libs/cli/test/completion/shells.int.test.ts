import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@cardinal/client/source';
import { eventually, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Access, environmentOf, main, runHere } from '../run-cli.ts';

const execute = promisify(execFile);
const stack = await sharedStack();
const bin = scratchFolder('bin');
const home = scratchFolder('home');
let access: Access;

const has = (shell: string) => {
  try {
    execFileSync('sh', ['-c', `command -v ${shell}`]);
    return true;
  } catch {
    return false;
  }
};

beforeAll(async () => {
  access = { url: stack.origin, token: await stack.token() };
  const client = createClient({ baseUrl: access.url, token: access.token });
  const { id } = await client.boards.create({ name: 'Launch pad' });
  await client.columns.create(id, { name: 'To do' });
  await client.labels.create({ name: 'a: b' });
  await client.workstreams.create({ name: 'Payments', prefix: 'PAY' });
  writeFileSync(join(bin, 'cardinal'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, 'notes of may.md'), '');
});

/** What a shell prints that has these lines to do. */
const runShell = async (shell: string, args: string[], lines: string): Promise<string> => {
  const env = { ...environmentOf(access), PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  const { stdout } = await execute(shell, [...args, '-c', lines], { env, cwd: home, timeout: 300_000 });
  return stdout;
};

it.each([
  [['ev'], 'events'],
  [['cards', 'add-l'], 'add-label'],
  [['events', '--fol'], '--follow'],
  [['cards', 'create', '--priority', 'urg'], 'urgent'],
  [['events', '--types', 'card.tr'], 'card.transferred'],
  [['cards', 'list', '--board', 'lau'], 'Launch pad'],
  [['cards', 'list', '--board=lau'], '--board=Launch pad'],
  [['nothing', 'x'], ''],
])('completes %j', async (words, expected) => {
  const { stdout } = await runHere(['complete', 'fish', '--', ...words], access);
  expect(stdout.split(/[\t\n]/, 1)[0]).toBe(expected);
});

/** What bash makes of a line when somebody presses Tab at its end: on a terminal, so that bash itself splits the line. */
const typedInBash = async (lines: string[]): Promise<string[]> => {
  const rc = join(home, 'rc');
  // Control-G prints the line and begins the next one.
  const show = `show() { printf '<%s>\\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\\C-g": show'`;
  writeFileSync(rc, `PS1='> '; source <(cardinal completion bash)\n${show}\n`);
  const env = { ...environmentOf(access), PATH: `${bin}:/usr/bin:/bin`, HOME: home, TERM: 'dumb', COLUMNS: '1000' };
  const bash = spawn('script', ['-qec', `stty cols 1000; exec bash --noprofile --rcfile '${rc}' -i`, '/dev/null'], {
    env,
    cwd: home,
  });
  let output = '';
  bash.stdout.on('data', (chunk) => (output += chunk));
  const shown = () => [...output.matchAll(/^<(.*)>\r$/gm)].map(([, line = '']) => line);
  await eventually(() => expect(output).toContain('> '));
  for (const [at, line] of lines.entries()) {
    bash.stdin.write(`${line}\t\x07`);
    await eventually(() => expect(shown()).toHaveLength(at + 1));
  }
  bash.stdin.end('exit\n');
  await once(bash, 'close');
  return shown();
};

it('bash completes words, names and files', { timeout: 120_000 }, async () => {
  const address = access.url.replace('http://', '');
  const completed: [typed: string, becomes: string][] = [
    ['cardinal ev', 'cardinal events '],
    ['cardinal cards list --board=Lau', 'cardinal cards list --board=Launch\\ pad '],
    ['cardinal cards list --board "Launch p', 'cardinal cards list --board "Launch pad" '],
    ["cardinal cards list --board='Lau", "cardinal cards list --board='Launch pad' "],
    [
      'cardinal cards create --board Launch\\ pad --column ',
      'cardinal cards create --board Launch\\ pad --column To\\ do ',
    ],
    [`cardinal --url http://${address} boards arch`, `cardinal --url http://${address} boards archive `],
    [
      `cardinal --url=http://${address} cards list --board "Lau`,
      `cardinal --url=http://${address} cards list --board "Launch pad" `,
    ],
    ['cardinal events --types=card.moved,card.tr', 'cardinal events --types=card.moved,card.transferred '],
    ['cardinal events --types "card.moved,card.tr', 'cardinal events --types "card.moved,card.transferred" '],
    ['cardinal cards list --label a:', 'cardinal cards list --label a:\\ b '],
    ['cardinal refs "no', 'cardinal refs "notes of may.md" '],
  ];
  expect(await typedInBash(completed.map(([typed]) => typed))).toEqual(completed.map(([, becomes]) => becomes));
});

it.skipIf(!has('fish'))('fish completes them (skipped where there is no fish)', async () => {
  const lines = ['ev', 'cards list --board=lau', 'refs no'];
  const asked = lines.map((line) => `complete -C 'cardinal ${line}'`).join('\n');
  const told = await runShell('fish', ['--no-config'], `cardinal completion fish | source\n${asked}`);
  expect(
    told
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t', 1)[0]),
  ).toEqual(['events', '--board=Launch pad', 'notes of may.md']);
});

it.skipIf(!has('zsh'))('zsh completes them (skipped where there is no zsh)', async () => {
  // In a terminal of its own, since zsh completes nowhere else. What is typed shows too, so what is added is looked for.
  const begin = 'PS1=rea"dy>"; autoload -U compinit && compinit -u -D && source <(cardinal completion zsh)';
  const typed = (line: string, added: string) =>
    `zpty -w -n z '${line}'$'\\t'; zpty -r -m z out '*${added}*' && print -r -- ok; zpty -w -n z $'\\x15'`;
  const lines = [
    'export TERM=xterm; zmodload zsh/zpty; zpty z zsh -f -i',
    `zpty -w z '${begin}'; zpty -r -m z out '*ready>*'`,
    typed('cardinal ev', 'ents'),
    typed('cardinal cards list --board Lau', 'pad'),
    typed('cardinal refs no', 'may.md'),
    'zpty -d z',
  ];
  expect(await runShell('zsh', ['-f'], lines.join('\n'))).toBe('ok\n'.repeat(3));
});
