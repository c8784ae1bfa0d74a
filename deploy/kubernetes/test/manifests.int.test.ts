import { describe, expect, it } from 'vitest';
import { given, overlays } from './given.ts';
import { kubectlRuns, render } from './kubectl.ts';
import { workloads } from './manifest.ts';
import { rules } from './rules/index.ts';
import { schemaProblems } from './schema.ts';

describe.skipIf(!kubectlRuns).each(overlays)('%s (rendered by kubectl for Linux on x64)', (overlay) => {
  it('is what the API server takes', async () => {
    const all = await render(`overlays/${overlay}`);
    expect(all.length).toBeGreaterThan(30);
    expect((await Promise.all(all.map(schemaProblems))).flat()).toEqual([]);
  });

  it.each(Object.keys(rules) as (keyof typeof rules)[])('keeps the rule %s', async (rule) => {
    expect(rules[rule](await render(`overlays/${overlay}`), given(overlay))).toEqual([]);
  });

  it('is in one namespace', async () => {
    const elsewhere = (await render(`overlays/${overlay}`)).filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'cardinal',
    );
    expect(elsewhere).toEqual([]);
  });
});

it.skipIf(!kubectlRuns)('is brought the Secrets that it reads, and no others, in production', async () => {
  const read = workloads(await render('overlays/production'))
    .flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env))
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    .filter(({ optional }) => !optional)
    .map(({ name, key }) => `Secret ${name}/${key}`);
  expect(read.length).toBeGreaterThan(10);
  expect(given('production').brought).toEqual(new Set(read));
});
