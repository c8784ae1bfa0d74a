import { runMigrations } from '@cardinal/db';
import { readMigrationConfig } from './config.ts';
import { migrations } from './migrations/index.ts';

await runMigrations('card', readMigrationConfig(), migrations);
