import { file, listFiles, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listFilesEndpoint = read({
  path: '/files',
  operationId: 'listFiles',
  tag: 'Files',
  summary: 'List files, oldest first',
  description: 'Files of boards that the caller cannot see are left out.',
  query: pageQuery,
  reply: listed(file),
  answer: ({ bus, by, query }) => bus.fetch(listFiles, { ...by, page: splitPage(query).page }),
});
