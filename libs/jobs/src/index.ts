export { dequeue, enqueue } from './enqueue.ts';
export { jobGauges, jobsOf } from './gauges.ts';
export type { Job } from './lease.ts';
export { retryPause, runJobs } from './run.ts';
export { createJobs } from './tables.ts';
