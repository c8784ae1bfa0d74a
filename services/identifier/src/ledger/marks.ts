import { type Mark, markKey, mark as markSchema, unavailable } from '@cardinal/contracts';
import type { Connections } from '@cardinal/service';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import { type Reader, type Tables, type WorkstreamRow, workstreams } from '../database.ts';
import { type Range, rangeKnown, wasAsked, wasOpened } from './rules.ts';

/** Marks remembered; one that is forgotten is read again. */
const remembered = 50_000;
/** Others may write the same mark. */
const maxTries = 20;
const rowsAtOnce = 100;

interface Read {
  revision: number;
  /** The register has none: what is known of it is out of memory or out of the database. */
  isMissing?: true;
}

/** A mark as it was read. */
type KnownMark = Mark & Read;

const markedColumns = [
  ...(['workspace_id', 'prefix', 'id', 'is_default', 'epoch', 'epoch_base'] as const),
  ...(['granted_through', 'granted_at', 'adopting', 'adopted_through'] as const),
] as const;

/** What the database knows of a workstream that its mark has too. */
type MarkedRow = Pick<WorkstreamRow, (typeof markedColumns)[number]>;

/** The furthest number that was granted or adopted as far as the database knows. */
const furthestOf = ({ granted_through, adopted_through }: MarkedRow) => Math.max(granted_through, adopted_through);

/**
 * Keeps in the register how far numbers of each prefix were ever granted or adopted, and which workstream it belongs to:
 * what the database forgets when it falls back (ARCHITECTURE, "Lineage").
 */
export const createMarks = ({ db, bus: { register } }: Pick<Connections<Tables>, 'db' | 'bus'>) => {
  /** Marks as this process last knew them, also for a register that was lost; those without a revision are read again. */
  const known = new LRUCache<string, Mark & { revision: number | undefined }>({ max: remembered });

  const write = async (workspaceId: string, prefix: string, mark: Mark, revision: number): Promise<boolean> => {
    const key = markKey(workspaceId, prefix);
    forget(key);
    const written = await register.write(key, mark, revision);
    if (written !== undefined) known.set(key, { ...mark, revision: written });
    return written !== undefined;
  };
  /** A write that was not answered may have been made. */
  const forget = (key: string): void => {
    const mark = known.get(key);
    if (mark) known.set(key, { ...mark, revision: undefined });
  };

  /** @returns the revision alone, as missing, where neither the register nor this process knows the prefix */
  const read = async (workspaceId: string, prefix: string): Promise<Partial<Mark> & Read> => {
    const key = markKey(workspaceId, prefix);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { value, revision } = await register.read(key);
      const mine = known.get(key);
      if (value === undefined) return { ...mine, revision, isMissing: true };
      const mark = markSchema.parse(value);
      if (!mine || mine.through <= mark.through) {
        known.set(key, { ...mark, revision });
        return { ...mark, revision };
      }
      // A mark never falls: the register was lost, and written again by a process that knew less.
      const { epoch, epoch_base } = mine.epoch > mark.epoch ? mine : mark;
      const adopting = mark.adopting && mine.adopting;
      const again = { ...mark, through: mine.through, epoch, epoch_base, adopting };
      await write(workspaceId, prefix, again, revision);
    }
    throw unavailable('The register changes all the time');
  };
  /** A workstream's mark; what the database knows where the register has none. */
  const readOf = async (row: MarkedRow): Promise<KnownMark> => ({
    ...{ through: furthestOf(row), epoch: row.epoch, epoch_base: row.epoch_base, workstream_id: row.id },
    adopting: row.adopting,
    ...(await read(row.workspace_id, row.prefix)),
  });

  const agree = async (row: MarkedRow): Promise<void> => {
    const mark = await readOf(row);
    const furthest = furthestOf(row);
    const known = rangeKnown({ ...row, granted_through: furthest, grant_size: null, granted_at: null }, mark);
    const { granted_through: through, epoch, epoch_base } = known;
    // Numbers that were granted end an adoption, also where the row fell back to before its opening.
    const adopting = !wasOpened(mark) && (mark.adopting || row.adopting);
    const agreed = { through, epoch, epoch_base, workstream_id: mark.workstream_id, adopting };
    // What was adopted into the default workstream before the database fell back to when it did not adopt yet.
    const returns = row.is_default && !row.adopting && adopting && !wasAsked(row) && furthest < through;
    if (mark.isMissing || mark.through < through || mark.epoch < epoch) {
      // Else a grant came first, which writes both.
      if (!(await write(row.workspace_id, row.prefix, agreed, mark.revision))) return;
    }
    if (furthest < through || row.epoch < epoch || (row.adopting && !adopting))
      await db.statement((tx) => raiseRange(tx, row, { ...agreed, returns }));
  };

  return {
    /**
     * The mark of a workstream as this process knows it; the register may have a higher one by now.
     * @throws CardinalError `unavailable`
     */
    of: async (row: MarkedRow): Promise<KnownMark> => {
      const mark = known.get(markKey(row.workspace_id, row.prefix));
      return mark?.revision === undefined ? readOf(row) : { ...mark, revision: mark.revision };
    },

    /** Has the mark read again that this process knows. */
    forget: ({ workspace_id, prefix }: Pick<MarkedRow, 'workspace_id' | 'prefix'>): void =>
      forget(markKey(workspace_id, prefix)),

    /**
     * Raises a mark to the end of a range, or to the highest number of an adoption.
     * @param mark as it was read
     * @returns false where it was written meanwhile
     * @throws CardinalError `unavailable`; it may have been raised all the same
     */
    raise: (
      { workspace_id, prefix, adopting }: MarkedRow,
      { revision, workstream_id }: KnownMark,
      { granted_through: through, epoch, epoch_base }: Pick<Range, 'granted_through' | 'epoch' | 'epoch_base'>,
    ): Promise<boolean> =>
      write(workspace_id, prefix, { through, epoch, epoch_base, workstream_id, adopting }, revision),

    /**
     * Finds out which id a prefix has for ever: that of a workstream that had it and was lost in a fall, or a new one; and
     * what became of its numbers.
     * @param prefix in upper case
     * @param adopting whether the workstream is to adopt, where it is new
     * @param beginning where one begins that nothing is known of (`beginningOfNew` of the lineage)
     * @throws CardinalError `unavailable`
     */
    reserve: async (
      workspaceId: string,
      prefix: string,
      adopting: boolean,
      beginning: { number: number; epoch: number },
    ): Promise<Mark> => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const { revision, ...before } = await read(workspaceId, prefix);
        if (before.workstream_id) return markSchema.parse(before);
        const row = await db.read((tx) => findByPrefix(tx, workspaceId, prefix));
        const made: Mark = {
          through: row ? furthestOf(row) : beginning.number,
          epoch: row?.epoch ?? beginning.epoch,
          epoch_base: row?.epoch_base ?? beginning.number,
          workstream_id: row?.id ?? v7(),
          adopting: row?.adopting ?? adopting,
        };
        if (await write(workspaceId, prefix, made, revision)) return made;
      }
      throw unavailable('The register changes all the time');
    },

    /**
     * Has the register remember that a workstream adopts, which was made without.
     * @returns false where numbers of it were granted, or may have been
     * @throws CardinalError `unavailable`
     */
    beginAdopting: async (row: MarkedRow): Promise<boolean> => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const { revision, isMissing, ...mark } = await readOf(row);
        if (mark.adopting && !isMissing) return true;
        if (mark.through > mark.epoch_base) return false;
        if (await write(row.workspace_id, row.prefix, { ...mark, adopting: true }, revision)) return true;
      }
      throw unavailable('The register changes all the time');
    },

    /** Whichever knows less of a workstream, the register or the database, learns it of the other. */
    agree,

    /**
     * Makes the register and the database agree on every workstream that the database has.
     * @throws CardinalError `unavailable`: it may be repeated
     */
    reconcile: async (): Promise<void> => {
      let after: MarkedRow | undefined;
      do {
        const rows = await db.read((tx) => listMarked(tx, after));
        await Promise.all(rows.map(agree));
        after = rows.length === rowsAtOnce ? rows.at(-1) : undefined;
      } while (after);
    },
  };
};

const findByPrefix = (tx: Reader, workspaceId: string, prefix: string) =>
  workstreams.in(tx, workspaceId).where('prefix', '=', prefix).executeTakeFirst();

const listMarked = (tx: Reader, after: MarkedRow | undefined): Promise<MarkedRow[]> => {
  const all = tx.selectFrom('workstreams').select(markedColumns);
  const left = after
    ? all.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('workspace_id', 'id'), '>', tuple(after.workspace_id, after.id)),
      )
    : all;
  return left.orderBy('workspace_id').orderBy('id').limit(rowsAtOnce).execute();
};

/**
 * Brings into the database what the register has of a workstream, only if it is further: grants and adoptions go on
 * meanwhile. One that no longer adopts there does not here; that is a new version of it.
 * @param returns whether it adopts there, and fell back to before that here
 */
export const raiseRange = async (
  tx: Reader,
  { workspace_id, id }: Pick<MarkedRow, 'workspace_id' | 'id'>,
  { through, epoch, epoch_base, adopting, returns = false }: Omit<Mark, 'workstream_id'> & { returns?: boolean },
) => {
  const adopts = sql<boolean>`((adopting or ${returns}::boolean) and ${adopting}::boolean)`;
  await sql`
    update workstreams set epoch = ${epoch}, epoch_base = ${epoch_base},
      adopting = ${adopts},
      version = version + (adopting <> ${adopts})::integer,
      granted_through = case when ${adopts} then 0 else ${through}::bigint end,
      adopted_through = case when ${adopts} then ${through}::bigint else adopted_through end
    where workspace_id = ${workspace_id} and id = ${id} and epoch <= ${epoch} and not (${returns}::boolean and granted_at is not null)
      and greatest(granted_through, case when adopting and ${adopting}::boolean then adopted_through end) <= ${through}::bigint`.execute(
    tx,
  );
};
