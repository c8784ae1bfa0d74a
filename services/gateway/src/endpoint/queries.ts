import { cardFiltersQuery, pageQuery, uuid } from '@cardinal/contracts';
import { z } from 'zod';

/** `limit`, `cursor` and `archived` (default false). */
export const archivableList = pageQuery.extend({ archived: cardFiltersQuery.shape.archived });

/** Takes the page apart from the filters of a list's query. */
export const splitPage = <Query extends z.output<typeof pageQuery>>({ limit, cursor, ...filters }: Query) => ({
  page: { limit, cursor },
  filters,
});

export const boardId = z.strictObject({ board_id: uuid });
export const columnId = z.strictObject({ column_id: uuid });
export const cardId = z.strictObject({ card_id: uuid });
export const fileId = z.strictObject({ file_id: uuid });
export const workstreamId = z.strictObject({ workstream_id: uuid });
export const labelId = z.strictObject({ label_id: uuid });
export const commentId = z.strictObject({ comment_id: uuid });
export const subtaskId = z.strictObject({ subtask_id: uuid });

export const memberOfBoard = boardId.extend({ user_id: uuid });
export const assigneeOfCard = cardId.extend({ user_id: uuid });
export const labelOfCard = cardId.extend({ label_id: uuid });
export const dependencyOfCard = cardId.extend({ depends_on_card_id: uuid });
