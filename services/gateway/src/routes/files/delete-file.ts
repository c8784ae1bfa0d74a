import { deleteFile } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { fileId } from '../../endpoint/queries.ts';
import { deleted } from '../../endpoint/replies.ts';

export const deleteFileEndpoint = write({
  method: 'DELETE',
  path: '/files/:file_id',
  operationId: 'deleteFile',
  tag: 'Files',
  summary: 'Delete a file',
  description: 'The covers and links that it is vanish with it.',
  requires: [],
  params: fileId,
  reply: deleted,
  answer: ({ bus, by, params }) => bus.fetch(deleteFile, { ...by, ...params }),
});
