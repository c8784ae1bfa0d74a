import { listSubtasks, pageQuery, subtask } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { cardId, splitPage } from '../../endpoint/queries.ts';
import { listed } from '../../endpoint/replies.ts';

export const listSubtasksEndpoint = read({
  path: '/cards/:card_id/subtasks',
  operationId: 'listSubtasks',
  tag: 'Subtasks',
  summary: 'List the subtasks of a card in their order',
  params: cardId,
  query: pageQuery,
  reply: listed(subtask),
  answer: ({ bus, by, params, query }) => bus.fetch(listSubtasks, { ...by, ...params, page: splitPage(query).page }),
});
