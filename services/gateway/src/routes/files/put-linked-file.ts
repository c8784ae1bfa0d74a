import { file, putLinkedFile, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import { desire } from '../../endpoint/endpoint.ts';
import { unversioned } from '../../endpoint/replies.ts';

export const putLinkedFileEndpoint = desire({
  method: 'PUT',
  path: '/subtasks/:subtask_id/linked-file/:file_id',
  operationId: 'putLinkedFile',
  tag: 'Files',
  summary: 'Link a file to a subtask',
  description: 'In place of any other. A file that is not checked yet: 409; one that failed a check: 422.',
  refusals: ['validation_error'],
  params: z.strictObject({ subtask_id: uuid, file_id: uuid }),
  reply: unversioned(file),
  answer: ({ bus, by, params }) => bus.fetch(putLinkedFile, { ...by, ...params }),
});
