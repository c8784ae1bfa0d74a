import { type ChildProcess, execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { ImageFault } from './decode.ts';

const size = { width: z.int().min(1), height: z.int().min(1) };

const imageAnswer = z.union([
  z.object({ fault: z.enum(['broken_image', 'too_many_pixels', 'too_complex']) }),
  z.object({ ...size, renditions: z.array(z.object(size)) }),
]);

/** The output of the decoding program: the sizes of the image, or its fault. */
export type ImageAnswer = z.infer<typeof imageAnswer>;

/** An image that was decoded completely; of an animation the first frame. */
export interface DecodedImage {
  /** Upright, as displayed. */
  width: number;
  height: number;
  /** In WebP, at a path that is valid while the image is used. */
  renditions: { width: number; height: number; path: string }[];
}

/**
 * Decodes a whole image and lends its renditions to `use`.
 * @param signal aborts when nobody waits for the answer any more
 * @returns the fault of an image that does not decode
 * @throws where the decoder ended without an answer, which does not depend on the image
 */
export type ImageDecoder = <T>(
  path: string,
  signal: AbortSignal,
  use: (image: DecodedImage) => Promise<T>,
) => Promise<T | ImageFault>;

const run = promisify(execFile);
const program = fileURLToPath(new URL('./image-program.ts', import.meta.url));

/**
 * Makes a decoder that runs each image in a process of its own. The process gets only the path, and is killed when it
 * exceeds its memory or time: then the image is too complex.
 * @param config the limits, and the folder of renditions until they are stored
 */
export const createImageDecoder = (
  config: Pick<Config, 'MAX_IMAGE_PIXELS' | 'IMAGE_MEMORY_BYTES' | 'IMAGE_TIMEOUT_MS' | 'SCRATCH_FOLDER'>,
): ImageDecoder => {
  const ask = async (path: string, folder: string, signal: AbortSignal): Promise<ImageAnswer> => {
    signal.throwIfAborted();
    const running = run(process.execPath, [program, path, folder, String(config.MAX_IMAGE_PIXELS)], {
      cwd: folder,
      env: {},
      timeout: config.IMAGE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const { child } = running;
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    child.stdin?.on('error', () => {});
    void watchMemory(child, config.IMAGE_MEMORY_BYTES, kill);
    try {
      return imageAnswer.parse(JSON.parse((await running).stdout));
    } catch (error) {
      signal.throwIfAborted();
      if (child.killed) return { fault: 'too_complex' };
      const how = child.signalCode ?? child.exitCode;
      throw new Error(`the image decoder ended with ${how}: ${String(error).slice(0, 1000)}`);
    } finally {
      signal.removeEventListener('abort', kill);
    }
  };

  return async (path, signal, use) => {
    await mkdir(config.SCRATCH_FOLDER, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(config.SCRATCH_FOLDER, 'image-'));
    try {
      const answer = await ask(path, folder, signal);
      if ('fault' in answer) return answer.fault;
      const { width, height } = answer;
      const renditions = answer.renditions.map((one) => ({ ...one, path: join(folder, `${one.width}.webp`) }));
      return await use({ width, height, renditions });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
};

const onLinux = process.platform === 'linux';
/**
 * Interval of memory checks, ms: a process can fill some 100 MB meanwhile. Except on Linux, each check takes a process.
 */
const lookMs = onLinux ? 25 : 250;

/** Memory in use of a process, bytes, of all its libraries, including swap; 0 once it is gone. */
const residentBytes = async (pid: number): Promise<number> => {
  if (onLinux) {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    const kibibytes = status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+) kB$/gm);
    return [...kibibytes].reduce((sum, [, count]) => sum + Number(count) * 1024, 0);
  }
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '0' }));
  return Number(stdout) * 1024;
};

/**
 * Watches the memory of a process until it ends. V8's own limit does not count native memory; the system's limits count
 * reserved addresses, or do not work at all (macOS).
 * @param exceed called once, where the process holds more
 */
const watchMemory = async (child: ChildProcess, maxBytes: number, exceed: () => void): Promise<void> => {
  const { pid } = child;
  // It did not start.
  if (pid === undefined) return;
  // Where the system runs out of memory, it kills this process and not the service.
  if (onLinux) await writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
  while (child.exitCode === null && child.signalCode === null) {
    if ((await residentBytes(pid)) > maxBytes) return exceed();
    await pause(lookMs, undefined, { ref: false });
  }
};
