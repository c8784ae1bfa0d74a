import { createVisibility, type Service } from '@cardinal/service';
import type { ServiceConfig } from '@cardinal/service/config';
import type { Tables } from './context.ts';
import { serveDependencies } from './dependencies/dependencies.ts';

/** The service, without background work. It emits `dependency.changed`. */
export const service: Service<ServiceConfig, Tables> = (connections) => {
  serveDependencies({ ...connections, visibility: createVisibility(connections.bus) });
  return {};
};
