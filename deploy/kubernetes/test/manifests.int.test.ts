import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { given, overlays } from './given.ts';
import { kubectlRuns, kubernetesFolder, render, renderAt } from './kubectl.ts';
import { ofKind, workloads } from './manifest.ts';
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
    // That of a rotation is brought for its time.
    .filter(({ key }) => !key.endsWith('_ACCEPTED'))
    .map(({ name, key }) => `Secret ${name}/${key}`);
  expect(read.length).toBeGreaterThan(10);
  expect(given('production').brought).toEqual(new Set(read));
});

it.skipIf(!kubectlRuns).each(['production', 'together'])('takes the hosts of %s from one place', async (overlay) => {
  const copy = scratchFolder('hosts');
  for (const part of ['base', 'overlays', 'revisions'])
    cpSync(join(kubernetesFolder, part), join(copy, part), { recursive: true });
  const file = join(copy, 'overlays/production/kustomization.yaml');
  const yours = readFileSync(file, 'utf8')
    .replace(/ API=.*/, ' API=cards.acme.test')
    .replace(/ FILES=.*/, ' FILES=bytes.acme.test');
  writeFileSync(file, yours);
  const all = await renderAt(join(copy, 'overlays', overlay));
  const hosts = ofKind(all, 'Ingress').map(({ metadata, spec }) =>
    [
      metadata.name,
      ...(spec?.rules ?? []).map(({ host }) => host),
      ...(spec?.tls ?? []).flatMap((one) => one.hosts),
    ].join(' '),
  );
  expect(hosts.sort()).toEqual(['api cards.acme.test cards.acme.test', 'files bytes.acme.test bytes.acme.test']);
  const settings = ofKind(all, 'ConfigMap');
  expect(settings.map(({ data }) => data?.PUBLIC_URL).filter(Boolean)).toEqual(['https://bytes.acme.test']);
  expect(settings.filter(({ metadata }) => metadata.name.startsWith('hosts'))).toEqual([]);
});
