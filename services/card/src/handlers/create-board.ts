import type { createBoard as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { insertBoard, toBoard } from '../store/boards.ts';
import { refuseDefaultWorkstream } from '../writing/default-workstream.ts';
import { newRow } from '../writing/new-row.ts';
import { once } from '../writing/versioned.ts';

/** Makes a board. */
export const createBoard =
  ({ db, bus }: Pick<Parts, 'db' | 'bus'>): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, user_id, body } = request;
    const refusal = await refuseDefaultWorkstream(bus, request, body.default_workstream_id);
    const { response, replayed } = await db.transaction((tx) =>
      once(tx, request, async () => {
        if (refusal) throw refusal;
        return toBoard(await insertBoard(tx, { ...newRow(), ...body, workspace_id, created_by: user_id }));
      }),
    );
    return { resource: response, replayed };
  };
