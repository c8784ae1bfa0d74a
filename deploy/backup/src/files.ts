import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ConfigError, inheritedEnvironment } from '@cardinal/servers';

/** tar's exit code for a file that vanished while it was read. Complete files do not change, and deleted ones are not missed. */
const harmless =
  /file changed as we read it|removed before we read it|Cannot stat: No such file|^tar: Exiting|^tar: Error exit/;

const tar = async (args: string[], signal: AbortSignal): Promise<void> => {
  const child = spawn('tar', args, { stdio: ['ignore', 'ignore', 'pipe'], env: inheritedEnvironment(), signal });
  const [[code], said] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  const complaints = said.split('\n').filter((line) => line !== '' && !harmless.test(line));
  if (code !== 0 && (code !== 1 || complaints.length > 0))
    throw new ConfigError(`tar ended with ${code}: ${complaints.slice(-3).join('; ')}`);
};

/** Writes what a folder holds into an archive. */
export const packFolder = (folder: string, archive: string, signal: AbortSignal): Promise<void> =>
  tar(['--create', '--file', archive, '--directory', folder, '.'], signal);

/** Writes it into a folder that is there; it belongs to us then. */
export const unpackFolder = (archive: string, folder: string, signal: AbortSignal): Promise<void> =>
  tar(['--extract', '--no-same-owner', '--file', archive, '--directory', folder], signal);
