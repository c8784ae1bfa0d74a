import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { collectUpload } from '../uploads/collect.ts';
import { drainDue } from './drain-due.ts';

/** Looks after files whose bytes have not come: takes direct uploads in, and gives up what does not come in time. */
export const collectUploads = (parts: Parts, { intervalMs }: { intervalMs: number }): Sweeper => {
  const stop = new AbortController();
  const collector = sweeper({
    name: 'collect-uploads',
    intervalMs,
    logger: parts.logger,
    run: () => drainDue(parts, { status: 'pending', stopping: stop.signal }, (file) => collectUpload(parts, file)),
  });
  return {
    nudge: () => collector.nudge(),
    stop() {
      stop.abort();
      return collector.stop();
    },
  };
};
