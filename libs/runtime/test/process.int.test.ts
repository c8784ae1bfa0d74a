import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { logLines, runProgram } from './run-program.ts';

const config = new URL('./programs/config.ts', import.meta.url);
const failpoint = new URL('./programs/failpoint.ts', import.meta.url);
const fullDisk = new URL('./programs/full-disk.ts', import.meta.url);
const log = new URL('./programs/log.ts', import.meta.url);
const lifecycle = new URL('./programs/lifecycle.ts', import.meta.url);

describe('loadConfig', () => {
  it('reads the environment', async () => {
    const env = { PORT: '80', NATS_URL: 'nats://127.0.0.1:4222', LOG_LEVEL: '' };
    const { stdout, code } = await runProgram(config, { env }).closed;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ PORT: 80, NATS_URL: 'nats://127.0.0.1:4222', LOG_LEVEL: 'info' });
  });

  it('prints every problem with the purpose of the variable, never a value, and exits 1', async () => {
    const { stderr, code } = await runProgram(config, { env: { PORT: 'secret-value', NATS_URL: '' } }).closed;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^PORT: /m);
    expect(stderr).toMatch(/^NATS_URL: is missing \(Where the broker is\)$/m);
    expect(stderr).not.toContain('secret-value');
  });
});

describe('createLogger', () => {
  it('writes JSON where stdout is no terminal', async () => {
    const { stdout } = await runProgram(log).closed;
    expect(logLines(stdout)).toMatchObject([{ service: 'test', line: 1, msg: 'hello' }]);
  });

  // util-linux's `script` runs a program in a terminal; BSD's takes other options.
  it.skipIf(process.platform !== 'linux')('writes lines for a person on a terminal', () => {
    const command = `'${process.execPath}' '${fileURLToPath(log)}'`;
    const shown = execFileSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      encoding: 'utf8',
    });
    expect(shown).toMatch(/INFO.*hello.*"line":1/s);
    expect(shown).not.toMatch(/^\{/);
  });
});

describe.skipIf(!existsSync('/dev/full'))('createLogger on a full disk', () => {
  it('loses lines, and its callers continue', async () => {
    const full = openSync('/dev/full', 'w');
    const { stderr, code } = await runProgram(fullDisk, { stdout: full }).closed;
    closeSync(full);
    expect({ stderr, code }).toEqual({ stderr: 'alive', code: 0 });
  });
});

describe('failpoint', () => {
  it('kills the process where it is armed, and only there', async () => {
    const { stdout, signal } = await runProgram(failpoint).closed;
    expect({ stdout, signal }).toEqual({ stdout: 'alive', signal: 'SIGKILL' });
  });
});

describe('lifecycle', () => {
  const up = async (program: ReturnType<typeof runProgram>) =>
    vi.waitFor(() => expect(program.output.stdout).toContain('"up"'), { timeout: 60_000 });
  const steps = (stdout: string) =>
    logLines(stdout)
      .map((line) => String(line.msg))
      .filter((message) => /^(start|stop) /.test(message));

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops in reverse order on %s, past a part that fails, and exits 0',
    async (signal) => {
      const program = runProgram(lifecycle);
      await up(program);
      program.child.kill(signal);
      const { stdout, code } = await program.closed;
      expect(steps(stdout)).toEqual(['start pool', 'start bus', 'start http', 'stop http', 'stop bus', 'stop pool']);
      expect(logLines(stdout)).toContainEqual(expect.objectContaining({ part: 'bus', level: 'error' }));
      expect(code).toBe(0);
    },
  );

  it('does not wait for a hanging part beyond the time limit', async () => {
    const program = runProgram(lifecycle, { args: ['hang'] });
    await up(program);
    program.child.kill('SIGTERM');
    const { stdout, code } = await program.closed;
    expect(code).toBe(1);
    expect(stdout).toContain('stopping took too long');
  });

  it('stops the started parts where the signal arrives while another one starts', async () => {
    const program = runProgram(lifecycle, { args: ['slow'] });
    await up(program);
    program.child.kill('SIGTERM');
    const { stdout, code } = await program.closed;
    expect(steps(stdout).slice(3)).toEqual(['stop http', 'stop bus', 'stop pool']);
    expect(code).toBe(0);
  });

  it.each(['throw', 'reject', 'start'])('logs an uncaught error (%s), stops and exits 1', async (how) => {
    const { stdout, code } = await runProgram(lifecycle, { args: [how] }).closed;
    expect(code).toBe(1);
    expect(logLines(stdout)).toContainEqual(expect.objectContaining({ level: 'fatal', msg: 'an uncaught error' }));
    expect(steps(stdout).slice(3)).toEqual(['stop http', 'stop bus', 'stop pool']);
  });
});
