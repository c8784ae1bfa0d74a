import { purge, purgeCommands } from '@cardinal/db';
import { createLineage, type Service, tickMs } from '@cardinal/service';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { Tables } from './context.ts';
import { serveKeys } from './keys/keys.ts';
import { createRevocations, restoreMarks } from './keys/revocations.ts';
import { serveVerification } from './keys/verify.ts';
import { createErasures, restoreErasures } from './people/erasures.ts';
import { serveNotes } from './people/notes.ts';
import { servePeople } from './people/people.ts';

/** Keys that ended stay in lists for 90 days. */
const keptHours = 90 * 24;

/** The service: API keys and people, and what the register remembers of them. */
export const service: Service<Config, Tables> = (connections, config) => {
  const lineage = createLineage('access', connections, {
    hasIssued: sql`exists (select from api_keys) or exists (select from people)`,
    reconcile: () => Promise.all([restoreMarks(connections), restoreErasures(connections)]),
    isTrusted: config.TRUST_DATABASES,
  });
  const { noteWrite } = lineage;
  const witnessWrite = (): Promise<void> => {
    noteWrite();
    return lineage.sweep();
  };
  const revocations = createRevocations(connections, lineage);
  const erasures = createErasures(connections, lineage);
  const context = { ...connections, config, revocations, erasures, noteWrite, witnessWrite };
  serveKeys(context);
  serveVerification(context);
  servePeople(context);
  serveNotes(context);
  return {
    parts: [lineage.part],
    sweepers: [{ name: 'lineage', intervalMs: tickMs, run: lineage.sweep }],
    retention: [
      { purge: purgeCommands, hours: config.RETENTION_HOURS },
      {
        purge: (db, olderThan) => purge(db, 'api_keys', sql`least(expires_at, revoked_at) < ${olderThan}`),
        hours: keptHours,
      },
    ],
  };
};
