import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { expect, it } from 'vitest';
import { kubernetesFolder } from './kubectl.ts';
import { rendered } from './rendered/index.ts';

it.each(Object.entries(rendered))('%s follows from what the services are', async (file, render) => {
  await expect(render()).toMatchFileSnapshot(join('..', file));
});

it('has a manifest for each service, and for nothing else', () => {
  const files = [...serviceNames, 'kustomization'].map((name) => `${name}.yaml`);
  expect(readdirSync(join(kubernetesFolder, 'base/services')).sort()).toEqual(files.sort());
});
