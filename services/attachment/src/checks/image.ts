import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ImageFault } from './decode.ts';
import { watchMemory } from './memory.ts';

const size = { width: z.int().min(1), height: z.int().min(1) };

const imageAnswer = z.union([
  z.object({ fault: z.enum(['broken_image', 'too_many_pixels', 'too_complex']) }),
  z.object({ ...size, renditions: z.array(z.object(size)) }),
]);

/** What the program that decodes answers: the sizes of the image, or what is wrong with it. */
export type ImageAnswer = z.infer<typeof imageAnswer>;

/** An image that decoded from its first byte to its last; of an animation the first frame. */
export interface DecodedImage {
  /** Upright, as it is seen. */
  width: number;
  height: number;
  /** In WebP, at a path that is good as long as the image is used. */
  renditions: { width: number; height: number; path: string }[];
}

/**
 * Decodes an image wholly and makes its renditions, which are lent. Answers what is wrong with it where it does not
 * decode.
 * @param signal that nobody waits for the answer any more
 * @throws where the decoder ended without an answer, which says nothing about the image
 */
export type ImageDecoder = <T>(
  path: string,
  signal: AbortSignal,
  use: (image: DecodedImage) => Promise<T>,
) => Promise<T | ImageFault>;

export interface ImageLimits {
  /** Of one image, judged by its header before anything is decoded. */
  maxPixels: number;
  /** Of the process that decodes it, bytes, whoever in it allocates them. */
  memoryBytes: number;
  /** For one image, ms. */
  timeoutMs: number;
}

const program = fileURLToPath(new URL('./image-program.ts', import.meta.url));

/**
 * Decodes each image in a process of its own, which gets nothing but the path, and is killed where it takes more memory
 * or time than it may: then the image is too complex.
 * @param scratchFolder where renditions are held until they are stored
 */
export const createImageDecoder = (limits: ImageLimits, scratchFolder: string): ImageDecoder => {
  const ask = async (path: string, folder: string, signal: AbortSignal): Promise<ImageAnswer> => {
    const child = spawn(process.execPath, [program, path, folder, String(limits.maxPixels)], {
      cwd: folder,
      env: {},
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killed) => resolve(killed ?? code));
    });
    child.stdin.on('error', () => {});
    let isOver = false;
    const end = () => {
      isOver = true;
      child.kill('SIGKILL');
    };
    const abort = () => child.kill('SIGKILL');
    signal.addEventListener('abort', abort, { once: true });
    const deadline = setTimeout(end, limits.timeoutMs);
    const watch = watchMemory(child.pid, limits.memoryBytes, end);
    try {
      const [how, said, complaint] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      signal.throwIfAborted();
      if (isOver) return { fault: 'too_complex' };
      if (how !== 0) throw new Error(`the image decoder ended with ${how}: ${complaint.slice(0, 1000)}`);
      return imageAnswer.parse(JSON.parse(said));
    } finally {
      watch.stop();
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
    }
  };

  return async (path, signal, use) => {
    signal.throwIfAborted();
    await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(scratchFolder, 'image-'));
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
