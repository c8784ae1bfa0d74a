import { CardinalError, type getCover } from '@cardinal/contracts';
import type { Handler } from '@cardinal/service';
import { requireImage } from '../domain/readiness.ts';
import type { Parts } from '../parts.ts';
import { getCoverFile } from '../store/covers.ts';
import { coverOf } from '../writing/cover.ts';

/** Reads a card's cover; null where there is none that the caller may see. @throws CardinalError `not_found` */
export const getCoverHandler =
  ({ db, sight, urls, now }: Parts): Handler<typeof getCover> =>
  async (request) => {
    await sight.requireCard(request, request.card_id);
    const found = await db.read((tx) => getCoverFile(tx, request.workspace_id, request.card_id));
    try {
      const file = await sight.requireFile(request, found);
      requireImage(file);
      return { cover: coverOf(file, urls, now()) };
    } catch (error) {
      if (error instanceof CardinalError && error.code === 'not_found') return { cover: null };
      throw error;
    }
  };
