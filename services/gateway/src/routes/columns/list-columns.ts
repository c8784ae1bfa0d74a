import { column, listColumns } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { archivableList, boardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listColumnsEndpoint = read({
  path: '/boards/:board_id/columns',
  operationId: 'listColumns',
  tag: 'Columns',
  summary: 'List the columns of a board',
  params: boardId,
  query: archivableList,
  reply: listed(column),
  answer: ({ bus, by, params, query }) => {
    const { page, filters } = splitPage(query);
    return bus.fetch(listColumns, { ...by, ...params, ...filters, page });
  },
});
