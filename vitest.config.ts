import { defineConfig } from 'vitest/config';
import LongestFirst from './libs/testkit/src/run/longest-first.ts';

export default defineConfig({
  test: {
    include: [
      '{libs,services,deploy}/**/*.{unit,int,contract}.test.ts',
      'services/gateway/acceptance/**/*.acceptance.test.ts',
    ],
    globalSetup: ['libs/testkit/src/run/global-setup.ts'],
    setupFiles: ['libs/testkit/src/run/each-file.ts'],
    reporters: ['default', './libs/testkit/src/reporter.ts'],
    pool: 'forks',
    // Modules stay loaded from file to file: a third of the run was spent on loading them anew.
    isolate: false,
    // So a file that leaves memory behind shows in the next one of its worker.
    logHeapUsage: true,
    // Bounds for a machine that has much else to do; whoever waits for a condition goes on as soon as it holds.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000, interval: 25 } },
    teardownTimeout: 30_000,
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    passWithNoTests: false,
  },
});
