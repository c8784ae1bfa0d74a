import type { DatabaseOwner } from '@cardinal/contracts';
import type { Program } from '@cardinal/host';
import type { z } from 'zod';
import type { ServiceConfig } from './config.ts';
import type { Service } from './service.ts';

/**
 * A service with a database, as a process runs it.
 * @param config what it reads from its environment
 * @param migrations those that it needs to find in its schema
 * @param load imports the service
 */
export const serviceProgram = <Schema extends z.ZodObject & z.ZodType<ServiceConfig>, Tables>(
  name: DatabaseOwner,
  config: Schema,
  migrations: object,
  load: () => Promise<{ service: Service<z.output<Schema>, Tables> }>,
): Program<Schema> => ({
  name,
  config,
  async start(host) {
    const [{ startService }, { service }] = await Promise.all([import('./start.ts'), load()]);
    await startService(service, { ...host, name, migrations: Object.keys(migrations) });
  },
});
