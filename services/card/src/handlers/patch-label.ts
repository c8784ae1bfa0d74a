import type { patchLabel as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { lockLabel, saveLabel, toLabel } from '../store/labels.ts';
import { writeVersioned } from '../writing/versioned.ts';

/** Renames or recolors a label; the cards that carry it stay as they are. */
export const patchLabel =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  (request) =>
    writeVersioned(db, request, {
      what: 'Label',
      lock: (tx) => lockLabel(tx, request.workspace_id, request.label_id),
      change: () => request.body,
      save: saveLabel,
      present: toLabel,
    });
