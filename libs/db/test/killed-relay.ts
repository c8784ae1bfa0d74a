// A process of its own for the test of the failpoint: it reports to its parent what it published.
import { armFailpoint, createLogger } from '@cardinal/runtime';
import { openDatabase, startRelay } from '../src/index.ts';

armFailpoint('between-publish-and-mark');
startRelay({
  db: openDatabase({ url: String(process.argv[2]), name: 'killed-relay' }),
  leaseMs: 200,
  logger: createLogger({ service: 'killed-relay' }),
  publish: (event) => new Promise((resolve) => process.send?.(event.id, () => resolve())),
});
