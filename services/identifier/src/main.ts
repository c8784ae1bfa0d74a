import { runService } from '@cardinal/runtime';
import { readConfig } from './config.ts';

await runService('identifier', readConfig(), () => import('./start.ts'));
