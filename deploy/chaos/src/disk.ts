import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

const roomy = '8g';

const mount = (folder: string, options: string) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });

/**
 * Mounts a tmpfs on a folder, which is then a disk of its own. It uses memory only for what is written.
 * @returns the reason if it cannot be mounted; otherwise undefined
 */
export const mountDisk = (folder: string): string | undefined => {
  mkdirSync(folder, { recursive: true });
  try {
    mount(folder, `size=${roomy},mode=755`);
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1);
  }
};

/** Shrinks the disk to its content, which leaves no room. */
export const leaveNoRoom = (folder: string): void => {
  for (;;) {
    const { blocks, bfree, bsize } = statfsSync(folder);
    try {
      mount(folder, `remount,size=${(blocks - bfree) * bsize}`);
      return;
    } catch (error) {
      // Something was written meanwhile.
      if (statfsSync(folder).bfree === bfree) throw error;
    }
  }
};

export const leaveRoom = (folder: string) => void mount(folder, `remount,size=${roomy}`);
