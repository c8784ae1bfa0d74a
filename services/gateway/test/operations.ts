import type { RequestContract } from '@cardinal/contracts';
import * as contracts from '@cardinal/contracts';
import { v7 } from 'uuid';
import { apiPrefix } from '../src/http/prefix.ts';
import type { Sent } from './http.ts';

/** A request or a reply on the bus, as a golden file keeps it. */
export type Golden = Record<string, unknown>;

/** What a client gets. */
interface Shown {
  status: number;
  json?: unknown;
  etag?: string;
  location?: string;
}

/** One operation of the API: how clients ask for it, and what they get for the owner's reply. */
export interface Operation {
  operationId: string;
  /** Asked of the owner. */
  contract: RequestContract;
  method: string;
  /** With `{name}` for what the request on the bus calls so. */
  path: string;
  shows(reply: Golden): Shown;
}

const data = (resource: Golden): Shown => ({
  status: 200,
  json: { data: resource },
  ...('version' in resource ? { etag: `"${resource.version}"` } : {}),
});
const shown = (reply: Golden) => data((reply.resource ?? reply) as Golden);
const createdIn = (collection: string) => (reply: Golden) => ({
  ...shown(reply),
  status: 201,
  location: `${apiPrefix}/${collection}/${(reply.resource as Golden).id}`,
});
const page = ({ items, next_cursor }: Golden) => ({
  status: 200,
  json: { data: items, page: { next_cursor, has_more: next_cursor !== null } },
});
const gone = () => ({ status: 204 });
const redirect = ({ url }: Golden) => ({ status: 302, location: url as string });
const cover = (reply: Golden) => data(reply.cover as Golden);

/** Every operation but the two that ask more than one service (`lookups.contract.test.ts`). */
export const operations: Operation[] = (
  [
    ['createBoard', contracts.createBoard, 'POST /boards', createdIn('boards')],
    ['listBoards', contracts.listBoards, 'GET /boards', page],
    ['getBoard', contracts.getBoard, 'GET /boards/{board_id}', shown],
    ['patchBoard', contracts.patchBoard, 'PATCH /boards/{board_id}', shown],
    ['archiveBoard', contracts.archiveBoard, 'POST /boards/{board_id}/archive', shown],
    ['restoreBoard', contracts.restoreBoard, 'POST /boards/{board_id}/restore', shown],
    ['deleteBoard', contracts.deleteBoard, 'DELETE /boards/{board_id}', gone],
    ['putBoardMember', contracts.putBoardMember, 'PUT /boards/{board_id}/members/{member_user_id}', shown],
    ['listBoardMembers', contracts.listBoardMembers, 'GET /boards/{board_id}/members', page],
    ['deleteBoardMember', contracts.deleteBoardMember, 'DELETE /boards/{board_id}/members/{member_user_id}', gone],

    ['createColumn', contracts.createColumn, 'POST /boards/{board_id}/columns', createdIn('columns')],
    ['listColumns', contracts.listColumns, 'GET /boards/{board_id}/columns', page],
    ['getColumn', contracts.getColumn, 'GET /columns/{column_id}', shown],
    ['patchColumn', contracts.patchColumn, 'PATCH /columns/{column_id}', shown],
    ['archiveColumn', contracts.archiveColumn, 'POST /columns/{column_id}/archive', shown],
    ['restoreColumn', contracts.restoreColumn, 'POST /columns/{column_id}/restore', shown],

    ['createCard', contracts.createCard, 'POST /columns/{column_id}/cards', createdIn('cards')],
    ['getCard', contracts.getCard, 'GET /cards/{card_id}', shown],
    ['listCards', contracts.listCards, 'GET /boards/{board_id}/cards', page],
    ['patchCard', contracts.patchCard, 'PATCH /cards/{card_id}', shown],
    ['moveCard', contracts.moveCard, 'POST /cards/{card_id}/move', shown],
    ['transferCard', contracts.transferCard, 'POST /cards/{card_id}/workstream', shown],
    ['archiveCard', contracts.archiveCard, 'POST /cards/{card_id}/archive', shown],
    ['restoreCard', contracts.restoreCard, 'POST /cards/{card_id}/restore', shown],
    ['deleteCard', contracts.deleteCard, 'DELETE /cards/{card_id}', gone],
    ['putCardAssignee', contracts.putAssignee, 'PUT /cards/{card_id}/assignees/{assignee_user_id}', shown],
    ['deleteCardAssignee', contracts.deleteAssignee, 'DELETE /cards/{card_id}/assignees/{assignee_user_id}', gone],

    ['createLabel', contracts.createLabel, 'POST /labels', createdIn('labels')],
    ['listLabels', contracts.listLabels, 'GET /labels', page],
    ['getLabel', contracts.getLabel, 'GET /labels/{label_id}', shown],
    ['patchLabel', contracts.patchLabel, 'PATCH /labels/{label_id}', shown],
    ['deleteLabel', contracts.deleteLabel, 'DELETE /labels/{label_id}', gone],
    ['putCardLabel', contracts.putCardLabel, 'PUT /cards/{card_id}/labels/{label_id}', shown],
    ['deleteCardLabel', contracts.deleteCardLabel, 'DELETE /cards/{card_id}/labels/{label_id}', gone],

    ['createComment', contracts.createComment, 'POST /cards/{card_id}/comments', createdIn('comments')],
    ['listComments', contracts.listComments, 'GET /cards/{card_id}/comments', page],
    ['getComment', contracts.getComment, 'GET /comments/{comment_id}', shown],
    ['patchComment', contracts.patchComment, 'PATCH /comments/{comment_id}', shown],
    ['deleteComment', contracts.deleteComment, 'DELETE /comments/{comment_id}', gone],

    ['createSubtask', contracts.createSubtask, 'POST /cards/{card_id}/subtasks', createdIn('subtasks')],
    ['listSubtasks', contracts.listSubtasks, 'GET /cards/{card_id}/subtasks', page],
    ['getSubtask', contracts.getSubtask, 'GET /subtasks/{subtask_id}', shown],
    ['patchSubtask', contracts.patchSubtask, 'PATCH /subtasks/{subtask_id}', shown],
    ['deleteSubtask', contracts.deleteSubtask, 'DELETE /subtasks/{subtask_id}', gone],

    ['putDependency', contracts.putDependency, 'PUT /cards/{card_id}/dependencies/{depends_on_card_id}', shown],
    ['deleteDependency', contracts.deleteDependency, 'DELETE /cards/{card_id}/dependencies/{depends_on_card_id}', gone],
    ['listDependencies', contracts.listDependencies, 'GET /cards/{card_id}/dependencies', page],
    ['listDependents', contracts.listDependents, 'GET /cards/{card_id}/dependents', page],

    ['createFile', contracts.createFile, 'POST /files', createdIn('files')],
    ['listFiles', contracts.listFiles, 'GET /files', page],
    ['getFile', contracts.getFile, 'GET /files/{file_id}', shown],
    ['getFileContent', contracts.getFileContent, 'GET /files/{file_id}/content', redirect],
    ['deleteFile', contracts.deleteFile, 'DELETE /files/{file_id}', gone],
    ['getCover', contracts.getCover, 'GET /cards/{card_id}/cover', cover],
    ['putCover', contracts.putCover, 'PUT /cards/{card_id}/cover/{file_id}', shown],
    ['deleteCover', contracts.deleteCover, 'DELETE /cards/{card_id}/cover', gone],
    ['putLinkedFile', contracts.putLinkedFile, 'PUT /subtasks/{subtask_id}/linked-file/{file_id}', shown],
    ['deleteLinkedFile', contracts.deleteLinkedFile, 'DELETE /subtasks/{subtask_id}/linked-file', gone],

    ['createWorkstream', contracts.createWorkstream, 'POST /workstreams', createdIn('workstreams')],
    ['listWorkstreams', contracts.listWorkstreams, 'GET /workstreams', page],
    ['getWorkstream', contracts.getWorkstream, 'GET /workstreams/{workstream_id}', shown],
    ['patchWorkstream', contracts.patchWorkstream, 'PATCH /workstreams/{workstream_id}', shown],
    ['archiveWorkstream', contracts.archiveWorkstream, 'POST /workstreams/{workstream_id}/archive', shown],
  ] as const
).map(([operationId, contract, line, shows]) => {
  const [method = '', path = ''] = line.split(' ');
  return { operationId, contract, method, path, shows };
});

/** How a client asks for what a request on the bus says: with the headers that the operation needs and no others. */
export const httpOf = ({ method, path }: Operation, request: Golden): Sent => {
  const { page, filters, archived, if_match, body } = request as Golden & { if_match?: number[] };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...(page as object), ...(filters as object), archived })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(request[name]));
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    headers: {
      ...(method === 'POST' ? { 'idempotency-key': v7() } : {}),
      ...(if_match ? { 'if-match': if_match.map((version) => `"${version}"`).join(', ') } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};
