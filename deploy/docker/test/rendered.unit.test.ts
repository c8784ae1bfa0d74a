import { join } from 'node:path';
import { containerConfig, repository } from '@cardinal/servers';
import { withRendered } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { composeRegions, externalRegions, imageRegions, proxyRegions, upgradeRegions } from './rendered/compose.ts';

it.each([
  ['docker-compose.yml', composeRegions],
  ['deploy/docker/external.yml', externalRegions],
  ['deploy/docker/Dockerfile', imageRegions],
  ['deploy/docker/upgrade.sh', upgradeRegions],
  ['deploy/docker/proxy/haproxy.cfg', proxyRegions],
])('%s follows from what the services are', async (file, made) => {
  const path = join(repository, file);
  await expect(withRendered(path, made)).toMatchFileSnapshot(path);
});

it('each service may do on the bus what its contracts say', async () => {
  await expect(containerConfig('/var/tmp')).toMatchFileSnapshot('../nats/nats.conf');
});
