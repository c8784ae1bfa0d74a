import type { Caller } from '@cardinal/contracts';
import { findSubtask } from '../store/subtasks.ts';
import { onCardTarget } from './target.ts';

/** A subtask. */
export const subtaskTarget = (request: Caller & { subtask_id: string }) =>
  onCardTarget('Subtask', request, (tx) => findSubtask(tx, request.workspace_id, request.subtask_id));
