import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchPath } from '@cardinal/servers';
import { headersOf, type Leg, type Load, prefix, type Shot } from './load.ts';
import type { System } from './systems.ts';

const execute = promisify(execFile);
const script = join(import.meta.dirname, 'wrk.lua');

/** `wrk`, where it is on the PATH: it takes a tenth of the CPU that a generator in JavaScript takes. */
export const wrk = searchPath()
  .map((folder) => join(folder, 'wrk'))
  .find(existsSync);

/** More than any system here answers. */
const writesASecond = 12_000;
const reads = 5_000;
const microseconds = 1_000;

/** A request as it goes over the wire, in one line. */
const lineOf = (system: System, shot: Shot): string => {
  const body = shot.body ? JSON.stringify(shot.body) : '';
  const headers = {
    host: new URL(system.baseUrl).host,
    ...headersOf(system, shot),
    ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const head = [
    `${shot.method} ${prefix}${shot.path} HTTP/1.1`,
    ...Object.entries(headers).map((pair) => pair.join(': ')),
  ];
  return [...head, '', body].join('\u0001');
};

/** Sends requests as `fire` does, all of which are made before the first one leaves. @throws Error where wrk fails */
export const fireWithWrk = async (program: string, system: System, { clients, seconds, next }: Load): Promise<Leg> => {
  const first = next();
  const count = first.method === 'GET' ? reads : writesASecond * seconds;
  const shots = [first, ...Array.from({ length: count - 1 }, next)];
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-wrk-'));
  try {
    const file = join(folder, 'requests');
    writeFileSync(file, `${shots.map((shot) => lineOf(system, shot)).join('\n')}\n`);
    const options = ['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '10s', '-s', script];
    const { stdout } = await execute(program, [...options, new URL(system.baseUrl).origin, '--', file]);
    const found = /^RESULT (.+)$/m.exec(stdout)?.[1];
    if (!found) throw new Error(`wrk said no result: ${stdout}`);
    const [requests = 0, duration = 0, p50 = 0, p99 = 0, refused = 0, broken = 0, cpuSeconds = 0] = found
      .split(' ')
      .map(Number);
    const repeated = first.method === 'GET' ? 0 : Math.max(requests - count, 0);
    const failures = Object.entries({ refused, broken, repeated }).filter(([, many]) => many > 0);
    return {
      requests,
      perSecond: requests / (duration / 1e6),
      p50: p50 / microseconds,
      p99: p99 / microseconds,
      failures: Object.fromEntries(failures),
      generatorMs: cpuSeconds * 1_000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
