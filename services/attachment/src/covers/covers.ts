import * as contracts from '@cardinal/contracts';
import { type Cover, notFound, requireFound } from '@cardinal/contracts';
import type { ServiceContext, StoredFile } from '../context.ts';
import { type Image, requireCard, requireFile, requireImage, requireWritable, seesFile } from '../files/access.ts';
import { files, lockFile } from '../files/queries.ts';
import { lockUndeleted } from '../tombstones/tombstones.ts';
import type { SignedUrls } from '../transfers/signed-urls.ts';

/** Which file is a card's cover (specification, "Card cover"). */
export const serveCovers = (context: ServiceContext): void => {
  const { bus, db, urls, now } = context;

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
    const file = await db.transaction(async (tx) => {
      if (!(await lockUndeleted(tx, workspace_id, card_id))) throw notFound('Card');
      const current = requireFound('File', await lockFile(tx, workspace_id, file_id));
      requireImage(current);
      await tx
        .insertInto('covers')
        .values({ workspace_id, card_id, file_id, version: 1 })
        .onConflict((on) => on.columns(['workspace_id', 'card_id']).doUpdateSet({ file_id }))
        .execute();
      return current;
    });
    return toCover(file, urls, now());
  });

  bus.serve(contracts.deleteCover, async (request) => {
    const { workspace_id, card_id } = request;
    requireWritable(await requireCard(context, request, card_id));
    await db.transaction((tx) =>
      tx
        .deleteFrom('covers')
        .where(({ and }) => and({ workspace_id, card_id }))
        .execute(),
    );
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
