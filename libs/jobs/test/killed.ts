// A process that the test kills while it runs a job.
import { openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { runJobs } from '../src/index.ts';

const db = openDatabase({ url: String(process.argv[2]), name: 'killed' });
const logger = createLogger({ service: 'killed' });
runJobs(
  { db, logger, now: () => new Date() },
  {
    kind: 'test',
    intervalMs: 20,
    leaseMs: 60_000,
    run: () => {
      process.send?.('running');
      return new Promise(() => {});
    },
  },
);
