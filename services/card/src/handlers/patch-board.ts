import type { patchBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { writeBoard } from '../writing/board.ts';
import { refuseDefaultWorkstream } from '../writing/default-workstream.ts';

/** Edits a board. */
export const patchBoard =
  ({ db, bus }: Pick<Parts, 'db' | 'bus'>): Handler<typeof contract> =>
  async (request) => {
    const { body } = request;
    const refusal = await refuseDefaultWorkstream(bus, request, body.default_workstream_id);
    return writeBoard(db, request, (board) => {
      if (refusal && body.default_workstream_id !== board.default_workstream_id) throw refusal;
      return body;
    });
  };
