import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { runHere, startCli } from '../run-cli.ts';

const stack = await sharedStack();

/** Somebody's configuration, and the program with it. */
const somebody = () => {
  const config = scratchFolder('config');
  const folder = join(config, 'cardinal/profiles');
  const cardinal = (...args: string[]) => runHere(args, {}, '/', { profiles: folder });
  return { config, folder, cardinal };
};

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const ids = { user: '0197b1de-0000-7000-8000-000000000001', workspace: '0197b1de-0000-7000-8000-000000000002' };
const tokenOf = (scope: string, expiresIn = 3600) => stack.token({ ...ids, scope, expiresIn });

it('keeps a token that standard input holds, for itself alone, and shows it to nobody', async () => {
  const { config, folder, cardinal } = somebody();
  const token = await tokenOf('kanban:read kanban:write');
  const run = startCli(['login'], { url: stack.origin, token: '' }, [], { XDG_CONFIG_HOME: config });
  run.input.end(`${token}\n`);
  const { code, stdout, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    new RegExp(
      [
        `^Logged in to ${stack.origin} \\(profile "default", ${folder}/default.json\\)`,
        `user       ${ids.user}`,
        `workspace  ${ids.workspace}`,
        'scopes     kanban:read kanban:write',
        'ends       20\\S+Z \\(60 min\\)\n$',
      ].join('\n'),
    ),
  );
  expect([modeOf(folder), modeOf(join(folder, 'default.json')), readdirSync(folder)]).toEqual([
    '700',
    '600',
    ['default.json'],
  ]);
  const listed = await cardinal('profiles');
  expect(JSON.parse(listed.stdout)).toMatchObject({ name: 'default', url: stack.origin, user_id: ids.user });
  expect(stdout + listed.stdout).not.toContain('eyJ');
});

it('keeps nothing that Cardinal does not take', async () => {
  const { cardinal, folder } = somebody();
  const { code, stderr } = await cardinal('login', '--url', stack.origin, '--token', 'nothing');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: the token was not accepted.*"cardinal login".*\n$/),
  ]);
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

it('is the user of the profile, unless an option or the environment says otherwise', async () => {
  const { cardinal, folder } = somebody();
  const [ada, bob] = await Promise.all(['ada', 'bob'].map(() => stack.token({ scope: 'kanban:read' })));
  await cardinal('login', '--url', stack.origin, '--profile', 'ada', '--token', ada ?? '');
  await cardinal('login', '--url', stack.origin, '--token', bob ?? '');
  const text = join(folder, 'text.md');
  writeFileSync(text, 'As in MAIN-1.');
  const refs = (args: string[], more = {}) => runHere(['refs', text, ...args], {}, '/', { profiles: folder, ...more });
  expect((await refs([])).stdout).toContain('MAIN-1');
  expect((await refs(['--profile', 'ada'])).stdout).toContain('MAIN-1');
  expect((await refs([], { profile: 'ada' })).stdout).toContain('MAIN-1');
  expect((await refs([], { profile: 'eve' })).stderr).toContain('error: there is no profile "eve"');
  // Of the environment, and then the option that goes before it.
  expect((await refs([], { token: 'nothing' })).stderr).toContain('the token was not accepted');
  expect((await refs(['--profile', 'ada'], { token: 'nothing' })).stdout).toContain('MAIN-1');
  expect((await refs(['--token', 'nothing'])).stderr).toContain('the token was not accepted');
  // Its token goes to no other address.
  expect((await refs(['--url', 'http://127.0.0.1:9'])).stderr).toBe(
    `error: no token for http://127.0.0.1:9: profile "default" is of ${stack.origin}; choose another one with --profile, or say --token\n`,
  );
  const names = async () =>
    (await cardinal('profiles')).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).name);
  expect(await names()).toEqual(['ada', 'default']);
  expect((await cardinal('logout')).stdout).toContain('profile "default" is gone');
  expect(await names()).toEqual(['ada']);
  expect((await cardinal('logout')).stderr).toBe('error: there is no profile "default"\n');
  expect((await refs([])).stderr).toContain('error: no token; "cardinal login" keeps one');
});

it('makes a readable file private, and reports a damaged one, or a token that has ended', async () => {
  const { cardinal, folder } = somebody();
  await cardinal('login', '--url', stack.origin, '--token', await tokenOf('kanban:read'));
  const file = join(folder, 'default.json');
  chmodSync(file, 0o644);
  const seen = await cardinal('profiles');
  expect(seen.stderr).toContain(`${file} could be read by others; now it has mode 600.`);
  expect(modeOf(file)).toBe('600');
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...kept, token_expires_at: '2026-01-01T00:00:00.000Z' }));
  const text = join(folder, 'text.md');
  writeFileSync(text, 'As in MAIN-1.');
  const ended = await cardinal('refs', text);
  expect([ended.code, ended.stderr]).toEqual([
    1,
    'error: the token of profile "default" ended at 2026-01-01T00:00:00.000Z; "cardinal login --profile default" takes a new one\n',
  ]);
  writeFileSync(file, '{"url":');
  expect((await cardinal('refs', text)).stderr).toBe(
    `error: ${file} is damaged; "cardinal login --profile default" writes it anew\n`,
  );
  for (const damaged of [
    { ...kept, url: 'nowhere' },
    { ...kept, renewal: 5 },
    { ...kept, token_expires_at: undefined },
  ]) {
    writeFileSync(file, JSON.stringify(damaged));
    expect((await cardinal('refs', text)).stderr).toMatch(/^error: .* is damaged; .*\n$/);
  }
  // The others are listed; what somebody else put there is none.
  writeFileSync(join(folder, 'other.json'), JSON.stringify(kept), { mode: 0o600 });
  writeFileSync(join(folder, 'default (copy).json'), JSON.stringify(kept), { mode: 0o600 });
  const listed = await cardinal('profiles');
  expect([listed.code, JSON.parse(listed.stdout).name, listed.stderr]).toEqual([
    1,
    'other',
    `${file} is damaged; "cardinal login --profile default" writes it anew\n`,
  ]);
  expect((await cardinal('login', '--url', stack.origin, '--token', await tokenOf('kanban:read'))).code).toBe(0);
  expect((await cardinal('profiles', '--profile', '../x')).code).toBe(0);
  expect((await cardinal('logout', '--profile', '../x')).stderr).toContain('not "../x"');
});
