import type { createLabel as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { insertLabel, toLabel } from '../store/labels.ts';
import { newRow } from '../writing/new-row.ts';
import { once } from '../writing/versioned.ts';

/** Makes a label for the whole workspace. */
export const createLabel =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id, body } = request;
    const { response, replayed } = await db.transaction((tx) =>
      once(tx, request, async () => toLabel(await insertLabel(tx, { ...newRow(), ...body, workspace_id }))),
    );
    return { resource: response, replayed };
  };
