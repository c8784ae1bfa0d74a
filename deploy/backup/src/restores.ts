import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere } from '@cardinal/servers';
import { backupsIn } from './folders.ts';
import { type Manifest, readManifest } from './manifest.ts';

/*
 * Each earlier restore, of this backup or of another one of the stack, may have issued numbers that this backup does not
 * know. So each backup has a file `restored`: by how many days' numbers its next margin must be larger.
 * deploy/docker/restore.sh counts alike.
 */

const fileOf = (backup: string) => join(backup, 'restored');

/** By how many days' numbers the margin of a backup's next restore must be larger. */
export const restoresOf = (backup: string): number => Number(readIfThere(fileOf(backup))) || 0;

/**
 * Counts a restore, in each backup of its stack in the same folder.
 * @param backup the one that is restored
 * @returns files that could not be written, with what they should say
 */
export const countRestore = (
  backup: string,
  { stack, made }: Pick<Manifest, 'stack' | 'made'>,
  now: Date,
): { file: string; count: number }[] => {
  const before = restoresOf(backup);
  const days = Math.max(1, Math.ceil((now.getTime() - Date.parse(made)) / 86_400_000) + 1);
  const others = backupsIn(dirname(backup)).filter((one) => one !== backup && readManifest(one).stack === stack);
  const counts = [...others.map((one) => ({ backup: one, count: before + days + 2 })), { backup, count: before + 1 }];
  return counts.flatMap(({ backup: one, count }) => {
    if (restoresOf(one) >= count) return [];
    const file = fileOf(one);
    try {
      writeFileSync(file, `${count}\n`, { mode: 0o600 });
      return [];
    } catch {
      return [{ file, count }];
    }
  });
};
