import { board, listBoards } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { archivableList, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listBoardsEndpoint = read({
  path: '/boards',
  operationId: 'listBoards',
  tag: 'Boards',
  summary: 'List the boards of the workspace',
  query: archivableList,
  reply: listed(board),
  answer: ({ bus, by, query }) => {
    const { page, filters } = splitPage(query);
    return bus.fetch(listBoards, { ...by, ...filters, page });
  },
});
