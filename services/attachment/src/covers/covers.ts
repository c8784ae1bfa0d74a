import * as contracts from '@cardinal/contracts';
import { type Caller, type Cover, notFound, requireFound } from '@cardinal/contracts';
import { appendChanges } from '@cardinal/db';
import type { ServiceContext, StoredFile, Tx } from '../context.ts';
import { type Image, requireCard, requireFile, requireImage, requireWritable, seesFile } from '../files/access.ts';
import { changeOnCard, type Showing } from '../files/changes.ts';
import { files, findShown, lockFile } from '../files/queries.ts';
import { lockUndeleted } from '../tombstones/tombstones.ts';
import type { SignedUrls } from '../transfers/signed-urls.ts';

/** Serves the covers of cards (CONTRACT 8.2). */
export const serveCovers = (context: ServiceContext): void => {
  const { bus, db, feed, urls, now } = context;

  /** The last step of a write. */
  const note = (tx: Tx, by: Caller, on: Showing) => {
    const type = on.data ? 'cover.set' : 'cover.cleared';
    const change = changeOnCard(type, by, now(), { ...on, subject: { type: 'cover', id: on.card.id } });
    return appendChanges(tx, by.workspace_id, [change]);
  };

  bus.serve(contracts.getCover, async (request) => {
    await requireCard(context, request, request.card_id);
    const file = await db.read((tx) => {
      const covers = tx.selectFrom('covers').select('file_id').where('workspace_id', '=', request.workspace_id);
      const cover = covers.where('card_id', '=', request.card_id);
      return files.in(tx, request.workspace_id).where('id', '=', cover).executeTakeFirst();
    });
    if (!file || !(await seesFile(context, request, file))) return { cover: null };
    requireImage(file);
    return { cover: toCover(file, urls, now()) };
  });

  bus.serve(contracts.putCover, async (request) => {
    const { workspace_id, card_id, file_id } = request;
    const card = await requireCard(context, request, card_id);
    await requireFile(context, request, file_id);
    requireWritable(card);
    const { file, isNew } = await db.transaction(async (tx) => {
      if (!(await lockUndeleted(tx, workspace_id, card_id))) throw notFound('Card');
      const current = requireFound('File', await lockFile(tx, workspace_id, file_id));
      requireImage(current);
      const former = await findShown(tx, 'covers', { workspace_id, card_id });
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('covers')
        .values({ workspace_id, card_id, file_id, version: 1 })
        .onConflict((on) =>
          on
            .columns(['workspace_id', 'card_id'])
            .doUpdateSet({ file_id })
            .where('covers.file_id', 'is distinct from', file_id),
        )
        .executeTakeFirst();
      // URLs of its renditions expire.
      const { renditions: _, ...data } = toCover(current, urls, now());
      const isNew = numInsertedOrUpdatedRows === 1n;
      if (isNew) await note(tx, request, { card, file: current, former, data });
      return { file: current, isNew };
    });
    if (isNew) feed.nudge(workspace_id);
    return toCover(file, urls, now());
  });

  bus.serve(contracts.deleteCover, async (request) => {
    const { workspace_id, card_id } = request;
    const card = await requireCard(context, request, card_id);
    requireWritable(card);
    const cleared = await db.transaction(async (tx) => {
      const file = await findShown(tx, 'covers', { workspace_id, card_id });
      if (!file) return false;
      const covers = tx.deleteFrom('covers').where(({ and }) => and({ workspace_id, card_id }));
      await covers.execute();
      await note(tx, request, { card, file, former: file, data: null });
      return true;
    });
    if (cleared) feed.nudge(workspace_id);
    return { deleted: true as const };
  });
};

const toCover = (file: StoredFile & Image, urls: SignedUrls, now: Date): Cover => ({
  file_id: file.id,
  name: file.name,
  content_type: file.content_type,
  width: file.width,
  height: file.height,
  renditions: file.renditions.map(({ width, height }) => ({
    width,
    height,
    url: urls.content(file.workspace_id, file.id, now, `renditions/${width}`),
  })),
});
