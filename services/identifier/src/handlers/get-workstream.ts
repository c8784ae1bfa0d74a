import { type getWorkstream as contract, notFound } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { getWorkstream } from '../store/get-workstream.ts';

/** Reads one workstream. @throws CardinalError `not_found` */
export const getWorkstreamHandler =
  ({ db }: Parts): Handler<typeof contract> =>
  async ({ workspace_id, workstream_id }) => {
    const workstream = await db.read((tx) => getWorkstream(tx, workspace_id, workstream_id));
    if (!workstream) throw notFound('Workstream');
    return workstream;
  };
