import { loadConfig, migrationConfig, serviceConfig } from '@cardinal/runtime';
import type { z } from 'zod';

const schema = serviceConfig({});

export type Config = z.output<typeof schema>;

/** The service's configuration; ends the process where the environment is wrong. */
export const readConfig = (): Config => loadConfig(schema, process.env);

/** What the migrations need; ends the process where the environment is wrong. */
export const readMigrationConfig = () => loadConfig(migrationConfig, process.env);
