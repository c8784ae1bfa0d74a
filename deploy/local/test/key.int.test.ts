import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { freePort, repository } from '@cardinal/servers';
import { compileCache, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoUser, demoWorkspace } from '../src/demo.ts';
import { look, promised, run } from './npm-start.ts';

interface Printed {
  code?: number;
  stdout: string;
  stderr: string;
}

const keyOf = (state: string, ...args: string[]): Promise<Printed> => keyWith({ CARDINAL_STATE: state }, ...args);
const keyWith = (env: Record<string, string>, ...args: string[]): Promise<Printed> =>
  promisify(execFile)(process.execPath, [join(repository, 'deploy/local/src/key.ts'), ...args], {
    env: { ...compileCache, ...env },
  }).catch((error) => error);

describe('npm run key', () => {
  it('prints a key of the demo workspace and nothing else, and in one line why there is none', async () => {
    const state = scratchFolder('state');
    const stack = run(state, await freePort());
    const { url } = await promised(stack);
    expect(stack.out()).toMatch(/^Make an API key for the demo workspace: .*npm run --silent key -- --name laptop/m);
    const { stdout, stderr, code } = await keyOf(state);
    expect([code, stderr]).toEqual([undefined, '']);
    expect(stdout).toMatch(/^cardinal_[0-9A-Za-z]{71}\n$/);
    const token = stdout.trim();
    expect((await look({ token, url })).data.is_alias).toBe(true);
    const meOf = async (bearer: string) => {
      const { origin } = new URL(url);
      const answer = await fetch(`${origin}/api/kanban/v1/me`, { headers: { authorization: `Bearer ${bearer}` } });
      return ((await answer.json()) as { data: object }).data;
    };
    expect(await meOf(token)).toMatchObject({
      ...{ workspace_id: demoWorkspace, user_id: demoUser, scopes: ['kanban:read', 'kanban:write'] },
      api_key: { name: hostname() },
    });

    const [workspace, user] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    const words = ['--name', 'ci', '--scope', 'kanban:admin', '--workspace', workspace, '--user', user];
    const other = await keyOf(state, ...words);
    expect(await meOf(other.stdout.trim())).toMatchObject({
      ...{ workspace_id: workspace, user_id: user, scopes: ['kanban:read', 'kanban:write', 'kanban:admin'] },
      api_key: { name: 'ci' },
    });

    const refused = await keyOf(state, '--expires-at', '2020-01-01T00:00:00Z');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: '--expires-at must be in the future\n' });
  });

  it.each([
    [[], 'Cardinal does not run here; start it with "npm start"\n'],
    [['--scope', 'kanban:everything'], /^error: .*kanban:everything.*\n$/],
    [['--workspace', 'acme'], /^error: .*It is not a uuid\.\n$/],
    [['laptop'], /^error: too many arguments.*\n$/],
  ])('prints none for %j where no stack runs', async (args, why) => {
    const refused = await keyOf(scratchFolder('state'), ...args);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    if (typeof why === 'string') expect(refused.stderr).toBe(why);
    else expect(refused.stderr).toMatch(why);
  });

  it('asks a stack elsewhere, with its operator key', async () => {
    const asked: unknown[] = [];
    const server = createServer(async (request, response) => {
      asked.push([request.url, request.headers.authorization, JSON.parse(await text(request))]);
      response.end(JSON.stringify({ data: { key: 'cardinal_text' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const API_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/kanban/v1`;
    const [OPERATOR_KEY, CARDINAL_STATE] = ['o'.repeat(32), scratchFolder('state')];
    const words = ['--name', 'laptop', '--scope', 'kanban:admin'];
    const printed = await keyWith({ API_URL, OPERATOR_KEY, CARDINAL_STATE }, ...words);
    expect(printed).toEqual({ stdout: 'cardinal_text\n', stderr: '' });
    const body = { name: 'laptop', scope: 'kanban:admin', workspace_id: demoWorkspace, user_id: demoUser };
    expect(asked).toEqual([['/api/kanban/v1/operator/api-keys', `Bearer ${OPERATOR_KEY}`, body]]);
    expect(await keyWith({ API_URL, CARDINAL_STATE }, ...words)).toMatchObject({
      code: 1,
      stderr: 'OPERATOR_KEY is not set: give it the one that the gateway has\n',
    });
  });
});
