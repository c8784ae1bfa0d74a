import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const onLinux = process.platform === 'linux';
/** How often it is looked: a process can fill some 100 MB meanwhile. Elsewhere than on Linux a look takes a process, ms. */
const lookMs = onLinux ? 25 : 250;

/** Memory of a process that is in use, bytes, whichever library allocated it, and swapped out or not; 0 once it is gone. */
const residentBytes = async (pid: number): Promise<number> => {
  if (onLinux) {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    const kibibytes = status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+) kB$/gm);
    return [...kibibytes].reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '0' }));
  return Number(stdout) * 1024;
};

/**
 * Watches the memory of a process. V8's own limit does not count what native libraries allocate; the limits of the
 * system count addresses that are only reserved, or are not kept at all (macOS).
 * @param pid of a process that started; undefined for one that did not
 * @param exceed called once, where the process holds more
 */
export const watchMemory = (pid: number | undefined, mostBytes: number, exceed: () => void): { stop(): void } => {
  const over = new AbortController();
  const watch = async (of: number) => {
    // Where the system itself runs out of memory, it takes this process and not ours.
    if (onLinux) await writeFile(`/proc/${of}/oom_score_adj`, '1000').catch(() => {});
    while (!over.signal.aborted) {
      if ((await residentBytes(of)) > mostBytes) {
        exceed();
        return;
      }
      await pause(lookMs, undefined, { signal: over.signal }).catch(() => {});
    }
  };
  if (pid !== undefined) void watch(pid);
  return { stop: () => over.abort() };
};
