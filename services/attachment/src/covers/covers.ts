import * as contracts from '@cardinal/contracts';
import { type Cover, notFound, requireFound } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Reader, ServiceContext, StoredFile, Tx } from '../context.ts';
import { lockFile } from '../files/queries.ts';
import { type Image, requireImage } from '../files/rules.ts';
import { requireCard, requireFile, requireWritable, seesFile } from '../files/visibility.ts';
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
      await setCover(tx, workspace_id, card_id, file_id);
      return current;
    });
    return toCover(file, urls, now());
  });

  bus.serve(contracts.deleteCover, async (request) => {
    const { workspace_id, card_id } = request;
    requireWritable(await requireCard(context, request, card_id));
    await db.transaction((tx) => clear(tx, sql`workspace_id = ${workspace_id} and card_id = ${card_id}`));
    return { deleted: true as const };
  });
};

/** Clears the cover of every card that has this file for one. */
export const clearCoversOf = (tx: Tx, workspaceId: string, fileId: string): Promise<void> =>
  clear(tx, sql`workspace_id = ${workspaceId} and file_id = ${fileId}`);

const toCover = (file: StoredFile & Image, urls: SignedUrls, now: Date): Cover => ({
  file_id: file.id,
  name: file.name,
  content_type: file.content_type,
  width: file.width,
  height: file.height,
  renditions: file.renditions.map(({ width, height }) => ({
    width,
    height,
    url: urls.rendition(file.workspace_id, file.id, width, now),
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

/** Where it is the cover already, nothing changes. */
const setCover = async (tx: Tx, workspaceId: string, cardId: string, fileId: string): Promise<void> => {
  await sql`
    insert into covers (workspace_id, card_id, file_id, version) values (${workspaceId}, ${cardId}, ${fileId}, 1)
    on conflict (workspace_id, card_id) do update set file_id = excluded.file_id, version = covers.version + 1
    where covers.file_id is distinct from excluded.file_id`.execute(tx);
};

/** A cleared cover keeps its row, and with it the number of its changes. */
const clear = async (tx: Tx, which: ReturnType<typeof sql>): Promise<void> => {
  await sql`update covers set file_id = null, version = version + 1 where file_id is not null and ${which}`.execute(tx);
};
