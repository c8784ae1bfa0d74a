import { type putCardLabel as contract, notFound } from '@cardinal/contracts';
import { including } from '../domain/marks.ts';
import type { Handler, Parts } from '../parts.ts';
import { keepLabel } from '../store/labels.ts';
import { writeCard } from '../writing/write-card.ts';

/** Puts a label on a card; one that is there already is not put twice. */
export const putCardLabel =
  (parts: Parts): Handler<typeof contract> =>
  async ({ label_id, ...request }) => {
    let isKnown = false;
    const { resource } = await writeCard(parts, {
      request,
      lockBefore: async (tx) => {
        isKnown = await keepLabel(tx, request.workspace_id, label_id);
      },
      change: (card) => {
        if (!isKnown) throw notFound('Label');
        return { label_ids: including(card.label_ids, label_id, 'labels') };
      },
    });
    return resource;
  };
