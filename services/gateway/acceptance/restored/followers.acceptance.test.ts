import { startWorld, type World } from '@cardinal/testkit';
import { beforeAll } from 'vitest';
import { describeFollowers } from './followers.ts';

// A world of its own: where its register was lost, new logs begin above a margin.
let world: World;
beforeAll(async () => {
  world = await startWorld({ apart: true, ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

describeFollowers(() => world);
