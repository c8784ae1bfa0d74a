import type { Endpoint } from '../endpoint/endpoint.ts';
import { archiveBoardEndpoint } from './boards/archive-board.ts';
import { createBoardEndpoint } from './boards/create-board.ts';
import { deleteBoardEndpoint } from './boards/delete-board.ts';
import { getBoardEndpoint } from './boards/get-board.ts';
import { listBoardsEndpoint } from './boards/list-boards.ts';
import { deleteMemberEndpoint, listMembersEndpoint, putMemberEndpoint } from './boards/members.ts';
import { patchBoardEndpoint } from './boards/patch-board.ts';
import { restoreBoardEndpoint } from './boards/restore-board.ts';
import { archiveCardEndpoint } from './cards/archive-card.ts';
import { createCardEndpoint } from './cards/create-card.ts';
import { deleteAssigneeEndpoint } from './cards/delete-assignee.ts';
import { deleteCardEndpoint } from './cards/delete-card.ts';
import { getCardEndpoint } from './cards/get-card.ts';
import { listCardsEndpoint } from './cards/list-cards.ts';
import { moveCardEndpoint } from './cards/move-card.ts';
import { patchCardEndpoint } from './cards/patch-card.ts';
import { putAssigneeEndpoint } from './cards/put-assignee.ts';
import { restoreCardEndpoint } from './cards/restore-card.ts';
import { transferCardEndpoint } from './cards/transfer-card.ts';
import { archiveColumnEndpoint } from './columns/archive-column.ts';
import { createColumnEndpoint } from './columns/create-column.ts';
import { listColumnsEndpoint } from './columns/list-columns.ts';
import { patchColumnEndpoint } from './columns/patch-column.ts';
import { restoreColumnEndpoint } from './columns/restore-column.ts';
import { createCommentEndpoint } from './comments/create-comment.ts';
import { deleteCommentEndpoint } from './comments/delete-comment.ts';
import { listCommentsEndpoint } from './comments/list-comments.ts';
import { patchCommentEndpoint } from './comments/patch-comment.ts';
import { deleteDependencyEndpoint } from './dependencies/delete-dependency.ts';
import { listDependenciesEndpoint } from './dependencies/list-dependencies.ts';
import { listDependentsEndpoint } from './dependencies/list-dependents.ts';
import { putDependencyEndpoint } from './dependencies/put-dependency.ts';
import { createFileEndpoint } from './files/create-file.ts';
import { deleteCoverEndpoint } from './files/delete-cover.ts';
import { deleteFileEndpoint } from './files/delete-file.ts';
import { deleteLinkedFileEndpoint } from './files/delete-linked-file.ts';
import { getCoverEndpoint } from './files/get-cover.ts';
import { getFileEndpoint } from './files/get-file.ts';
import { getFileContentEndpoint } from './files/get-file-content.ts';
import { listFilesEndpoint } from './files/list-files.ts';
import { putCoverEndpoint } from './files/put-cover.ts';
import { putLinkedFileEndpoint } from './files/put-linked-file.ts';
import { listIdentifiersEndpoint } from './identifiers/list-identifiers.ts';
import { lookUpCardEndpoint } from './identifiers/look-up-card.ts';
import { createLabelEndpoint } from './labels/create-label.ts';
import { deleteCardLabelEndpoint } from './labels/delete-card-label.ts';
import { deleteLabelEndpoint } from './labels/delete-label.ts';
import { listLabelsEndpoint } from './labels/list-labels.ts';
import { patchLabelEndpoint } from './labels/patch-label.ts';
import { putCardLabelEndpoint } from './labels/put-card-label.ts';
import { getColumnEndpoint, getCommentEndpoint, getLabelEndpoint, getSubtaskEndpoint } from './located.ts';
import { createSubtaskEndpoint } from './subtasks/create-subtask.ts';
import { deleteSubtaskEndpoint } from './subtasks/delete-subtask.ts';
import { listSubtasksEndpoint } from './subtasks/list-subtasks.ts';
import { patchSubtaskEndpoint } from './subtasks/patch-subtask.ts';
import { archiveWorkstreamEndpoint } from './workstreams/archive-workstream.ts';
import { createWorkstreamEndpoint } from './workstreams/create-workstream.ts';
import { getWorkstreamEndpoint } from './workstreams/get-workstream.ts';
import { listWorkstreamsEndpoint } from './workstreams/list-workstreams.ts';
import { patchWorkstreamEndpoint } from './workstreams/patch-workstream.ts';

/** Every operation of the API. */
export const endpoints: readonly Endpoint[] = [
  createBoardEndpoint,
  listBoardsEndpoint,
  getBoardEndpoint,
  patchBoardEndpoint,
  archiveBoardEndpoint,
  restoreBoardEndpoint,
  deleteBoardEndpoint,
  putMemberEndpoint,
  deleteMemberEndpoint,
  listMembersEndpoint,

  createColumnEndpoint,
  listColumnsEndpoint,
  getColumnEndpoint,
  patchColumnEndpoint,
  archiveColumnEndpoint,
  restoreColumnEndpoint,

  createCardEndpoint,
  getCardEndpoint,
  listCardsEndpoint,
  patchCardEndpoint,
  moveCardEndpoint,
  transferCardEndpoint,
  archiveCardEndpoint,
  restoreCardEndpoint,
  deleteCardEndpoint,
  putAssigneeEndpoint,
  deleteAssigneeEndpoint,

  createLabelEndpoint,
  listLabelsEndpoint,
  getLabelEndpoint,
  patchLabelEndpoint,
  deleteLabelEndpoint,
  putCardLabelEndpoint,
  deleteCardLabelEndpoint,

  createCommentEndpoint,
  listCommentsEndpoint,
  getCommentEndpoint,
  patchCommentEndpoint,
  deleteCommentEndpoint,

  createSubtaskEndpoint,
  listSubtasksEndpoint,
  getSubtaskEndpoint,
  patchSubtaskEndpoint,
  deleteSubtaskEndpoint,

  putDependencyEndpoint,
  deleteDependencyEndpoint,
  listDependenciesEndpoint,
  listDependentsEndpoint,

  createFileEndpoint,
  listFilesEndpoint,
  getFileEndpoint,
  getFileContentEndpoint,
  deleteFileEndpoint,
  getCoverEndpoint,
  putCoverEndpoint,
  deleteCoverEndpoint,
  putLinkedFileEndpoint,
  deleteLinkedFileEndpoint,

  lookUpCardEndpoint,
  listIdentifiersEndpoint,

  createWorkstreamEndpoint,
  listWorkstreamsEndpoint,
  getWorkstreamEndpoint,
  patchWorkstreamEndpoint,
  archiveWorkstreamEndpoint,
];
