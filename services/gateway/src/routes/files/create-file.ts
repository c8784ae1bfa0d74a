import { createFile, createFileBody, newFile } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { created } from '../../endpoint/replies.ts';

export const createFileEndpoint = write({
  method: 'POST',
  path: '/files',
  operationId: 'createFile',
  tag: 'Files',
  summary: 'Create a file',
  description:
    'Then send its bytes to `upload.url`, once, before `upload.expires_at`. They are checked; only a `clean` file is served. Refused where the workspace has as many files, or bytes of them, as it may.',
  requires: ['Idempotency-Key'],
  body: createFileBody,
  reply: created(newFile, 'files'),
  answer: ({ bus, by, body }) => bus.fetch(createFile, { ...by, body }),
});
