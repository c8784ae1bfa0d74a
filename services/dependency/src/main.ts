import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';

await runService('dependency', readConfig(), () => import('./service.ts'));
