import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';

await runService('identifier', readConfig(), () => import('./service.ts'));
