import { dependencyChanged as contract, type Event } from '@cardinal/contracts';
import { projectDependency } from '../handlers/project-dependency.ts';
import type { Parts } from '../parts.ts';

/** Keeps the projection of dependencies, from which lookups count and lists tell what is blocked. */
export const dependencyChanged = (parts: Pick<Parts, 'db'>) => {
  const project = projectDependency(parts);
  return async (event: Event): Promise<void> => {
    await project(contract.schema.parse(event));
  };
};
