import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start whole stacks and break them, the longest first: one of them as the last would be waited for alone. */
const longest = [
  ...['restored/databases', 'two-of-each', 'crash/processes', 'upgrade', 'rotation'].map(
    (name) => `/acceptance/${name}.acceptance.test.ts`,
  ),
  '/deploy/local/test/start.int.test.ts',
  '/deploy/chaos/test/chaos.int.test.ts',
  '/deploy/doctor/test/world.int.test.ts',
  '/acceptance/events/operations.acceptance.test.ts',
];

const rankOf = ({ moduleId }: TestSpecification) => {
  const at = longest.findIndex((name) => moduleId.endsWith(name));
  return at < 0 ? longest.length : at;
};

/** The order in which a run begins its files: those known to be long, then as Vitest would, which goes by size at first. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
