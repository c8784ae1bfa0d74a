// An instance in a process of its own, which kills itself in the middle of its first round.
import { armFailpoint, failpoints } from '@cardinal/runtime';
import { startInstance } from './instance.ts';

const [, , databaseUrl = '', natsUrl = '', point] = process.argv;
armFailpoint(failpoints.find((name) => name === point));
await startInstance({ databaseUrl, natsUrl });
