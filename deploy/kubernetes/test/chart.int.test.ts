import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { externalSecrets, given } from './given.ts';
import { helmRuns, kubernetesFolder, render, runHelm, type ValueSet, valueSets, valuesOf } from './helm.ts';
import { type Manifest, ofKind, workloads } from './manifest.ts';
import { rules } from './rules/index.ts';
import { schemaProblems } from './schema.ts';

const sets = Object.keys(valueSets) as ValueSet[];

describe.skipIf(!helmRuns).each(sets)('%s (rendered by helm for Linux on x64)', (set) => {
  it('is what the API server takes', async () => {
    const all = await render(set);
    expect(all.length).toBeGreaterThan(20);
    expect((await Promise.all(all.map(schemaProblems))).flat()).toEqual([]);
  });

  it.each(Object.keys(rules) as (keyof typeof rules)[])('keeps the rule %s', async (rule) => {
    expect(rules[rule](await render(set), given[set])).toEqual([]);
  });

  it('has each object once', async () => {
    const titles = (await render(set)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(titles).toEqual([...new Set(titles)]);
  });

  it('passes helm lint', async () => {
    expect(await runHelm(['lint', '--strict'], ...valuesOf(set))).toContain('0 chart(s) failed');
  });
});

it('production takes twenty lines of values at most, which the README shows', () => {
  const values = readFileSync(join(kubernetesFolder, 'values/production.yaml'), 'utf8');
  expect(values.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  expect(readFileSync(join(kubernetesFolder, 'README.md'), 'utf8')).toContain(values);
});

it.skipIf(!helmRuns)('is brought the Secrets that it reads, and no others, in production', async () => {
  const read = workloads(await render('production'))
    .flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env))
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    // That of a rotation is brought for its time.
    .filter(({ key }) => !key.endsWith('_ACCEPTED'))
    .map(({ name, key }) => `Secret ${name}/${key}`);
  expect(read.length).toBeGreaterThan(10);
  expect(externalSecrets).toEqual(new Set(read));
});

const titleOf = ({ kind, metadata }: Manifest) =>
  // The hash of a Job comes and goes with what it does.
  `${kind} ${metadata.name.replace(/-[0-9a-f]{10}$/, '-…')}`;

/** Objects that are not the same in both, each once. */
const differing = (before: Manifest[], after: Manifest[]): string[] => {
  const [old, now] = [before, after].map((all) => new Set(all.map((one) => JSON.stringify(one))));
  const changed = [
    ...before.filter((one) => !now?.has(JSON.stringify(one))),
    ...after.filter((one) => !old?.has(JSON.stringify(one))),
  ];
  return [...new Set(changed.map(titleOf))].sort();
};

describe.skipIf(!helmRuns)('a change of one value (Linux on x64)', () => {
  const digest = `sha256:${'a'.repeat(64)}`;

  it.each([
    ['services.card.image.tag=999.0.0', ['Deployment card', 'Job migrate-card-…']],
    [`services.event.image.digest=${digest}`, ['Deployment event', 'Job migrate-event-…']],
    ['services.gateway.image.tag=999.0.0', ['Deployment gateway']],
    ['services.card.env.DATABASE_POOL_SIZE=20', ['Deployment card']],
    ['services.card.replicas.max=8', ['HorizontalPodAutoscaler card']],
    ['services.card.resources.requests.cpu=1', ['Deployment card']],
    ['deploy.image.tag=999.0.0', ['CronJob doctor', 'Job declare-registers-…']],
  ])('%s changes this alone, and back changes the same', async (value, expected) => {
    const [before, after] = [await render('production'), await render('production', '--set', value)];
    expect(differing(before, after)).toEqual(expected);
    expect(differing(after, before)).toEqual(expected);
  });

  it('a Job that does something else has another name', async () => {
    const jobs = async (...args: string[]) => ofKind(await render('production', ...args), 'Job');
    const before = await jobs();
    for (const value of ['image.tag=999.0.0', 'postgres.ca.name=another', 'services.card.secret=another']) {
      const same = (await jobs('--set', value)).filter((one) =>
        before.some((other) => other.metadata.name === one.metadata.name),
      );
      // What has kept its name is to the letter what it was: no Job's template may change.
      for (const one of same) expect(before).toContainEqual(one);
      expect(same.length, value).toBeLessThan(before.length);
    }
  });

  it('the authority of NATS is one value, which every process that talks to it gets', async () => {
    const without = ({ env = [] }: { env?: { name: string }[] }) =>
      env.some(({ name }) => name.endsWith('NATS_URL')) && !env.some(({ name }) => name === 'NATS_CA');
    const all = workloads(await render('keys', '--set', 'nats.ca.name=nats-ca,nats.ca.kind=ConfigMap'));
    expect(all.filter(({ containers }) => containers.some(without))).toEqual([]);
    expect(workloads(await render('keys')).filter(({ containers }) => containers.some(without))).toHaveLength(9);
  });

  it('while it changes to together, the other services go on beside it, and files too', async () => {
    const beside = await render('together', '--set', 'together.besideApart=true');
    const apart = (await render('production')).filter(({ metadata }) => metadata.name !== 'gateway');
    const kept = new Set(beside.map((one) => JSON.stringify(one)));
    const gone = apart.filter((one) => !kept.has(JSON.stringify(one))).map(titleOf);
    expect(gone.filter((title) => !title.startsWith('Job migrate-'))).toEqual([]);
    expect(ofKind(beside, 'Deployment').map(titleOf)).toContain('Deployment gateway');
    const titles = beside.map(titleOf);
    expect(titles).toEqual([...new Set(titles)]);
    for (const rule of ['namesExist', 'selectorsMatch', 'portsExist', 'environmentsAreRead'] as const) {
      expect(rules[rule](beside, given.together)).toEqual([]);
    }
  });
});

describe.skipIf(!helmRuns)('refuses, with a reason (Linux on x64)', () => {
  it.each<[ValueSet, string, RegExp]>([
    ['production', 'image.tag=latest', /the tag of registry\.example\.com\/cardinal\/\w+ is latest: take an exact one/],
    ['production', 'services.card.image.tag=latest', /the tag of registry\.example\.com\/cardinal\/card is latest/],
    ['production', 'services.card.image.tag=a/b', /services\/card\/image\/tag/],
    ['production', 'services.card.image.digest=abc', /services\/card\/image\/digest/],
    ['production', 'services.cards.image.tag=1.0.0', /additional properties 'cards' not allowed/],
    ['production', 'services.card.env.LOGLEVEL=debug', /additional properties 'LOGLEVEL' not allowed/],
    ['production', 'services.card.env.LOG_LEVEL=loud', /services\/card\/env\/LOG_LEVEL/],
    ['production', 'services.card.env.DATABASE_POOL_SIZE=0', /minimum: got 0, want 1/],
    [
      'production',
      'services.card.env.DATABASE_URL=postgres://card',
      /additional properties 'DATABASE_URL' not allowed/,
    ],
    ['production', 'services.card.replicas.min=0', /minimum: got 0, want 1/],
    ['production', 'nats.ca.kind=File', /nats\/ca\/kind/],
    ['production', 'hosts.files=', /hosts\.files is missing/],
    ['production', 'hosts.api=', /hosts\.api and hosts\.files are missing/],
    ['keys', 'services.attachment.env.STORAGE_URL=null', /services\.attachment\.env\.STORAGE_URL is missing/],
    ['monitoring', 'bucketBackup.to=', /bucketBackup copies from/],
    ['together', 'services.card.image.tag=1.0.0', /services\.card\.image has no effect together/],
  ])('%s with %s', async (set, value, reason) => {
    await expect(render(set, '--set', value)).rejects.toThrow(reason);
  });
});

it.skipIf(!helmRuns)('the PodMonitor gives samples the labels that the rules read (Linux on x64)', async () => {
  const all = await render('monitoring');
  const [rule] = all.filter(({ kind }) => kind === 'PrometheusRule');
  expect(JSON.stringify(rule)).toContain('{job=\\"cardinal\\"}');
  const endpoints = ofKind(all, 'PodMonitor').flatMap(({ spec }) => spec?.podMetricsEndpoints ?? []);
  expect(endpoints.map(({ port }) => port)).toEqual(['health', 'metrics']);
  for (const { honorLabels, relabelings } of endpoints) {
    expect(honorLabels).toBe(true);
    expect(relabelings).toContainEqual({ targetLabel: 'job', replacement: 'cardinal' });
    expect(relabelings).toContainEqual(expect.objectContaining({ targetLabel: 'service' }));
  }
});

it.skipIf(!helmRuns)('numbers are written as variables take them (Linux on x64)', async () => {
  const env = workloads(await render('inside', '--set', 'services.gateway.env.TOKEN_CLOCK_TOLERANCE_S=0.5')).flatMap(
    ({ containers }) => containers.flatMap((one) => one.env ?? []),
  );
  const textOf = (variable: string) => env.find(({ name }) => name === variable)?.value;
  expect(['MAX_FILE_BYTES', 'RATE_LIMIT_MAX', 'TOKEN_CLOCK_TOLERANCE_S'].map(textOf)).toEqual([
    '104857600',
    '4000',
    '0.5',
  ]);
});
