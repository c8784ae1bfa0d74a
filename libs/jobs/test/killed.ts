// A process of its own, which is killed while it has a job in hand.
import { openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { runJobs } from '../src/index.ts';

const db = openDatabase({ url: String(process.argv[2]), name: 'killed' });
const logger = createLogger({ service: 'killed' });
runJobs(
  { db, logger, now: () => new Date() },
  {
    ...{ kind: 'test', intervalMs: 20, leaseMs: 60_000 },
    run: () => {
      process.send?.('in hand');
      return new Promise(() => {});
    },
  },
);
