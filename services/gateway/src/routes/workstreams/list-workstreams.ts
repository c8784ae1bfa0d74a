import { listWorkstreams, workstream } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { archivableList, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listWorkstreamsEndpoint = read({
  path: '/workstreams',
  operationId: 'listWorkstreams',
  tag: 'Workstreams',
  summary: 'List the workstreams of the workspace',
  query: archivableList,
  reply: listed(workstream),
  answer: ({ bus, by, query }) => {
    const { page, filters } = splitPage(query);
    return bus.fetch(listWorkstreams, { ...by, ...filters, page });
  },
});
