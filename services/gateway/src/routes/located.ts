import * as contracts from '@cardinal/contracts';
import { read } from '../endpoint/endpoint.ts';
import { columnId, commentId, labelId, subtaskId } from '../endpoint/queries.ts';
import { versioned } from '../endpoint/replies.ts';

/*
 * What else a creating POST's `Location` points to (api-decisions, "Boards, columns…"); boards, cards, workstreams and
 * files have rooms of their own.
 */

export const getColumnEndpoint = read({
  path: '/columns/:column_id',
  operationId: 'getColumn',
  tag: 'Columns',
  summary: 'Read a column',
  params: columnId,
  reply: versioned(contracts.column),
  answer: ({ bus, by, params }) => bus.fetch(contracts.getColumn, { ...by, ...params }),
});

export const getLabelEndpoint = read({
  path: '/labels/:label_id',
  operationId: 'getLabel',
  tag: 'Labels',
  summary: 'Read a label',
  params: labelId,
  reply: versioned(contracts.label),
  answer: ({ bus, by, params }) => bus.fetch(contracts.getLabel, { ...by, ...params }),
});

export const getCommentEndpoint = read({
  path: '/comments/:comment_id',
  operationId: 'getComment',
  tag: 'Comments',
  summary: 'Read a comment',
  params: commentId,
  reply: versioned(contracts.comment),
  answer: ({ bus, by, params }) => bus.fetch(contracts.getComment, { ...by, ...params }),
});

export const getSubtaskEndpoint = read({
  path: '/subtasks/:subtask_id',
  operationId: 'getSubtask',
  tag: 'Subtasks',
  summary: 'Read a subtask',
  params: subtaskId,
  reply: versioned(contracts.subtask),
  answer: ({ bus, by, params }) => bus.fetch(contracts.getSubtask, { ...by, ...params }),
});
