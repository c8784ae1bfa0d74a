import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the run: everything that its tests start keeps its files there. */
    cardinalRun: string;
    /** Where test files ask for what the run shares. */
    cardinalDesk: string;
  }
}

/** What the global set-up told this test file's process. */
export const providedRun = (): string => inject('cardinalRun');
export const providedDesk = (): string => inject('cardinalDesk');
