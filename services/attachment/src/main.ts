import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';

await runService('attachment', readConfig(), () => import('./service.ts'));
