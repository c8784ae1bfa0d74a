import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnvironment, repository } from '../config.ts';

const run = promisify(execFile);

/**
 * Runs `services/<name>/src/migrate.ts` as the service's own role.
 * @throws Error with what it printed when it fails
 */
export const migrateService = async (name: string, databaseUrl: string): Promise<void> => {
  try {
    await run(process.execPath, [join(repository, 'services', name, 'src/migrate.ts')], {
      cwd: repository,
      env: { ...inheritedEnvironment(), DATABASE_URL: databaseUrl },
      timeout: 60_000,
    });
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    throw new Error(`migrations of ${name} failed: ${stderr || stdout || String(error)}`);
  }
};
