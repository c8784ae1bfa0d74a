import type { Reporter, SerializedError, TestModule } from 'vitest/node';

const count = (modules: readonly TestModule[], errors: readonly SerializedError[]) => {
  let [passed, failed, skipped] = [0, errors.length, 0];
  for (const module of modules) {
    const before = failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state === 'failed') failed += 1;
      else if (state === 'skipped') skipped += 1;
    }
    // A file that cannot be loaded, or whose hooks fail, may have no failed test of its own.
    if (module.state() === 'failed' && failed === before) failed += 1;
  }
  return { passed, failed, skipped };
};

/** What was skipped because the machine lacks something: the names of suites that say so. */
const lacking = (modules: readonly TestModule[]) =>
  modules
    .flatMap((module) => [...module.children.allSuites()])
    .filter((suite) => suite.state() === 'skipped' && suite.name.includes('(skipped where'))
    .map(({ name }) => name);

const wayToHave =
  'Debian has what they need: apt install chromium prometheus clamav-daemon haproxy pgbouncer (Prometheus 3, from sid where it is older)';

/** Ends the run's output with one line: `N passed, N failed`, and `, N skipped` where there are any, and names what the machine lacks. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
    const { passed, failed, skipped } = count(modules, errors);
    process.once('exit', (code) => {
      // A run can fail without any test to blame: its set-up broke, or it found no test.
      const blamed = failed || (code === 0 ? 0 : 1);
      const names = lacking(modules);
      if (names.length > 0) process.stdout.write(`left out: ${names.join('; ')}. ${wayToHave}\n`);
      process.stdout.write(`${passed} passed, ${blamed} failed${skipped ? `, ${skipped} skipped` : ''}\n`);
    });
  }
}
