import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder, sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { runHere } from '../run-cli.ts';
import { startIssuer } from './issuer.ts';

const stack = await sharedStack();
const folderOfSomebody = () => join(scratchFolder('config'), 'profiles');

const login = (issuer: string, profiles: string, url = stack.origin, more: string[] = []) =>
  runHere(
    ['login', '--url', url, '--issuer', issuer, '--client-id', 'cardinal-cli', '--audience', 'cardinal', ...more],
    {},
    '/',
    { profiles },
  );

describe('a login that is confirmed in a browser', { timeout: 30_000 }, () => {
  it('shows the code, waits as long as the issuer asks, and renews the token when it has ended', async () => {
    const profiles = folderOfSomebody();
    const [first, second] = await Promise.all(['first', 'second'].map(() => stack.token({ scope: 'kanban:read' })));
    const { issuer, asked, tokenRequests } = await startIssuer([
      { error: 'authorization_pending' },
      { error: 'slow_down' },
      { access_token: first ?? '', refresh_token: 'refresh-1' },
      { access_token: second ?? '', refresh_token: 'refresh-2' },
      { error: 'invalid_grant' },
    ]);
    const { code, stdout, stderr } = await login(issuer, profiles);
    expect([code, stderr]).toEqual([0, `Open ${issuer}/activate and enter the code BCDF-GHJK\n`]);
    expect(stdout).toContain('then it is renewed by itself');
    const scope = 'openid offline_access kanban:read kanban:write';
    expect(asked.find(({ path }) => path === '/device')?.form).toMatchObject({ audience: 'cardinal', scope });
    const polls = tokenRequests();
    expect(polls.map(({ form }) => form.device_code)).toEqual(Array(3).fill('secret-of-the-device'));
    // `slow_down` adds five seconds to the interval of one (RFC 8628, section 3.5).
    expect((polls[2]?.at ?? 0) - (polls[1]?.at ?? 0)).toBeGreaterThan(5_900);

    const file = join(profiles, 'default.json');
    const end = () => {
      const kept = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...kept, token_expires_at: '2026-01-01T00:00:00.000Z' }));
    };
    end();
    const text = join(profiles, 'text.md');
    writeFileSync(text, 'As in MAIN-1.');
    const refs = () => runHere(['refs', text], {}, '/', { profiles });
    expect((await refs()).stdout).toContain('MAIN-1');
    expect(tokenRequests().at(-1)?.form).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'refresh-1' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      token: second,
      renewal: { issuer, client_id: 'cardinal-cli', refresh_token: 'refresh-2' },
    });
    expect((await runHere(['profiles'], {}, '/', { profiles })).stdout).not.toMatch(/refresh-|eyJ/);
    end();
    expect((await refs()).stderr).toMatch(
      /^error: the login of profile "default" has ended \(invalid_grant\); "cardinal login --profile default --issuer.*\n$/,
    );
  });

  it('says in a line that it was declined, came too late, or cannot be', async () => {
    const profiles = folderOfSomebody();
    const said = async (issuer: string) => (await login(issuer, profiles)).stderr.split('\n').at(-2);
    const declined = await startIssuer([{ error: 'access_denied' }]);
    expect(await said(declined.issuer)).toBe('error: the login was declined in the browser');
    const late = 'error: nobody confirmed the login while its code was valid; "cardinal login" starts another one';
    expect(await said((await startIssuer([{ error: 'expired_token' }])).issuer)).toBe(late);
    expect(await said((await startIssuer([], { expiresIn: 2 })).issuer)).toBe(late);
    const { issuer } = await startIssuer([], { hasDeviceFlow: false });
    expect(await said(issuer)).toContain(`error: ${issuer} has no device flow; get a token in another way`);
    expect(await said(stack.origin)).toMatch(/^error: \S+ is no issuer that can be asked: /);
    expect(await said('http://127.0.0.1:2')).toMatch(/^error: http:\S+ is no issuer that can be asked: .*ECONNREFUSED/);
    const stranger = await startIssuer([{ access_token: 'opaque' }]);
    expect(await said(stranger.issuer)).toMatch(/^error: the token was not accepted/);
    expect(await runHere(['login', '--issuer', 'x'], {}, '/', { profiles })).toMatchObject({ code: 2 });
  });

  it('names the service that the token is for, with each token', async () => {
    const profiles = folderOfSomebody();
    const token = await stack.token({ scope: 'kanban:read' });
    const resource = 'https://cardinal.example/mcp';
    const issuer = await startIssuer([
      { access_token: token, refresh_token: 'refresh-1' },
      { access_token: token, refresh_token: 'refresh-2' },
    ]);
    expect((await login(issuer.issuer, profiles, stack.origin, ['--resource', resource])).code).toBe(0);
    const file = join(profiles, 'default.json');
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...kept, token_expires_at: '2026-01-01T00:00:00.000Z' }));
    expect((await runHere(['boards', 'list'], {}, '/', { profiles })).code).toBe(0);
    const forms = issuer.asked.filter(({ path }) => path === '/device' || path === '/token').map(({ form }) => form);
    expect(forms.map((form) => form.resource)).toEqual(Array(3).fill(resource));
  });

  it('leaves no refresh token alive where the service does not take the token', async () => {
    const profiles = folderOfSomebody();
    const answer = { access_token: 'opaque', refresh_token: 'refresh-1' };
    for (const url of [stack.origin, 'http://127.0.0.1:9']) {
      const { issuer, asked } = await startIssuer([answer], { revoked: 200 });
      const { code, stderr } = await login(issuer, profiles, url);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/error: (the token was not accepted|no answer from)/)]);
      expect(asked.at(-1)).toMatchObject({ path: '/revoke', form: { token: 'refresh-1' } });
      expect(existsSync(join(profiles, 'default.json'))).toBe(false);
    }
    const { issuer } = await startIssuer([answer]);
    expect((await login(issuer, profiles)).stderr).toContain(
      `its refresh token stays good for whoever has a copy, until it ends: ${issuer} has no way to revoke it\n`,
    );
  });
});
