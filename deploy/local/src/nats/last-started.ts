import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The URL of the deploy step's user of the nats-server that was last started on `dir`; undefined where none was. */
export const lastStartedNats = (dir: string): string | undefined => {
  const config = configOf(dir);
  const port = /^listen: "127\.0\.0\.1:(\d+)"$/m.exec(config)?.[1];
  const password = /\{ user: deploy, password: ("[^"]*")/.exec(config)?.[1];
  if (!port || !password) return undefined;
  return `nats://deploy:${encodeURIComponent(JSON.parse(password))}@127.0.0.1:${port}`;
};

const configOf = (dir: string): string => {
  try {
    return readFileSync(join(dir, 'nats.conf'), 'utf8');
  } catch {
    return '';
  }
};
