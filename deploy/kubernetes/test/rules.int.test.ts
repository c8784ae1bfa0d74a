import { describe, expect, it } from 'vitest';
import { type Broken, containerOf, one } from './broken/change.ts';
import { brokenProcesses } from './broken/processes.ts';
import { brokenWiring } from './broken/wiring.ts';
import { brokenWorkloads } from './broken/workloads.ts';
import { given } from './given.ts';
import { kubectlRuns, render } from './kubectl.ts';
import { rules } from './rules/index.ts';
import { schemaProblems } from './schema.ts';

const broken: { [Name in keyof typeof rules]: Broken[] } = { ...brokenWiring, ...brokenWorkloads, ...brokenProcesses };

describe.skipIf(!kubectlRuns).each(Object.keys(broken) as (keyof typeof rules)[])('%s (Linux on x64)', (rule) => {
  it.each(broken[rule])('tells of %s', async (_, change, says) => {
    const all = await render('overlays/production');
    change(all);
    expect(rules[rule](all, given('production'))).toContain(says);
  });
});

describe.skipIf(!kubectlRuns)('the schemas (Linux on x64)', () => {
  it.each<Broken>([
    [
      'a field that is none',
      (all) => Object.assign(containerOf(all, 'card').livenessProbe.httpGet, { prot: 1 }),
      'Deployment card: /spec/template/spec/containers/0/livenessProbe/httpGet/prot is no field',
    ],
    [
      'a field at the wrong place',
      (all) => Object.assign(one(all, 'Deployment', 'card').spec, { terminationGracePeriodSeconds: 30 }),
      'Deployment card: /spec/terminationGracePeriodSeconds is no field',
    ],
    [
      'a missing field',
      (all) => Object.assign(one(all, 'Deployment', 'card').spec, { selector: undefined }),
      'Deployment card: /spec breaks required {"missingProperty":"selector"}',
    ],
    [
      'a text for a number',
      (all) => Object.assign(one(all, 'HorizontalPodAutoscaler', 'card').spec, { maxReplicas: '6' }),
      'HorizontalPodAutoscaler card: /spec/maxReplicas breaks type {"type":"integer"}',
    ],
    [
      'a quantity that is none',
      (all) => Object.assign(containerOf(all, 'card').resources.limits, { memory: '768MB' }),
      'Deployment card: /spec/template/spec/containers/0/resources/limits/memory breaks format {"format":"quantity"}',
    ],
  ])('tell of %s', async (_, change, says) => {
    const all = await render('overlays/production');
    change(all);
    expect((await Promise.all(all.map(schemaProblems))).flat()).toContain(says);
  });
});
