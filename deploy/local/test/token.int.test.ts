import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchFolder } from '@cardinal/testkit';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../src/index.ts';

const run = promisify(execFile);
let state: string;
beforeAll(() => {
  state = scratchFolder('state');
});

const token = (...args: string[]) =>
  run(process.execPath, [join(repository, 'deploy/local/src/token.ts'), ...args], { env: { CARDINAL_STATE: state } });

describe('npm run token', () => {
  it('prints one token and nothing else', async () => {
    const workspace = '11111111-1111-4111-8111-111111111111';
    const user = '22222222-2222-4222-8222-222222222222';
    const words = ['--workspace', workspace, '--user', user, '--scope', 'kanban:read', '--expires', '2h'];
    const { stdout, stderr } = await token(...words);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(stderr).toBe('');
    const { iat = 0, exp = 0, ...claims } = decodeJwt(stdout.trim());
    expect(claims).toMatchObject({ workspace_id: workspace, sub: user, scope: 'kanban:read' });
    expect(exp - iat).toBe(7200);
  });

  it.each([
    ['--workspace', 'acme'],
    ['--user', '1'],
    ['--scope', 'kanban:everything'],
    ['--scope', ' '],
    ['--expires', 'soon'],
  ])('refuses %s "%s" in one line', async (option, value) => {
    const refused = await token(option, value).catch(
      (error) => error as { code: number; stdout: string; stderr: string },
    );
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('makes one key however many ask at once for the first time', async () => {
    state = scratchFolder('state');
    const tokens = await Promise.all([token(), token(), token()]);
    const headers = tokens.map(({ stdout }) => stdout.split('.')[0]);
    expect(new Set(headers).size).toBe(1);
  });
});
