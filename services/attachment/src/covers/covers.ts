import * as contracts from '@cardinal/contracts';
import { type Cover, notFound, requireFound } from '@cardinal/contracts';
import type { Reader, ServiceContext, StoredFile } from '../context.ts';
import { type Image, requireCard, requireFile, requireImage, requireWritable, seesFile } from '../files/access.ts';
import { lockFile } from '../files/queries.ts';
import { lockUndeleted } from '../tombstones/tombstones.ts';
import type { SignedUrls } from '../transfers/signed-urls.ts';

/** Which file is a card's cover (specification, "Card cover"). */
export const serveCovers = (context: ServiceContext): void => {
  const { bus, db, urls, now } = context;

  bus.serve(contracts.getCover, async (request) => {
    await requireCard(context, request, request.card_id);
    const file = await db.read((tx) => findCoverFile(tx, request.workspace_id, request.card_id));
    if (!file || !(await seesFile(context, request, file))) return { cover: null };
    requireImage(file);
    return { cover: toCover(file, urls, now()) };
  });

  bus.serve(contracts.putCover, async (request) => {
    const { workspace_id, card_id, file_id } = request;
    requireWritable(await requireCard(context, request, card_id));
    await requireFile(context, request, file_id);
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

const findCoverFile = (tx: Reader, workspaceId: string, cardId: string): Promise<StoredFile | undefined> =>
  tx
    .selectFrom('covers')
    .innerJoin('files', (join) =>
      join.onRef('files.workspace_id', '=', 'covers.workspace_id').onRef('files.id', '=', 'covers.file_id'),
    )
    .selectAll('files')
    .where(({ and }) => and({ 'covers.workspace_id': workspaceId, 'covers.card_id': cardId }))
    .executeTakeFirst();
