import { getFileContent } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { fileId } from '../../endpoint/queries.ts';
import { redirected } from './replies.ts';

export const getFileContentEndpoint = read({
  path: '/files/:file_id/content',
  operationId: 'getFileContent',
  tag: 'Files',
  summary: 'Download a file',
  description:
    'Redirects to the bytes of a clean file. One that is not checked yet: 409; one that failed a check: 422.',
  refusals: ['conflict', 'validation_error'],
  params: fileId,
  reply: redirected,
  answer: ({ bus, by, params }) => bus.call(getFileContent, { ...by, ...params }),
});
