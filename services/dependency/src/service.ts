import type { Service } from '@cardinal/service';
import type { ServiceConfig } from '@cardinal/service/config';
import { createContext } from './context.ts';
import type { Tables } from './database.ts';
import { serveDependencies } from './dependencies/dependencies.ts';

/** The service, which does nothing beside. It emits `dependency.changed`. */
export const service: Service<ServiceConfig, Tables> = (connections) => {
  serveDependencies(createContext(connections));
  return {};
};
