import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';
import { migrations } from './migrations/index.ts';

await runService('attachment', readConfig(), migrations, () => import('./service.ts'));
