import { workstreamChanged as contract, type Event } from '@cardinal/contracts';
import { projectWorkstream } from '../handlers/project-workstream.ts';
import type { Parts } from '../parts.ts';

/** Keeps the projection of workstream names, from which cards show theirs. */
export const workstreamChanged = (parts: Pick<Parts, 'db'>) => {
  const project = projectWorkstream(parts);
  return async (event: Event): Promise<void> => {
    await project(contract.schema.parse(event));
  };
};
