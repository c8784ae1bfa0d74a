import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';
import { migrations } from './migrations/index.ts';

await runService('identifier', readConfig(), migrations, () => import('./service.ts'));
