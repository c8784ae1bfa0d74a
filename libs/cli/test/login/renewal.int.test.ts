import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { findAccess } from '../../src/login/access.ts';
import { runHere, startCli } from '../run-cli.ts';
import { rotating, startIssuer } from './issuer.ts';

const stack = await sharedStack();
const token = await stack.token();
const text = 'As in MAIN-1.';

/** A user whose token has ended, with the refresh token `refresh-0` of an issuer. */
const somebody = (issuer: string, url = stack.origin) => {
  const config = scratchFolder('config');
  const folder = join(config, 'cardinal/profiles');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'default.json');
  const renewal = { issuer, client_id: 'cardinal-cli', refresh_token: 'refresh-0' };
  const profile = { url, token: 'ended', token_expires_at: '2026-01-01T00:00:00.000Z', renewal };
  writeFileSync(file, JSON.stringify(profile), { mode: 0o600 });
  const environment = { url: undefined, token: undefined, directory: '/', profiles: folder };
  return { config, folder, file, environment, kept: () => JSON.parse(readFileSync(file, 'utf8')) };
};

const tokenOf = ({ environment }: ReturnType<typeof somebody>) => {
  const { token: given } = findAccess({}, environment);
  return typeof given === 'function' ? given : () => given;
};

it('has one of several commands renew a token, where a second renewal would end the login', async () => {
  const { issuer, tokenRequests } = await startIssuer(rotating(token));
  const ada = somebody(issuer);
  // All have read the profile, and one of them is asked for its token twice at once.
  const [first, ...others] = Array.from({ length: 5 }, () => tokenOf(ada));
  const tokens = await Promise.all([first, first, ...others].map((ask) => ask?.()));
  expect(tokens).toEqual(Array(6).fill(token));
  expect(tokenRequests()).toHaveLength(1);
  expect(ada.kept()).toMatchObject({ token, renewal: { refresh_token: 'refresh-1' } });
  expect(readdirSync(ada.folder)).toEqual(['default.json']);
});

it('has one of several processes renew it', { timeout: 30_000 }, async () => {
  const { issuer, tokenRequests } = await startIssuer(rotating(token));
  const ada = somebody(issuer);
  const runs = [1, 2, 3, 4].map(() => startCli(['refs'], { url: '', token: '' }, [], { XDG_CONFIG_HOME: ada.config }));
  // Nobody has asked for a token yet, and more than a pipe holds has been read: all of them run.
  const padding = `${' '.repeat(79)}\n`.repeat(10_000);
  await Promise.all(runs.map(({ input }) => new Promise((resolve) => input.write(padding, resolve))));
  for (const { input } of runs) input.end(text);
  for (const { code, stdout, stderr } of await Promise.all(runs.map(({ ended }) => ended))) {
    expect([stderr, code]).toEqual(['error: never existed: MAIN-1\n', 1]);
    expect(JSON.parse(stdout)).toMatchObject({ requested: 'MAIN-1', card: null });
  }
  expect(tokenRequests()).toHaveLength(1);
});

it('keeps the new refresh token where nothing but the issuer answered', async () => {
  const { issuer, tokenRequests } = await startIssuer(rotating(token));
  const ada = somebody(issuer, 'http://127.0.0.1:2');
  const list = () => runHere(['boards', 'list'], {}, '/', ada.environment);
  expect((await list()).stderr).toContain('no answer from http://127.0.0.1:2');
  expect(ada.kept().renewal.refresh_token).toBe('refresh-1');
  writeFileSync(ada.file, JSON.stringify({ ...ada.kept(), url: stack.origin }));
  expect(await list()).toMatchObject({ code: 0, stderr: 'none found\n' });
  expect(tokenRequests().map(({ form }) => form.refresh_token)).toEqual(['refresh-0', 'refresh-1']);
});

it('renews nothing for a profile that is gone or another one since the command began, and says why an issuer is of no use', async () => {
  const { issuer, tokenRequests } = await startIssuer(rotating(token));
  const ada = somebody(issuer);
  const ask = tokenOf(ada);
  writeFileSync(ada.file, JSON.stringify({ ...ada.kept(), url: 'https://other.example' }));
  await expect(async () => ask()).rejects.toThrow('profile "default" is another one since the command began, or gone');
  expect(tokenRequests()).toEqual([]);
  await expect(async () => tokenOf(somebody('http://127.0.0.1:2'))()).rejects.toThrow(
    /is no issuer that can be asked: .*ECONNREFUSED/,
  );
});

it('has the issuer revoke the refresh token at logout, and removes the profile where it does not, too', async () => {
  const logout = async (issuer: string) => {
    const ada = somebody(issuer);
    const ended = await runHere(['logout'], {}, '/', ada.environment);
    expect(readdirSync(ada.folder)).toEqual([]);
    return ended;
  };
  const { issuer, asked } = await startIssuer([], { revoked: 200 });
  expect(await logout(issuer)).toEqual({
    code: 0,
    stdout: 'Logged out: profile "default" is gone, its refresh token is revoked; its token ends by itself\n',
    stderr: '',
  });
  expect(asked.at(-1)).toMatchObject({
    path: '/revoke',
    form: { client_id: 'cardinal-cli', token: 'refresh-0', token_type_hint: 'refresh_token' },
  });
  const stdout = 'Logged out: profile "default" is gone; its token ends by itself\n';
  const stays = 'its refresh token stays good for whoever has a copy, until it ends: ';
  const { issuer: unable } = await startIssuer([]);
  expect(await logout(unable)).toEqual({ code: 0, stdout, stderr: `${stays}${unable} has no way to revoke it\n` });
  const { issuer: refusing } = await startIssuer([], { revoked: 400 });
  const refusal = `${stays}${refusing} refused: unsupported_token_type\n`;
  expect(await logout(refusing)).toEqual({ code: 1, stdout, stderr: refusal });
  const away = await logout('http://127.0.0.1:2');
  expect(away).toMatchObject({ code: 1, stdout });
  expect(away.stderr).toMatch(new RegExp(`^${stays}http://127.0.0.1:2 is no issuer that can be asked: .*ECONNREFUSED`));
});
