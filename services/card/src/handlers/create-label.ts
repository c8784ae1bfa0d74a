import type { createLabel as contract } from '@cardinal/contracts';
import { v7 } from 'uuid';
import type { Handler, Parts } from '../parts.ts';
import { insertLabel, toLabel } from '../store/labels.ts';
import { once } from '../writing/versioned.ts';

/** Makes a label for the whole workspace. */
export const createLabel =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, body } = request;
    const { response, replayed } = await db.transaction((tx) =>
      once(tx, request, async (now) => {
        const label = { ...body, workspace_id, id: v7(), version: 1, created_at: now, updated_at: now };
        return toLabel(await insertLabel(tx, label));
      }),
    );
    return { resource: response, replayed };
  };
