import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { compileCache } from '@cardinal/servers';

const script = join(import.meta.dirname, '../../../deploy/doctor/src/main.ts');

/**
 * What `npm run doctor` says of a world's databases; throws with the differences where it finds any.
 * @param where the URL of the databases, or the environment that names the broker too
 */
export const doctor = (where: string | Record<string, string>, ...options: string[]) =>
  new Promise<string>((resolve, reject) => {
    const env = { ...compileCache, ...(typeof where === 'string' ? { DATABASE_URL: where } : where) };
    execFile(process.execPath, [script, '--patience', '0', ...options], { env }, (error, out, err) =>
      error ? reject(new Error(out + err)) : resolve(out),
    );
  });
