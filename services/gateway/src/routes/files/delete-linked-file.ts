import { deleteLinkedFile } from '@cardinal/contracts';
import { desire } from '../../endpoint/endpoint.ts';
import { subtaskId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteLinkedFileEndpoint = desire({
  method: 'DELETE',
  path: '/subtasks/:subtask_id/linked-file',
  operationId: 'deleteLinkedFile',
  tag: 'Files',
  summary: 'Take a subtask’s link away',
  params: subtaskId,
  reply: deleted,
  answer: ({ bus, by, params }) => bus.fetch(deleteLinkedFile, { ...by, ...params }),
});
