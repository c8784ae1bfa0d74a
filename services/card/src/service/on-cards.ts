import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { createComment } from '../handlers/create-comment.ts';
import { createSubtask } from '../handlers/create-subtask.ts';
import { deleteComment } from '../handlers/delete-comment.ts';
import { deleteSubtask } from '../handlers/delete-subtask.ts';
import { getComment, getSubtask } from '../handlers/get-one.ts';
import { listComments } from '../handlers/list-comments.ts';
import { listSubtasks } from '../handlers/list-subtasks.ts';
import { patchComment } from '../handlers/patch-comment.ts';
import { patchSubtask } from '../handlers/patch-subtask.ts';
import type { Parts } from '../parts.ts';

/** What hangs on a card and has a life of its own. */
export const serveOnCards = (bus: Pick<Bus, 'serve'>, parts: Parts): void => {
  bus.serve(contracts.createComment, createComment(parts));
  bus.serve(contracts.getComment, getComment(parts));
  bus.serve(contracts.listComments, listComments(parts));
  bus.serve(contracts.patchComment, patchComment(parts));
  bus.serve(contracts.deleteComment, deleteComment(parts));

  bus.serve(contracts.createSubtask, createSubtask(parts));
  bus.serve(contracts.getSubtask, getSubtask(parts));
  bus.serve(contracts.listSubtasks, listSubtasks(parts));
  bus.serve(contracts.patchSubtask, patchSubtask(parts));
  bus.serve(contracts.deleteSubtask, deleteSubtask(parts));
};
