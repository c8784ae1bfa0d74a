import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { closeRange } from '../handlers/close-range.ts';
import { filterBoards } from '../handlers/filter-boards.ts';
import { findSubtask } from '../handlers/find-subtask.ts';
import { projectDependency } from '../handlers/project-dependency.ts';
import { projectLinkedFile } from '../handlers/project-linked-file.ts';
import { projectWorkstream } from '../handlers/project-workstream.ts';
import { summarizeCards } from '../handlers/summarize-cards.ts';
import type { Parts } from '../parts.ts';

/** What other services ask for, and what they hand to our projections. */
export const serveServices = (bus: Pick<Bus, 'serve'>, parts: Parts): void => {
  bus.serve(contracts.closeRange, closeRange(parts));
  bus.serve(contracts.summarizeCards, summarizeCards(parts));
  bus.serve(contracts.filterBoards, filterBoards(parts));
  bus.serve(contracts.findSubtask, findSubtask(parts));

  bus.serve(contracts.projectWorkstream, projectWorkstream(parts));
  bus.serve(contracts.projectDependency, projectDependency(parts));
  bus.serve(contracts.projectLinkedFile, projectLinkedFile(parts));
};
