import { unavailable } from '@cardinal/contracts';

/** Waits for work of the broker's for at most `ms`. @throws CardinalError `unavailable` when the time is up */
export const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The message broker does not answer')), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
