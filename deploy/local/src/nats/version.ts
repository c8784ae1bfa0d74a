/** The oldest nats-server that serves us: multi-valued batches and consumer features of 2.10. */
const oldest = [2, 10] as const;

/** Reads `nats-server: v2.15.1` and its like; undefined for anything else. */
export const parseVersion = (text: string): [major: number, minor: number, patch: number] | undefined => {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
};

/** True for a version that we can use. */
export const isUsable = (text: string): boolean => {
  const version = parseVersion(text);
  if (!version) return false;
  return version[0] > oldest[0] || (version[0] === oldest[0] && version[1] >= oldest[1]);
};
