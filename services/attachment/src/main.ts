import { runService } from '@cardinal/runtime';
import { readConfig } from './config.ts';

await runService('attachment', readConfig(), () => import('./start.ts'));
