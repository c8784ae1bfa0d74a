import { unavailable } from '@cardinal/contracts';

/** What a write looked at before it took its locks has changed since. Its transaction rolls back, and it starts anew. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Each time somebody else came first, so that all together go on. */
const mostTries = 50;

/** Runs a write again where it was outdated. */
export const untilUpToDate = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw unavailable('The card changes all the time');
};
