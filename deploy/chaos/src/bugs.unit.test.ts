import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { bugNamed, bugs, plantedFiles } from './bugs.ts';

describe.each(bugs)('$name', (bug) => {
  it('changes the product as it is now into something that can be run', () => {
    for (const source of plantedFiles(bug).values()) expect(() => stripTypeScriptTypes(source)).not.toThrow();
  });
});

it('names all bugs where one is not known', () => {
  expect(() => bugNamed('none')).toThrow(/there is no bug "none"; there are counter-apart, /);
});
