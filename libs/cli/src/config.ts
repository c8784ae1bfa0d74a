/** What the program reads from the environment; options on the command line win. */
export interface Environment {
  url: string;
  token: string | undefined;
  /** Where a relative FILE starts: npm changes into the repository's root and notes where it was called. */
  directory: string;
}

/** Reads `CARDINAL_URL` (default http://127.0.0.1:8080) and `CARDINAL_TOKEN`. */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): Environment => ({
  url: env.CARDINAL_URL || 'http://127.0.0.1:8080',
  token: env.CARDINAL_TOKEN || undefined,
  directory: (['import', 'export'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD) || process.cwd(),
});
