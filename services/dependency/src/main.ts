import { runService } from '@cardinal/runtime';
import { readConfig } from './config.ts';

await runService('dependency', readConfig(), () => import('./start.ts'));
