import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '{libs,services,deploy}/**/*.{unit,int,contract}.test.ts',
      'services/gateway/acceptance/**/*.acceptance.test.ts',
    ],
    globalSetup: ['libs/testkit/src/run/global-setup.ts'],
    setupFiles: ['services/gateway/acceptance/inventory/each-file.ts'],
    reporters: ['default', './libs/testkit/src/reporter.ts'],
    pool: 'forks',
    // Modules stay loaded from file to file: a third of the run was spent on loading them anew.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    maxWorkers: 4,
    passWithNoTests: false,
  },
});
