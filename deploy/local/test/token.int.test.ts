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
  it('makes one key however many ask at once for the first time, and says that no running stack trusts it', async () => {
    const tokens = await Promise.all([token(), token()]);
    expect(new Set(tokens.map(({ stdout }) => stdout.split('.')[0])).size).toBe(1);
    expect(tokens.map(({ stderr }) => stderr)).toContain(
      `There was no signing key in ${join(state, 'keys')}: made one, for the next npm start there\n`,
    );
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

  it('names the setting that a longer time needs, and heeds it, and the first of several audiences', async () => {
    const refused = await token('--expires', '2d').catch((error) => error as { stderr: string });
    expect(refused.stderr).toContain('86400 seconds: start it with a longer TOKEN_MAX_LIFETIME_S');
    const settings = { TOKEN_MAX_LIFETIME_S: '172800', TOKEN_AUDIENCE: 'work, api://work' };
    const { iat = 0, exp = 0, aud } = decodeJwt((await tokenWith(settings, '--expires', '2d')).stdout.trim());
    expect([exp - iat, aud]).toEqual([172_800, 'work']);
  });

  it('prints none where the gateway takes those of other keys', async () => {
    const refused = await tokenWith({ JWKS_URL: 'https://issuer.example/jwks' }).catch((error) => error);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe(
      'The gateway takes tokens signed with the keys of JWKS_URL, none of the development key\n',
    );
  });
});
