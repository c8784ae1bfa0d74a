import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { decode } from './decode.ts';
import type { ImageAnswer } from './image.ts';

/**
 * Decodes one image in a process of its own, which confines any effect on the decoder: `node image-program.ts <file>
 * <folder for renditions> <most pixels>`. It has no environment, writes JSON to its standard output, and ends, at the
 * latest with its parent.
 */

// Requests go before images, which may wait: a decoder uses all the processor that it gets.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const [path = '', folder = '', maxPixels] = process.argv.slice(2);

// Nobody waits any more. The decoder's threads would delay a normal exit.
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume();

const answer = async (): Promise<ImageAnswer> => {
  const image = await decode(path, Number(maxPixels));
  if (typeof image === 'string') return { fault: image };
  const renditions = image.renditions.map(({ width, height, webp }) => {
    writeFileSync(join(folder, `${width}.webp`), webp);
    return { width, height };
  });
  return { width: image.width, height: image.height, renditions };
};

process.stdout.end(JSON.stringify(await answer()), () => process.exit());
