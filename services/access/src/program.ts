import { serviceProgram } from '@cardinal/service/program';
import { configSchema } from './config.ts';
import { migrations } from './migrations/index.ts';

export const program = serviceProgram('access', configSchema, migrations, () => import('./service.ts'));
