import * as contracts from '@cardinal/contracts';
import {
  type Caller,
  formatIdentifier,
  type IssuedIdentifier,
  type RegisterEntry,
  requireFound,
  unavailable,
  unrecordedAtOnce,
} from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import { type CardSummary, createVisibility } from '@cardinal/service';
import { sql } from 'kysely';
import type { ServiceContext } from '../context.ts';
import { type Reader, type WorkstreamRow, workstreams } from '../database.ts';
import { insertIdentifiers } from './queries.ts';

/** An identifier of the ledger. */
interface RegisterRow {
  number: number;
  card_id: string;
  /** Null of one that the card had before it was adopted. */
  assigned_at: Date | null;
  /** Whether its card got another one since, and when; null where that was adopted. */
  is_superseded: boolean;
  superseded_at: Date | null;
  adopted: boolean;
}

/** Messages that may bring what the ledger does not have yet; where more is on its way, the ledger was away for long. */
const maxMessages = 20;

/** How often a page is read where cards are transferred meanwhile. */
const maxReads = 3;

/** The register of a workstream (CONTRACT 4.7): every identifier that it ever issued or adopted. */
export const serveRegister = ({ bus, db, lineage }: ServiceContext): void => {
  const visibility = createVisibility(bus);

  /**
   * Brings what is on its way to the ledger there, as the card service would a moment later: whatever was answered before
   * is in the ledger then, which alone says what superseded what.
   */
  const fillLedger = async (workspace_id: string): Promise<void> => {
    let after: IssuedIdentifier | undefined;
    for (let message = 0; message < maxMessages; message += 1) {
      const place = after && { card_id: after.card_id, identifier: after.identifier };
      const { unrecorded } = await bus.call(contracts.listUnrecordedOfWorkspace, { workspace_id, after: place });
      if (unrecorded.length > 0) {
        await db.statement((tx) => insertIdentifiers(tx, unrecorded));
        lineage.noteWrite();
      }
      if (unrecorded.length < unrecordedAtOnce) return;
      after = unrecorded.at(-1);
    }
    throw unavailable('The ledger is still being filled');
  };

  const read = async (by: Caller, workstream: WorkstreamRow, extent: Extent) => {
    await fillLedger(by.workspace_id);
    const rows = await db.read((tx) => readRegister(tx, workstream, extent));
    const cards = await visibility.cards(by, [...new Set(rows.map(({ card_id }) => card_id))]);
    return rows.map((row) => ({ row, entry: toEntry(workstream, row, cards.get(row.card_id)) }));
  };

  bus.serve(contracts.listWorkstreamIdentifiers, async ({ workstream_id, current, page: asked, ...by }) => {
    const { workspace_id } = by;
    const page = openPage(['register', workspace_id, workstream_id, current ?? null], [sortKey.count], asked);
    const found = await db.read((tx) => workstreams.find(tx, workspace_id, workstream_id));
    const workstream = requireFound('Workstream', found);
    const extent = { after: page.after?.[0] ?? 0, limit: page.limit, current };
    let lines = await read(by, workstream, extent);
    // A card that was transferred after the ledger was read is called otherwise already.
    const isOutdated = () => lines.some(({ row, entry }) => !row.is_superseded && !entry.is_current);
    for (let reads = 1; reads < maxReads && isOutdated(); reads += 1) lines = await read(by, workstream, extent);
    return page.cut(
      lines,
      ({ entry }) => entry,
      ({ entry }) => [entry.number],
    );
  });
};

/** Which part of a register: numbers above one, and whether superseded ones. */
interface Extent {
  after: number;
  limit: number;
  current: boolean | undefined;
}

/** Reads a page of a register and one more. Where a card got two identifiers as one version, a database fell back. */
const readRegister = async (
  tx: Reader,
  { workspace_id, prefix }: WorkstreamRow,
  { after, limit, current }: Extent,
): Promise<RegisterRow[]> => {
  const narrowed = current === undefined ? sql`true` : sql`(next.card_version is null) = ${current}::boolean`;
  const adopted = (number: 'own' | 'next', workstream: 'home' | 'target') =>
    sql.raw(`(${workstream}.adopting or ${number}.number <= ${workstream}.adopted_through)`);
  const { rows } = await sql<RegisterRow>`
    select number, card_id, adopted, is_superseded,
      -- When a card got the identifiers that it had before it was adopted nobody knows.
      case when not (adopted and followed) then assigned_at end as assigned_at,
      case when not followed then superseded_at end as superseded_at
    from (
      select own.number, own.card_id, own.assigned_at, ${adopted('own', 'home')} as adopted,
        next.card_version is not null as is_superseded, next.assigned_at as superseded_at,
        coalesce(${adopted('next', 'target')}, false) as followed
      from identifiers as own
      join workstreams as home on home.workspace_id = own.workspace_id and home.prefix = own.prefix
      left join lateral (
        select number, card_version, assigned_at, workstream_id from identifiers as later
        where later.workspace_id = own.workspace_id and later.card_id = own.card_id
          and later.card_version >= own.card_version
          and (later.card_version, later.prefix, later.number) > (own.card_version, own.prefix, own.number)
        order by later.card_version, later.prefix, later.number
        limit 1
      ) as next on true
      left join workstreams as target on target.workspace_id = own.workspace_id and target.id = next.workstream_id
      where own.workspace_id = ${workspace_id} and own.prefix = ${prefix} and own.number > ${after} and ${narrowed}
      order by own.number
      limit ${limit + 1}
    ) as page
    order by number`.execute(tx);
  return rows;
};

/** What is hidden looks like what is deleted: the ledger alone says whether it was superseded. */
const toEntry = ({ prefix }: WorkstreamRow, row: RegisterRow, seen: CardSummary | undefined): RegisterEntry => {
  const identifier = formatIdentifier(prefix, row.number);
  const is_current = seen ? seen.identifier === identifier : !row.is_superseded;
  const { board_deleted: _, ...card } = seen ?? { board_deleted: false };
  return {
    identifier,
    number: row.number,
    is_current,
    current_identifier: seen?.identifier ?? null,
    card: 'id' in card ? card : null,
    assigned_at: row.assigned_at?.toISOString() ?? null,
    superseded_at: is_current ? null : (row.superseded_at?.toISOString() ?? null),
    adopted: row.adopted,
  };
};
