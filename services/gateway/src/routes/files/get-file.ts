import { file, getFile } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { fileId } from '../../endpoint/queries.ts';
import { unversioned } from '../../endpoint/replies.ts';

export const getFileEndpoint = read({
  path: '/files/:file_id',
  operationId: 'getFile',
  tag: 'Files',
  summary: 'Read a file’s state',
  params: fileId,
  reply: unversioned(file),
  answer: ({ bus, by, params }) => bus.fetch(getFile, { ...by, ...params }),
});
