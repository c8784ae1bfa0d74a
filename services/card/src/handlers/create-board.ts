import type { createBoard as contract } from '@cardinal/contracts';
import { v7 } from 'uuid';
import type { Handler, Parts } from '../parts.ts';
import { insertBoard, toBoard } from '../store/boards.ts';
import { refuseDefaultWorkstream } from '../writing/default-workstream.ts';
import { once } from '../writing/versioned.ts';

/** Makes a board. */
export const createBoard =
  ({ db, bus }: Pick<Parts, 'db' | 'bus'>): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, user_id, body } = request;
    const refusal = await refuseDefaultWorkstream(bus, request, body.default_workstream_id);
    const { response, replayed } = await db.transaction((tx) =>
      once(tx, request, async (now) => {
        if (refusal) throw refusal;
        const board = {
          ...body,
          workspace_id,
          id: v7(),
          version: 1,
          created_by: user_id,
          created_at: now,
          updated_at: now,
        };
        return toBoard(await insertBoard(tx, board));
      }),
    );
    return { resource: response, replayed };
  };
