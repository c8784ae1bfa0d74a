/** The moments of the allocation protocol, of the relay and of a file's life at which a test can kill the process. */
export const failpoints = [
  'after-prepare',
  'before-allocation-commit',
  'after-allocation-commit',
  'before-commit',
  'after-commit',
  'before-confirm',
  'between-publish-and-mark',
  'after-upload-stored',
  'amid-check',
  'amid-renditions',
] as const;

export type Failpoint = (typeof failpoints)[number];

let armed: Failpoint | undefined;

/** Arms one failpoint, or none. Services arm what `FAILPOINT` names and refuse it in production. */
export const armFailpoint = (name: Failpoint | undefined): void => {
  armed = name;
};

/** Kills this process, as a crash would, where `name` is the armed failpoint. */
export const failpoint = (name: Failpoint): void => {
  if (armed === name) process.kill(process.pid, 'SIGKILL');
};
