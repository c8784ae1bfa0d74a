import { linkedFileChanged as contract, type Event } from '@cardinal/contracts';
import { projectLinkedFile } from '../handlers/project-linked-file.ts';
import type { Parts } from '../parts.ts';

/** Keeps the projection of linked files, from which subtasks show theirs. */
export const linkedFileChanged = (parts: Pick<Parts, 'db'>) => {
  const project = projectLinkedFile(parts);
  return async (event: Event): Promise<void> => {
    await project(contract.schema.parse(event));
  };
};
