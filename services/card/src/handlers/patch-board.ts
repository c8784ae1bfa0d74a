import type { patchBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { permitManaging, writeBoard } from '../writing/board.ts';
import { refuseDefaultWorkstream } from '../writing/default-workstream.ts';

/**
 * Edits a board. An admin who does not see it may change its visibility and nothing else, or a private board whose creator
 * left would be lost.
 */
export const patchBoard =
  ({ db, bus }: Pick<Parts, 'db' | 'bus'>): Handler<typeof contract> =>
  async (request) => {
    const { body } = request;
    const refusal = await refuseDefaultWorkstream(bus, request, body.default_workstream_id);
    const isManaging = Object.keys(body).every((field) => field === 'visibility');
    return writeBoard(
      db,
      { ...request, is_admin: request.is_admin && isManaging },
      (board) => {
        if (refusal && body.default_workstream_id !== board.default_workstream_id) throw refusal;
        return body;
      },
      async (tx, board) => {
        if ((body.visibility ?? board.visibility) !== board.visibility) await permitManaging(tx, request, board);
      },
    );
  };
