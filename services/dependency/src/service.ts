import {
  consumers,
  deleteDependency,
  listDependencies,
  listDependents,
  projectCardDeleted,
  putDependency,
} from '@cardinal/contracts';
import { deadLetter } from '@cardinal/db';
import type { Service } from '@cardinal/service';
import type { Config } from './config.ts';
import { deleteDependencyHandler } from './handlers/delete-dependency.ts';
import { listDependenciesHandler } from './handlers/list-dependencies.ts';
import { listDependentsHandler } from './handlers/list-dependents.ts';
import { projectCardDeletedHandler } from './handlers/project-card-deleted.ts';
import { putDependencyHandler } from './handlers/put-dependency.ts';
import { assemble, type Parts } from './parts.ts';
import type { Tables } from './store/database.ts';
import { onCardDeleted } from './subscribers/card-deleted.ts';

/** Everything that the service answers and consumes. It emits `dependency.changed`. */
export const serve = (parts: Parts): void => {
  const { bus, db } = parts;

  bus.serve(putDependency, putDependencyHandler(parts));
  bus.serve(deleteDependency, deleteDependencyHandler(parts));
  bus.serve(listDependencies, listDependenciesHandler(parts));
  bus.serve(listDependents, listDependentsHandler(parts));
  bus.serve(projectCardDeleted, projectCardDeletedHandler(parts));

  bus.consume({
    consumer: consumers.dependencyOfDeletedCards,
    handle: onCardDeleted(parts),
    onPoison: (event, error) => deadLetter(db, event, error),
  });
};

/** The service, which does nothing beside. */
export const service: Service<Config, Tables> = (connections) => {
  serve(assemble(connections));
  return {};
};
