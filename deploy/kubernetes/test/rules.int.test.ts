import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { given } from './given.ts';
import { helmRuns, render, type ValueSet } from './helm.ts';
import type { Manifest } from './manifest.ts';
import { rules } from './rules/index.ts';
import { schemaProblems } from './schema.ts';

type Rule = keyof typeof rules | 'schemas';
type Broken = [object: string, path: string, value: string, says: string];

/** The rows of `broken.md`, by rule. */
const broken = Object.fromEntries(
  readFileSync(join(import.meta.dirname, 'broken.md'), 'utf8')
    .split('\n## ')
    .slice(1)
    .map((section) => {
      const [rule, , , , ...rows] = section.trimEnd().split('\n');
      return [
        rule,
        rows.map((row) =>
          row
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        ),
      ];
    }),
) as Record<Rule, Broken[]>;

const templates: Record<string, string> = {
  Deployment: 'spec.template',
  Job: 'spec.template',
  CronJob: 'spec.jobTemplate.spec.template',
};

const { isArray } = Array;
/** What is called so in an object, or stands at this place or is named so in a list. */
const keyIn = (holder: unknown, step: string): string | number => {
  if (!isArray(holder)) return step;
  if (step === '-') return holder.length;
  return /^\d+$/.test(step) ? Number(step) : holder.findIndex(({ name }: { name: string }) => name === step);
};

/** Breaks one of the objects, as a row says. */
const breakOne = (all: Manifest[], [object, path, value]: Broken) => {
  const at = all.findIndex(({ kind, metadata }) => `${kind} ${metadata.name}`.startsWith(object));
  if (at === -1) throw new Error(`there is no ${object}`);
  if (!path) return all.splice(at, 1);
  const template = templates[all[at]?.kind ?? ''];
  const steps = path
    .replace(/^container\b/, 'pod.containers.0')
    .replace(/^pod\b/, `${template}.spec`)
    .split('.');
  const last = steps.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: a wrong manifest has no type
  const holder = steps.reduce<any>((found, step) => found[keyIn(found, step)], all[at]);
  const key = keyIn(holder, last);
  if (value) holder[key] = JSON.parse(value);
  else if (isArray(holder)) holder.splice(key as number, 1);
  else delete holder[key];
};

const problems = async (rule: Rule, all: Manifest[], set: ValueSet) =>
  rule === 'schemas' ? (await Promise.all(all.map(schemaProblems))).flat() : rules[rule](all, given[set]);

it('every rule has manifests that break it', () => {
  expect(Object.keys(broken).sort()).toEqual([...Object.keys(rules), 'schemas'].sort());
});

describe.skipIf(!helmRuns).each(Object.keys(broken) as Rule[])('%s (Linux on x64)', (rule) => {
  it.each(broken[rule])('%s: %s %s', async (object, ...row) => {
    const [, prefix, rest = ''] = /^(?:([\w-]+): )?(.*)$/.exec(object) ?? [];
    const set = (prefix ?? 'production') as ValueSet;
    const all = await render(set);
    breakOne(all, [rest, ...row]);
    expect(await problems(rule, all, set)).toContainEqual(expect.stringContaining(row[2]));
  });
});
