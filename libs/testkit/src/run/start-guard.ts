import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Starts the guard of a run, in a session of its own.
 * @returns ends the guard, which cleans up what is left
 */
export const startGuard = (run: string): (() => void) => {
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.ts'), run], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return () => guard.stdin.end();
};
