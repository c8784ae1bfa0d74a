import type { Logger } from '@cardinal/runtime';

/** How long further lines of a kind are counted instead of logged, ms. */
const quietMs = 10_000;
/** The most kinds; further ones are counted as one. */
const maxKinds = 1_000;

interface Line {
  level: 'info' | 'warn';
  fields: object;
  message: string;
}

export type RepeatedLines = ReturnType<typeof repeatedLines>;

/**
 * Logs lines of which clients can cause any number: the first of a kind at once, and after ten seconds the count of further
 * ones. `flush` logs the counts at once.
 */
export const repeatedLines = (logger: Logger) => {
  const kinds = new Map<string, { line: Line; more: number; timer: NodeJS.Timeout }>();

  const end = (kind: string) => {
    const known = kinds.get(kind);
    if (!known) return;
    kinds.delete(kind);
    clearTimeout(known.timer);
    const { line, more } = known;
    if (more > 0) logger[line.level]({ ...line.fields, more }, `${line.message}, and more of the same kind`);
  };

  return {
    log(kind: string, line: Line): void {
      const name = kinds.has(kind) || kinds.size < maxKinds ? kind : 'others';
      const known = kinds.get(name);
      if (known) {
        known.more += 1;
        return;
      }
      kinds.set(name, { line, more: 0, timer: setTimeout(end, quietMs, name).unref() });
      logger[line.level](line.fields, line.message);
    },
    flush: () => [...kinds.keys()].forEach(end),
  };
};
