import { migrate } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { readMigrationConfig } from './config.ts';
import { migrations } from './migrations/index.ts';

const config = readMigrationConfig();
const logger = createLogger({ service: 'dependency', level: config.LOG_LEVEL });
const applied = await migrate({ url: config.DATABASE_URL, migrations });
logger.info({ applied }, 'migrated');
