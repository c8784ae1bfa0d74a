import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '@cardinal/servers';
import { compileCache, scratchFolder } from '@cardinal/testkit';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
let state: string;
beforeAll(() => {
  state = scratchFolder('state');
});

const tokenWith = (env: Record<string, string>, ...args: string[]) =>
  run(process.execPath, [join(repository, 'deploy/local/src/token.ts'), ...args], {
    env: { ...compileCache, CARDINAL_STATE: state, ...env },
  });
const token = (...args: string[]) => tokenWith({}, ...args);

describe('npm run token', () => {
  it('says that it made the key, which no running stack trusts', async () => {
    const { stderr } = await token();
    expect(stderr).toBe(`There was no signing key in ${join(state, 'keys')}: made one, for the next npm start there\n`);
  });

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

  it('names the setting that a longer time needs, and heeds it', async () => {
    const refused = await token('--expires', '2d').catch((error) => error as { stderr: string });
    expect(refused.stderr).toContain('86400 seconds: start it with a longer TOKEN_MAX_LIFETIME_S');
    const { stdout } = await tokenWith({ TOKEN_MAX_LIFETIME_S: '172800' }, '--expires', '2d');
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  it.each([
    ['JWKS_URL', 'https://issuer.example/jwks'],
    ['JWKS_FILE', '/etc/jwks.json'],
    ['TOKEN_ISSUER', 'https://issuer.example'],
  ])('prints none where %s names other keys', async (name, value) => {
    const refused = await tokenWith({ [name]: value }).catch((error) => error);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `The gateway takes tokens signed with the keys of ${name}, none of the development key\n`,
    );
  });

  it('is for the first of several audiences', async () => {
    const { stdout } = await tokenWith({ TOKEN_AUDIENCE: 'work, api://work' });
    expect(decodeJwt(stdout.trim()).aud).toBe('work');
  });

  it('makes one key however many ask at once for the first time', async () => {
    state = scratchFolder('state');
    const tokens = await Promise.all([token(), token(), token()]);
    const headers = tokens.map(({ stdout }) => stdout.split('.')[0]);
    expect(new Set(headers).size).toBe(1);
  });
});
