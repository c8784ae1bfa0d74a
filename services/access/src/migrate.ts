import { runMigrations } from '@cardinal/service/migrate';
import { migrations } from './migrations/index.ts';

await runMigrations('access', migrations);
