import { queryCheck } from './kinds.ts';

/** Work that is put off: what fails for a while is tried again, what does so for long wants a person. */
export const failingJobs = queryCheck(
  'no job fails again and again, or was given up',
  ['attachment'],
  `select 'job ' || kind || ' of ' || workspace_id || '/' || key || ' failed ' || attempts || ' times: ' || error as what
      from {schema}.jobs where error is not null and (due_at is null or attempts >= 10)`,
);
