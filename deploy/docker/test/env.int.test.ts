import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readText } from './compose-file.ts';

/** A checkout that has the script, and what the script writes there. */
const checkout = () => {
  const folder = scratchFolder('env');
  mkdirSync(join(folder, 'deploy/docker'), { recursive: true });
  for (const one of ['deploy/docker/env.sh', 'docker-compose.yml']) cpSync(join(repository, one), join(folder, one));
  const file = join(folder, '.env');
  const run = (...words: string[]) => {
    execFileSync('sh', ['deploy/docker/env.sh', ...words], { cwd: folder, stdio: 'pipe' });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  };
  return { file, run };
};

it('makes a secret of its own for everything, which only its owner can read', () => {
  const { file, run } = checkout();
  const made = run();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const secrets = Object.entries(made).filter(([name]) => /PASSWORD|SECRET|_KEY/.test(name));
  const wanted = [...readText('docker-compose.yml').matchAll(/\$\{(\w+):?\?/g)].map(([, name = '']) => name);
  expect(Object.keys(made)).toEqual(expect.arrayContaining(wanted));
  expect(secrets.length).toBeGreaterThan(10);
  expect(new Set(secrets.map(([, value]) => value)).size).toBe(secrets.length);
  for (const [, value] of secrets) expect(value).toMatch(/^s[0-9a-f]{48}$/);
  const usual = { COMPOSE_PROFILES: 'apart', CARDINAL_LISTEN: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:8081' };
  expect(made).toMatchObject(usual);
});

it('keeps its values, and changes the address of clients where one is given', () => {
  const { run } = checkout();
  const first = run();
  expect(run()).toEqual(first);
  const opened = { ...first, CARDINAL_LISTEN: '0.0.0.0', PUBLIC_URL: 'http://192.0.2.10:8081' };
  expect(run('192.0.2.10')).toEqual(opened);
  expect(run()).toEqual(opened);
});

it('makes what a file of an earlier version lacks, and keeps what is there, an operator key that is empty too', () => {
  const { file, run } = checkout();
  const made = run();
  const lacking = ['ACCESS_DATABASE_PASSWORD', 'ACCESS_NATS_PASSWORD', 'OPERATOR_KEY'];
  const kept = Object.entries(made).filter(([name]) => !lacking.includes(name));
  const write = (lines: [string, string][]) =>
    writeFileSync(file, lines.map(([name, value]) => `${name}=${value}\n`).join(''));
  write(kept);
  const again = run();
  expect(again).toMatchObject(Object.fromEntries(kept));
  for (const name of lacking) expect(again[name]).toMatch(/^s[0-9a-f]{48}$/);
  write([...kept, ['OPERATOR_KEY', '']]);
  expect(run().OPERATOR_KEY).toBe('');
});

it('completes another file, as a restore of an older backup needs', () => {
  const { file, run } = checkout();
  const other = `${file}.restoring`;
  writeFileSync(other, 'POSTGRES_PASSWORD=kept\n');
  vi.stubEnv('ENV_FILE', '.env.restoring');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => run()).toThrow('ENOENT');
  const lines = readFileSync(other, 'utf8');
  expect(lines).toMatch(/^POSTGRES_PASSWORD=kept\n(.*\n)*ACCESS_DATABASE_PASSWORD=s/);
  expect(lines).toContain('COMPOSE_PROFILES=apart');
});

it.each([
  ['COMPOSE_PROFILES=metrics', 'apart,metrics'],
  ['COMPOSE_PROFILES=', 'apart'],
  ['COMPOSE_PROFILES=together,metrics', 'together,metrics'],
])('has services run one way or the other: %s', (line, profiles) => {
  const { file, run } = checkout();
  writeFileSync(file, `CARDINAL_PORT=9000\n${line}\n`);
  expect(run()).toMatchObject({ CARDINAL_PORT: '9000', COMPOSE_PROFILES: profiles });
});
