import * as contracts from '@cardinal/contracts';
import { requireFound, unavailable, type WorkstreamState } from '@cardinal/contracts';
import { rowsFor } from '@cardinal/db';
import { sql } from 'kysely';
import { readCards } from '../cards/read.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import { openRange, writeRange } from './ranges.ts';
import { unrecordedOfCard, unrecordedOfWorkspace } from './recorder.ts';

/**
 * Serves the identifier service: it closes and opens ranges, and reads unrecorded identifiers (ARCHITECTURE,
 * "Numbers").
 */
export const serveNumbers = (context: ServiceContext): void => {
  const { bus, db, lineage } = context;

  /**
   * Writes a range in a given epoch only. A process whose database was replaced must not answer for the new one.
   * @throws CardinalError `unavailable` in another epoch
   */
  const writeInEpoch = async <T>(epoch: number, write: (tx: Reader) => Promise<T>): Promise<T> => {
    if ((await lineage.met()).epoch < epoch) lineage.forget();
    await lineage.met();
    return db.statement(async (tx) => {
      if (lineage.current()?.epoch !== epoch) throw unavailable('Another epoch has begun');
      return writeRange(() => write(tx));
    });
  };

  /** Closes a range for good. It waits for issues and adoptions, which lock the same row. */
  bus.serve(contracts.closeRange, async ({ workspace_id, workstream, epoch }) => {
    await writeInEpoch(epoch, (tx) => closeRange(tx, workspace_id, workstream, epoch));
    return { closed: true } as const;
  });

  bus.serve(contracts.openRange, async (request) => {
    const opened = await writeInEpoch(request.epoch, (tx) => openRange(tx, request));
    lineage.noteWrite();
    return opened;
  });

  /**
   * Reads the current identifier of a card, then its unrecorded identifiers. In this order, an identifier that is
   * issued between the two reads is newer than the card that was read, and the history leaves it out.
   */
  bus.serve(contracts.listUnrecorded, async (request) => {
    const [card] = await db.read((tx) => rowsFor(tx, readCards, [request]));
    const { identifier } = requireFound('Card', card);
    const unrecorded = await db.read((tx) => unrecordedOfCard(tx, request, identifier));
    return { current_identifier: identifier, unrecorded };
  });

  bus.serve(contracts.listUnrecordedOfWorkspace, async (request) => ({
    unrecorded: await db.read((tx) => unrecordedOfWorkspace(tx, request)),
  }));
};

const closeRange = async (
  tx: Reader,
  workspaceId: string,
  { id, version, name, prefix }: WorkstreamState,
  epoch: number,
): Promise<void> => {
  await sql`
    insert into workstreams (workspace_id, id, version, name, prefix, epoch, closed)
    values (${workspaceId}, ${id}, ${version}, ${name}, ${prefix}, ${epoch}, true)
    on conflict (workspace_id, id) do update set closed = true`.execute(tx);
};
