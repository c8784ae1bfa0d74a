import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Example {
  /** Of the file that it changes or makes. */
  path: string;
  /** Each with the lines that are there before and the lines that are there after. */
  hunks: { before: string; after: string }[];
}

/** The diffs of a document. ` // path: remark` begins a file, `@@` another place in it. */
const examplesOf = (document: string): Example[] =>
  [...document.matchAll(/^```diff\n(.*?)^```/gms)].flatMap(([, diff = '']) =>
    diff.split(/^ \/\/ /m).flatMap((part) => {
      const [, path, body = ''] = part.match(/^([\w./-]+)(?::[^\n]*)?\n(.*)/s) ?? [];
      if (path === undefined) return [];
      const hunks = body.split(/^@@\n/m).map((hunk) => {
        const lines = hunk.split('\n').slice(0, -1);
        const without = (mark: string) => lines.filter((line) => line[0] !== mark).map((line) => `${line.slice(1)}\n`);
        return { before: without('+').join(''), after: without('-').join('') };
      });
      return [{ path, hunks }];
    }),
  );

/** Why an example does not apply; none where it does. */
const problemsOf = ({ path, hunks }: Example): string[] =>
  hunks.flatMap(({ before }) => {
    if (!existsSync(join(root, path))) return before === '' ? [] : [`${path} is not there`];
    if (before === '') return [`${path} is there, and no line says where in it`];
    const times = `\n${read(path)}`.split(`\n${before}`).length - 1;
    return times === 1 ? [] : [`${path} has ${times} times\n${before}`];
  });

it('prints diffs in CONTRIBUTING that apply to the code', () => {
  const examples = examplesOf(read('CONTRIBUTING.md'));
  expect(examples.map(({ path }) => path)).toContain('libs/contracts/src/card.ts');
  expect(examples.flatMap(problemsOf)).toEqual([]);
});

it('finds a diff whose lines the code does not have, has twice, or whose place is missing', () => {
  const diff = (path: string, ...lines: string[]) => ['```diff', ` // ${path}: why`, ...lines, '```', ''].join('\n');
  const problems = (...of: string[]) => examplesOf(of.join('')).flatMap(problemsOf).length;
  expect(problems(diff('.nvmrc', ' no such line', '+line'))).toBe(1);
  expect(problems(diff('biome.json', ' }', '@@', '+line', '@@', '-no such line'))).toBe(2);
  expect(problems(diff('LICENSE', ' ', '+line'), diff('no-such-file', ' ', '+line'))).toBe(2);
  expect(problems(diff('no-such-file', '+line'))).toBe(0);
});
