import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ApiKeyWithText, createClient } from '@cardinal/client/source';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runHere, startCli } from './run-cli.ts';

const stack = await sharedStack();

/** A new user, with a token. */
const somebody = async (scope = 'kanban:admin') => {
  const [workspace, user] = [randomUUID(), randomUUID()];
  const token = await stack.token({ workspace, user, scope });
  const client = createClient({ baseUrl: stack.origin, token });
  const keys = (...args: string[]) => runHere(['keys', ...args], { url: stack.origin, token });
  return { workspace, user, token, client, keys };
};

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** A key of a new user; where `days` is named it ends then. */
const newKey = async (days?: number): Promise<ApiKeyWithText & { key: string }> => {
  const { client } = await somebody();
  const made = await client.keys.create({
    name: 'laptop',
    scope: 'kanban:write',
    ...(days === undefined ? {} : { expires_at: inDays(days) }),
  });
  return { ...made, key: made.key ?? '' };
};

const boards = (token: string, url = stack.origin) => runHere(['boards', 'list'], { url, token });

describe('cardinal keys', () => {
  it('creates a key, whose text is shown once, rotates and revokes it', async () => {
    const { keys, user } = await somebody();
    const said = ['create', '--name', 'laptop', '--scope', 'kanban:read', '--idempotency-key', 'one'];
    const made = await keys(...said);
    expect([made.code, made.stderr]).toEqual([0, 'the key is shown this once; nobody keeps it\n']);
    const { key, ...shown } = JSON.parse(made.stdout);
    expect(shown).toMatchObject({ name: 'laptop', user_id: user, state: 'active' });
    expect((await boards(key)).code).toBe(0);
    const again = await keys(...said);
    expect(JSON.parse(again.stdout).key).toBeNull();
    expect(again.stderr).toBe('done before under this idempotency key: nothing was done anew\n');

    const rotated = await keys('rotate', shown.id, '--grace-seconds', '3600');
    expect(rotated.stderr).toBe('the key is shown this once; nobody keeps it\n');
    const { key: next } = JSON.parse(rotated.stdout);
    expect([(await boards(key)).code, (await boards(next)).code]).toEqual([0, 0]);

    expect((await keys('list')).stdout + (await keys('get', shown.id)).stdout).not.toContain('cardinal_');
    expect(await keys('revoke', shown.id)).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse((await keys('get', shown.id)).stdout).state).toBe('revoked');
    await expect.poll(async () => (await boards(next)).code).toBe(1);
  });

  it('makes keys of another user, lists these, and revokes all of them', async () => {
    const { keys } = await somebody();
    const machine = randomUUID();
    const create = ['create', '--name', 'ci', '--scope', 'kanban:read', '--user', machine];
    expect([await keys(...create, '--expires-at', inDays(1)), await keys(...create)]).toMatchObject([
      { code: 0 },
      { code: 0 },
    ]);
    const own = await keys('list', '--user', 'me');
    expect([own.stdout, own.stderr]).toEqual(['', 'none found\n']);
    expect((await keys('list', '--user', machine)).stdout.trim().split('\n')).toHaveLength(2);
    expect(JSON.parse((await keys('revoke-of-user', '--user', machine)).stdout)).toEqual({ revoked: 2 });
  });

  it('completes its commands and options', async () => {
    const { token } = await somebody();
    const completed = async (...words: string[]) =>
      (await runHere(['complete', 'zsh', '--', 'keys', ...words], { url: stack.origin, token })).stdout
        .split('\n')
        .map((line) => line.split('\t')[0]);
    expect(await completed('')).toEqual(
      expect.arrayContaining(['create', 'list', 'get', 'rotate', 'revoke', 'revoke-of-user']),
    );
    expect(await completed('create', '--')).toEqual(
      expect.arrayContaining(['--name', '--scope', '--user', '--expires-at']),
    );
    expect(await completed('rotate', '--gr')).toContain('--grace-seconds');
    expect(await completed('create', '--scope', 'kanban:a')).toContain('kanban:admin');
  });
});

describe('a key in the place of a token', () => {
  it('is kept by login, which shows its name and its end', async () => {
    const profiles = scratchFolder('profiles');
    const run = (...args: string[]) => runHere(args, {}, '/', { profiles });
    const { key, id, expires_at } = await newKey(30);
    const { code, stdout, stderr } = await run('login', '--url', stack.origin, '--token', key);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\nkey        laptop\nends       ${expires_at} (30 days)\n`);
    const listed = await run('profiles');
    expect(JSON.parse(listed.stdout)).toMatchObject({ token_expires_at: expires_at, api_key: { name: 'laptop' } });
    expect(stdout + listed.stdout).not.toContain(key);
    expect((await run('boards', 'list')).code).toBe(0);

    // One without an end.
    const file = join(profiles, 'default.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), token_expires_at: null }));
    expect((await run('boards', 'list')).code).toBe(0);
    expect(JSON.parse((await run('profiles')).stdout).token_expires_at).toBeNull();
    expect((await run('logout')).stdout).toContain(`its API key stays valid until "cardinal keys revoke ${id}"`);
  });

  it('is refused before it is sent where it was copied in part, and is repeated in no error', async () => {
    const { key, id } = await newKey();
    const profiles = scratchFolder('profiles');
    const none = 'error: the API key is none: it was copied in part, or has a wrong letter\n';
    for (const token of [key.slice(0, -1), `${key}x`, key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))]) {
      expect((await runHere(['login', '--url', stack.origin, '--token', token], {}, '/', { profiles })).stderr).toBe(
        none,
      );
      expect((await boards(token)).stderr).toBe(none);
    }
    const page = createServer((_request, response) => response.end('<html>It works!</html>'));
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void page.close());
    const elsewhere = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    await createClient({ baseUrl: stack.origin, token: key }).keys.revoke(id);
    await expect.poll(async () => (await boards(key)).code).toBe(1);
    const places = [stack.origin, elsewhere, 'http://127.0.0.1:2'];
    const lines = [['boards', 'list', '--json'], ['api', 'GET', 'me'], ['events'], ['login']];
    for (const url of places) {
      for (const args of lines) {
        const { code, stdout, stderr } = await runHere([...args, '--token', key], { url }, '/', { profiles });
        expect([code, stdout + stderr]).toEqual([1, expect.not.stringContaining(key)]);
      }
    }
    expect((await boards(key)).stderr).toMatch(/^error: the token was not accepted, .*revoked API key/);
  });

  it('warns once that it ends soon, on standard error', async () => {
    const { key, expires_at } = await newKey(6);
    const warning = `warning: the API key ends at ${expires_at}; before that, make another with "cardinal keys create" and a token or a key that ends later, or ask the operator for one\n`;
    const access = { url: stack.origin, token: key };
    const warned = (...args: string[]) => runHere(args, access);
    await createClient({ baseUrl: stack.origin, token: key }).boards.create({ name: 'Launch' });
    // Several requests.
    const listed = await warned('columns', 'list', 'Launch', '--json');
    expect([listed.stderr, listed.stdout]).toEqual([expect.stringContaining(warning), '']);
    expect(listed.stderr.split('warning:')).toHaveLength(2);
    expect((await warned('api', 'GET', 'boards')).stderr).toBe(warning);
    expect((await warned('login', '--profile', 'x')).stderr).not.toContain(key);
    const folder = scratchFolder('export');
    expect((await warned('export', join(folder, 'all'))).stderr.split('warning:')).toHaveLength(2);
    const text = join(folder, 'text.md');
    writeFileSync(text, 'As in MAIN-7.');
    expect((await warned('refs', text)).stderr).toContain(warning);
    expect((await warned('hook', 'commit-msg', text)).stderr).toContain(warning);
    expect((await warned('complete', 'bash', '--', 'columns', 'list', '')).stderr).toBe('');
  });

  it('is not warned of before', async () => {
    const { key } = await newKey(15);
    expect((await boards(key)).stderr).toBe('none found\n');
  });

  it('is not written into the journal of an import', async () => {
    const { key } = await newKey(6);
    const rows = join(scratchFolder('rows'), 'rows.csv');
    writeFileSync(rows, 'title\nRefunds fail\n');
    const run = startCli(['import', rows, '--apply'], { url: stack.origin, token: key });
    run.input.end();
    const { code, stdout, stderr } = await run.ended;
    expect([code, stderr.split('warning:').length]).toEqual([0, 2]);
    const files = ['journal.jsonl', 'mapping.json'].map((name) => readFileSync(join(`${rows}.import`, name), 'utf8'));
    expect([stdout, stderr, ...files].join('\n')).not.toContain('cardinal_');
  });
});
