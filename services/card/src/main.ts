import { runService } from '@cardinal/runtime';
import { readConfig } from './config.ts';

await runService('card', readConfig(), () => import('./start.ts'));
