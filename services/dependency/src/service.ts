import { createVisibility, type Projection, type Service, startProjections } from '@cardinal/service';
import type { ServiceConfig } from '@cardinal/service/config';
import type { ServiceContext, Tables } from './context.ts';
import { serveDependencies } from './dependencies/dependencies.ts';
import { projectDeletedCards } from './graph/deleted-cards.ts';

/** The service's projections of what other services own. */
export const projectionsOf = (context: ServiceContext): Projection[] => [projectDeletedCards(context)];

/** The service, with its projection of deleted cards. */
export const service: Service<ServiceConfig, Tables> = (connections) => {
  const context = { ...connections, visibility: createVisibility(connections.bus) };
  serveDependencies(context);
  return { parts: [startProjections(context, projectionsOf(context))] };
};
