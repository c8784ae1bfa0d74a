import type { Service } from '@cardinal/service';
import type { Config } from './config.ts';
import { createContext } from './context.ts';
import type { Tables } from './database.ts';
import { serveDependencies } from './dependencies/dependencies.ts';

/** The service, which does nothing beside. It emits `dependency.changed`. */
export const service: Service<Config, Tables> = (connections) => {
  serveDependencies(createContext(connections));
  return {};
};
