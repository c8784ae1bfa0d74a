import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../src/index.ts';

const script = join(import.meta.dirname, '../../../.references.mjs');

/** What the check says of a repository of these files. */
const problemsOf = (files: Record<string, string>): string[] => {
  const folder = scratchFolder('references');
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
};

// Put together here, or the check would find them in this file.
const section = (number: string) => `CONTRACT ${number}`;
const heading = (name: string) => `ARCHITECTURE, "${name}"`;

const documents = {
  'services/gateway/CONTRACT.md':
    '# The contract\n## 4. Identifiers\n### 4.2 Workstreams\n```\n## 9. No heading\n```\n',
  'libs/ARCHITECTURE.md': '# Architecture\n## Feeds\n## A look-up\n',
};

it('finds sections and headings that a document or a comment cites and that are not there', () => {
  const problems = problemsOf({
    ...documents,
    'libs/a.ts': `/** (${section('4.2')}; ${section('4.3')}) */\n// (${heading('Feeds')}; ${heading('Ends')})\n`,
    'libs/b.md': `(${section('4')}), fenced (${section('9')}), (${heading('A\nlook-up')})\n`,
  });
  expect(problems).toEqual([
    'libs/a.ts:1 the contract has no section 4.3',
    'libs/a.ts:2 libs/ARCHITECTURE.md has no heading "Ends"',
    'libs/b.md:1 the contract has no section 9',
  ]);
});

it('finds files, headings and decisions that are not there, and decisions that the index lacks', () => {
  const problems = problemsOf({
    ...documents,
    'libs/contracts/decisions/0001-one.md': '# 1. One\n',
    'libs/c.md':
      '[a](ARCHITECTURE.md#feeds) [b](ARCHITECTURE.md#ends) [c](gone.md)\nADR 1, ADR 2, `gone.ts`, libs/gone.\n',
  });
  expect(problems).toEqual([
    'libs/contracts/decisions/README.md does not list 0001-one.md',
    'libs/c.md:1 ARCHITECTURE.md#ends: libs/ARCHITECTURE.md has no such heading',
    'libs/c.md:1 gone.md leads nowhere',
    'libs/c.md:2 libs/gone is not there',
    'libs/c.md:2 no file of , libs/gone is called gone.ts',
    'libs/c.md:2 there is no decision 2',
  ]);
});
