import { identityOf } from './identity.ts';
import { waitFor } from './wait.ts';

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
};

/**
 * Ends a process that is not our child, if it still is the one that `identity` names: each signal in turn, `graceMs`
 * milliseconds apart, SIGKILL at last.
 */
export const endProcess = async (pid: number, identity: string, signals: NodeJS.Signals[], graceMs = 10_000) => {
  const gone = () => (identityOf(pid) === identity ? undefined : true);
  for (const name of [...signals, 'SIGKILL' as const]) {
    if (gone()) return;
    signal(pid, name);
    await waitFor(gone, { timeoutMs: graceMs });
  }
};
