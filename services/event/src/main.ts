import { runService } from '@cardinal/service/run';
import { configSchema } from './config.ts';
import { migrations } from './migrations/index.ts';

await runService('event', configSchema, migrations, () => import('./service.ts'));
