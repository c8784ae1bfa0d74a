import * as contracts from '@cardinal/contracts';
import { requireFound, unavailable, type WorkstreamState } from '@cardinal/contracts';
import { rowsFor } from '@cardinal/db';
import { sql } from 'kysely';
import { readCards } from '../cards/read.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import { openRange, writeRange } from './ranges.ts';
import { unrecordedOfCard, unrecordedOfWorkspace } from './recorder.ts';

/** The requests of the identifier service about workstreams and the numbers that were issued from them. */
export const serveNumbers = (context: ServiceContext): void => {
  const { bus, db, lineage } = context;

  /** Writes a range in an epoch, and in no other: a process whose database has been replaced must not answer for the new one. */
  const writeIn = async <T>(epoch: number, write: (tx: Reader) => Promise<T>): Promise<T> => {
    if ((await lineage.met()).epoch < epoch) lineage.forget();
    await lineage.met();
    return db.statement(async (tx) => {
      if (lineage.current()?.epoch !== epoch) throw unavailable('Another epoch has begun');
      return writeRange(() => write(tx));
    });
  };

  /** Waits for writers that are issuing from the range or adopting into it: they hold the same row. */
  bus.serve(contracts.closeRange, async ({ workspace_id, workstream, epoch }) => {
    await writeIn(epoch, (tx) => closeRange(tx, workspace_id, workstream, epoch));
    return { closed: true } as const;
  });

  bus.serve(contracts.openRange, async (request) => {
    const opened = await writeIn(request.epoch, (tx) => openRange(tx, request));
    lineage.noteWrite();
    return opened;
  });

  /**
   * The card's half of its history. The current identifier is read first: one that is issued after that is in
   * `unrecorded` or in the ledger, and is left out as younger than the card that was read.
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
