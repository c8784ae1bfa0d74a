import type { DatabaseOwner } from '@cardinal/contracts';
import type { Program } from '@cardinal/host';
import type { z } from 'zod';
import type { ServiceConfig } from './config.ts';
import type { Service } from './service.ts';

/**
 * Describes a service with a database as a program (libs/host).
 * @param config the schema of its environment variables
 * @param migrations those that its schema must have
 * @param load imports the service
 */
export const serviceProgram = <Schema extends z.ZodObject & z.ZodType<ServiceConfig>, Tables>(
  name: DatabaseOwner,
  config: Schema,
  migrations: object,
  load: () => Promise<{ service: Service<z.output<Schema>, Tables> }>,
): Program<Schema> => {
  const loadAll = () => Promise.all([import('./start.ts'), load()]);
  return {
    name,
    config,
    load: loadAll,
    async start(host) {
      const [{ startService }, { service }] = await loadAll();
      await startService(service, { ...host, name, migrations: Object.keys(migrations) });
    },
  };
};
