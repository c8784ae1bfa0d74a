import { runService } from '@cardinal/service/run';
import { readConfig } from './config.ts';

await runService('card', readConfig(), () => import('./service.ts'));
