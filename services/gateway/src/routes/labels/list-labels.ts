import { label, listLabels, pageQuery } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listLabelsEndpoint = read({
  path: '/labels',
  operationId: 'listLabels',
  tag: 'Labels',
  summary: 'List the labels of the workspace',
  query: pageQuery,
  reply: listed(label),
  answer: ({ bus, by, query }) => bus.fetch(listLabels, { ...by, page: splitPage(query).page }),
});
