import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts the guard of a run, in a session of its own.
 * @returns ends the guard, which cleans up what is left
 */
export const startGuard = (run: string): (() => void) => {
  const guard = spawn(process.execPath, [fileURLToPath(new URL('./guard.ts', import.meta.url)), run], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return () => guard.stdin.end();
};
