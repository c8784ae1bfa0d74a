import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { eventually, pngChunk, scratchFolder, whitePng } from '@cardinal/testkit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createImageDecoder, type DecodedImage } from '../src/checks/image.ts';
import { jpegOf, picture } from './support/images.ts';

const folder = scratchFolder('image-process');
const scratch = join(folder, 'scratch');
const limits = { MAX_IMAGE_PIXELS: 1_000_000, IMAGE_MEMORY_BYTES: 1024 ** 3, IMAGE_TIMEOUT_MS: 600_000 };

const stop = new AbortController();
afterAll(() => stop.abort());

/** Decodes with a decoder with limits of its own. */
const decode = <T>(path: string, use: (image: DecodedImage) => Promise<T>, less: Partial<typeof limits> = {}) =>
  createImageDecoder({ SCRATCH_FOLDER: scratch, ...limits, ...less })(path, stop.signal, use);
const unused = async () => 'decoded';

const fileOf = (name: string, bytes: Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

/** A file that never ends. */
const endless = (name: string) => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
};

/** Processes that were given the path, each with its command and environment. */
const holding = (path: string) =>
  execFileSync('ps', ['axeww'], { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
    .split('\n')
    .filter((line) => line.includes('image-program') && line.includes(path));

describe('the decoding process', () => {
  it('lends renditions while they are used', async () => {
    const path = fileOf('whole.png', await picture('png', 400, 300));
    const paths = await decode(path, async ({ renditions, ...size }) => {
      expect(size).toEqual({ width: 400, height: 300 });
      expect(renditions).toMatchObject([
        { width: 320, height: 240 },
        { width: 400, height: 300 },
      ]);
      for (const { path } of renditions) expect((await readFile(path)).toString('latin1', 8, 12)).toBe('WEBP');
      return renditions.map(({ path }) => path);
    });
    expect([...paths].map((path) => existsSync(path))).toEqual([false, false]);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('reports the fault of an image', async () => {
    const whole = await picture('png', 400, 300);
    expect(await decode(fileOf('cut.png', whole.subarray(0, 1000)), unused)).toBe('broken_image');
    expect(await decode(fileOf('large.png', whole), unused, { MAX_IMAGE_PIXELS: 100 })).toBe('too_many_pixels');
    expect(await decode(fileOf('scans.jpg', jpegOf(900)), unused)).toBe('too_complex');
  });

  it('needs little memory for texts that inflate to much', async () => {
    const text = pngChunk('zTXt', Buffer.concat([Buffer.from('name\0\0'), deflateSync(Buffer.alloc(20_000_000))]));
    const path = fileOf('texts.png', whitePng(10, 10, ...Array<Buffer>(20).fill(text)));
    expect(await decode(path, unused, { IMAGE_MEMORY_BYTES: 300_000_000 })).toBe('decoded');
  });

  it('is killed where it exceeds its memory, and the image refused', async () => {
    const path = endless('memory');
    expect(await decode(path, unused, { IMAGE_MEMORY_BYTES: 10_000_000 })).toBe('too_complex');
    expect(holding(path)).toEqual([]);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('is killed where it exceeds its time, and the image refused', async () => {
    const path = endless('deadline');
    expect(await decode(path, unused, { IMAGE_TIMEOUT_MS: 50 })).toBe('too_complex');
    expect(holding(path)).toEqual([]);
  });

  it('is killed where nobody waits any more, without a verdict on the image', async () => {
    const path = endless('stop');
    const over = new AbortController();
    const decoding = createImageDecoder({ SCRATCH_FOLDER: scratch, ...limits })(path, over.signal, unused);
    const outcome = expect(decoding).rejects.toThrow('stopped');
    await eventually(() => expect(holding(path)).toHaveLength(1));
    over.abort(new Error('stopped'));
    await outcome;
    expect(holding(path)).toEqual([]);
  });

  it('that ends by itself gives no verdict on the image', async () => {
    await expect(decode(join(folder, 'nowhere'), unused)).rejects.toThrow(/the image decoder ended with 1: .*ENOENT/s);
    const path = endless('crash');
    const outcome = expect(decode(path, unused)).rejects.toThrow('the image decoder ended with SIGSEGV');
    await eventually(() => expect(holding(path)).toHaveLength(1));
    process.kill(Number.parseInt(holding(path)[0] ?? '', 10), 'SIGSEGV');
    await outcome;
  });

  it('has no environment', async () => {
    vi.stubEnv('URL_SECRET', 'nobody-may-know');
    const path = endless('environment');
    const over = new AbortController();
    const outcome = expect(
      createImageDecoder({ SCRATCH_FOLDER: scratch, ...limits })(path, over.signal, unused),
    ).rejects.toThrow();
    await eventually(() => expect(holding(path)).toHaveLength(1));
    expect(holding(path)[0]).not.toContain('nobody-may-know');
    over.abort();
    await outcome;
    vi.unstubAllEnvs();
  });
});
