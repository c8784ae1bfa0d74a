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

/** An entry of the ledger, for a register. */
interface RegisterRow {
  number: number;
  card_id: string;
  /** Null for an identifier that the card had before its adoption. */
  assigned_at: Date | null;
  /** Whether the card got another identifier since. */
  is_superseded: boolean;
  /** When the card got the next identifier; null where it has none, or the next one was adopted. */
  superseded_at: Date | null;
  adopted: boolean;
}

/**
 * The most messages that bring unrecorded identifiers. More identifiers are unrecorded only after a long outage of the
 * ledger.
 */
const maxMessages = 20;

/** The most reads of a page while cards are transferred. */
const maxReads = 3;

/** Serves the register of a workstream: every identifier that it ever issued or adopted (CONTRACT 4.7). */
export const serveRegister = ({ bus, db, lineage }: ServiceContext): void => {
  const visibility = createVisibility(bus);

  /**
   * Inserts the workspace's unrecorded identifiers into the ledger, as the card service would a moment later. Then the
   * ledger has every identifier that was answered before, and knows which one superseded which.
   * @throws CardinalError `unavailable` where too many are unrecorded
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
    // A card that was transferred after the read of the ledger has another current identifier.
    const isOutdated = () => lines.some(({ row, entry }) => !row.is_superseded && !entry.is_current);
    for (let reads = 1; reads < maxReads && isOutdated(); reads += 1) lines = await read(by, workstream, extent);
    return page.cut(
      lines,
      ({ entry }) => entry,
      ({ entry }) => [entry.number],
    );
  });
};

/** A part of a register: the numbers above `after`, and only current or only superseded ones where `current` is set. */
interface Extent {
  after: number;
  limit: number;
  current: boolean | undefined;
}

/** Reads a page of a register, and one more. After a rollback, a card can have two identifiers of one version. */
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
      -- Unknown for the identifiers that a card had before its adoption.
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

/**
 * Makes an entry of a register. Hidden cards look like deleted ones: the ledger alone decides whether the identifier is
 * current.
 */
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
