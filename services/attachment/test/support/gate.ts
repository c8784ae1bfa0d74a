import type { Scanner } from '../../src/checks/scanner.ts';

/** A scanner that answers when the test lets it, and counts. */
export const gatedScanner = () => {
  let open = Promise.withResolvers<void>();
  const counts = { asked: 0, atOnce: 0 };
  const scanner: Scanner = async (_, signal) => {
    counts.asked += 1;
    counts.atOnce += 1;
    const stopped = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([open.promise, stopped]);
    } finally {
      counts.atOnce -= 1;
    }
    return false;
  };
  return {
    scanner,
    counts,
    open: () => open.resolve(),
    shut() {
      open = Promise.withResolvers();
    },
  };
};
