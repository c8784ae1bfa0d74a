import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the program reads from the environment; options on the command line win. */
export interface Environment {
  url: string | undefined;
  token: string | undefined;
  /** Which profile counts, where nothing above says it. */
  profile?: string | undefined;
  /** Where profiles are kept; undefined: nowhere. */
  profiles?: string | undefined;
  /** Where a relative FILE starts: npm changes into the repository's root and notes where it was called. */
  directory: string;
}

/** Where Cardinal listens as long as nobody says otherwise: that of `npm start`. */
export const defaultUrl = 'http://127.0.0.1:8080';

/** Reads `CARDINAL_URL`, `CARDINAL_TOKEN`, `CARDINAL_PROFILE`, and where the user's configuration is (`XDG_CONFIG_HOME`). */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): Environment => ({
  url: env.CARDINAL_URL || undefined,
  token: env.CARDINAL_TOKEN || undefined,
  profile: env.CARDINAL_PROFILE || undefined,
  profiles: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'cardinal', 'profiles'),
  directory: (['import', 'export'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD) || process.cwd(),
});

/** From now on nothing is coloured: what Node looks at where it colours (`NO_COLOR`, `FORCE_COLOR`) says so. */
export const refuseColours = (env: NodeJS.ProcessEnv = process.env): void => {
  env.NO_COLOR = '1';
  delete env.FORCE_COLOR;
};
