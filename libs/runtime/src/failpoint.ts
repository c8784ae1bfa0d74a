/**
 * Points at which a test can kill the process: in the life of a number, an archive, an opening, a projection, a file, a
 * round of the log, or of webhooks after a rollback.
 */
export const failpoints = [
  'after-grant',
  'before-commit',
  'after-commit',
  'before-record',
  'between-record-and-mark',
  'after-archive-intent',
  'after-close',
  'before-archive-commit',
  'after-archive-commit',
  'after-opening-intent',
  'after-open-range',
  'before-opening-commit',
  'after-opening-commit',
  'between-take-and-move',
  'after-upload-stored',
  'amid-check',
  'amid-renditions',
  'before-log-commit',
  'after-log-commit',
  'amid-comparison',
] as const;

export type Failpoint = (typeof failpoints)[number];

let armed: Failpoint | undefined;

/** Arms one failpoint or none. Services arm `FAILPOINT`, and refuse it in production. */
export const armFailpoint = (name: Failpoint | undefined): void => {
  armed = name;
};

/** Kills this process like a crash where `name` is armed. */
export const failpoint = (name: Failpoint): void => {
  if (armed === name) process.kill(process.pid, 'SIGKILL');
};
