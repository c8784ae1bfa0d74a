import { cardDeleted as contract, type Event } from '@cardinal/contracts';
import { projectCardDeletedHandler } from '../handlers/project-card-deleted.ts';
import type { Parts } from '../parts.ts';

/** Takes a deleted card out of its workspace's graph, where that was not handed over before. */
export const onCardDeleted = (parts: Parts) => {
  const project = projectCardDeletedHandler(parts);
  return async (event: Event): Promise<void> => {
    await project(contract.schema.parse(event));
  };
};
