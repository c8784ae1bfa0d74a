import { readFileSync } from 'node:fs';
import { databaseOwners, runStatements } from '@cardinal/servers';

/** Resident memory of a process in bytes; 0 where there is none, or the system does not tell. */
export const memoryOf = (pid: number | undefined): number => {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
};

/** How old the oldest event is that waits in an outbox, in seconds; 0 where none does. @param url of a superuser */
export const outboxLagSeconds = async (url: string): Promise<number> => {
  const waiting = databaseOwners.map((owner) => `select created_at from ${owner}.outbox where published_at is null`);
  const [row] = await runStatements(url, [
    `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
     from (${waiting.join(' union all ')}) as waiting`,
  ]);
  return (row as { seconds: number }).seconds;
};
