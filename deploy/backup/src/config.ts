import { fileURLToPath } from 'node:url';

const given = (name: string) => process.env[name] || undefined;

/** A Postgres of the user's own, as `npm start` takes it; undefined where the stack has one itself. */
export const chosenDatabase = (): string | undefined => given('DATABASE_URL');

/** Secrets that `npm start` got as variables, so that its state folder lacks them. */
export const secretsGiven = (): string[] => ['URL_SECRET', 'WEBHOOK_KEY'].filter(given);

/** Where the bytes of files are that are not in the state folder: another folder, or a bucket. */
export const chosenStorage = (): { folder: string | undefined } | undefined => {
  const storage = given('STORAGE_URL');
  if (storage === undefined) return undefined;
  return { folder: storage.startsWith('file:') ? fileURLToPath(storage) : undefined };
};
