import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rendered } from './rendered/index.ts';

it.each(Object.entries(rendered))('%s follows from what the services are', async (file, render) => {
  await expect(await render()).toMatchFileSnapshot(join('..', file));
});
