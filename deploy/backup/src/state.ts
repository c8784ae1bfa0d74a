import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, readIfThere } from '@cardinal/servers';
import { chosenStorage } from './config.ts';

/** What of a state folder is a secret: the key of tokens, of URLs, of webhooks, and passwords of roles. */
const secretFiles = ['keys/private.jwk.json', 'url-secret.json', 'webhook-key.json', 'database-passwords.json'];
/** Which demo workspace there is. */
const demoFile = 'demo.json';

/** Where the bytes of files are; undefined where they are in a bucket. */
export const filesFolder = (state: string): string | undefined =>
  (chosenStorage() ?? { folder: join(state, 'files') }).folder;

export const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

const copy = (from: string, to: string) => {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  writeFileSync(to, readFileSync(from), { mode: 0o600 });
};

/** Copies the secrets that a state folder has into a backup. @returns their names in it */
export const keepSecrets = (state: string, draft: string): string[] => {
  const names = [...secretFiles, demoFile].filter((name) => existsSync(join(state, name)));
  for (const name of names) copy(join(state, name), join(draft, 'secrets', name));
  return names.map((name) => `secrets/${name}`);
};

/** @throws ConfigError that names the secrets of a state folder that are others than those of the backup */
export const checkSecrets = (backup: string, state: string): void => {
  const read = (folder: string, name: string) => readIfThere(join(folder, name)).trim();
  const differing = secretFiles.filter((name) => {
    const [theirs, ours] = [read(join(backup, 'secrets'), name), read(state, name)];
    return theirs !== '' && ours !== '' && theirs !== ours;
  });
  if (differing.length > 0)
    throw new ConfigError(
      `${state} has other secrets than the backup: ${differing.join(', ')}. With these, what was encrypted or signed with the ` +
        'backup’s is lost. --replace-secrets takes those of the backup, and puts these aside; nothing was changed',
    );
};

/** Puts the secrets of a backup into a state folder; those that differ there stay beside them. @returns undoes it */
export const putSecrets = (backup: string, state: string): (() => void) => {
  const put: { to: string; aside: string | undefined }[] = [];
  for (const name of [...secretFiles, demoFile]) {
    const [from, to] = [join(backup, 'secrets', name), join(state, name)];
    if (!existsSync(from) || readIfThere(to) === readFileSync(from, 'utf8')) continue;
    const aside = existsSync(to) ? `${to}.before-restore` : undefined;
    if (aside) renameSync(to, aside);
    put.push({ to, aside });
    copy(from, to);
  }
  return () => {
    for (const { to, aside } of put.reverse()) {
      if (aside) renameSync(aside, to);
      else rmSync(to);
    }
  };
};
