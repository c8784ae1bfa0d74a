import { type Mark, markKey, mark as markSchema, unavailable } from '@cardinal/contracts';
import type { Connections } from '@cardinal/service';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import { type Reader, type Tables, type WorkstreamRow, workstreams } from '../database.ts';
import { type Range, rangeKnown, wasAsked, wasOpened } from './rules.ts';

/** Marks in the cache. A mark that was evicted is read again. */
const cacheSize = 50_000;
/** The most tries of a write. A try fails where another process writes the mark first. */
const maxTries = 20;
/** Workstreams per page of `reconcile`. */
const rowsAtOnce = 100;

interface Read {
  revision: number;
  /** The register has no such mark; its fields come from the cache or from the database. */
  isMissing?: true;
}

/** A mark with the revision that was read. */
type KnownMark = Mark & Read;

const markedColumns = [
  'workspace_id',
  'prefix',
  'id',
  'is_default',
  'epoch',
  'epoch_base',
  'granted_through',
  'granted_at',
  'adopting',
  'adopted_through',
] as const;

/** The columns of a workstream that correspond to its mark. */
type MarkedRow = Pick<WorkstreamRow, (typeof markedColumns)[number]>;

/** The highest number that was granted or adopted according to the database. */
const highestOf = ({ granted_through, adopted_through }: MarkedRow) => Math.max(granted_through, adopted_through);

/**
 * Creates access to the marks in the register: for each prefix, the highest number that was ever granted or adopted,
 * and the workstream. A rollback of the database loses these; the register keeps them (ARCHITECTURE, "Lineage").
 */
export const createMarks = ({ db, bus: { register } }: Pick<Connections<Tables>, 'db' | 'bus'>) => {
  /** The cache of marks, which also restores a lost register. A mark without a revision is read again. */
  const known = new LRUCache<string, Mark & { revision: number | undefined }>({ max: cacheSize });

  /** Writes a mark by compare and set. @returns false where the register has another revision */
  const write = async (workspaceId: string, prefix: string, mark: Mark, revision: number): Promise<boolean> => {
    const key = markKey(workspaceId, prefix);
    forget(key);
    const written = await register.write(key, mark, revision);
    if (written !== undefined) known.set(key, { ...mark, revision: written });
    return written !== undefined;
  };
  /** Invalidates the cached revision, because a write without an answer may have been applied. */
  const forget = (key: string): void => {
    const mark = known.get(key);
    if (mark) known.set(key, { ...mark, revision: undefined });
  };

  /**
   * Reads a mark.
   * @returns the revision alone, as missing, where neither register nor cache has a mark of the prefix
   */
  const read = async (workspaceId: string, prefix: string): Promise<Partial<Mark> & Read> => {
    const key = markKey(workspaceId, prefix);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { value, revision } = await register.read(key);
      const cached = known.get(key);
      if (value === undefined) return { ...cached, revision, isMissing: true };
      const mark = markSchema.parse(value);
      if (!cached || cached.through <= mark.through) {
        known.set(key, { ...mark, revision });
        return { ...mark, revision };
      }
      // A mark never falls. So the register was lost, and a process with an older cache wrote it again.
      const { epoch, epoch_base } = cached.epoch > mark.epoch ? cached : mark;
      const adopting = mark.adopting && cached.adopting;
      const corrected = { ...mark, through: cached.through, epoch, epoch_base, adopting };
      await write(workspaceId, prefix, corrected, revision);
    }
    throw unavailable('The register changes all the time');
  };
  /** Reads the mark of a workstream. Where the register has none, its fields come from the database. */
  const readOf = async (row: MarkedRow): Promise<KnownMark> => ({
    through: highestOf(row),
    epoch: row.epoch,
    epoch_base: row.epoch_base,
    workstream_id: row.id,
    adopting: row.adopting,
    ...(await read(row.workspace_id, row.prefix)),
  });

  const agree = async (row: MarkedRow): Promise<void> => {
    const mark = await readOf(row);
    const highest = highestOf(row);
    const known = rangeKnown({ ...row, granted_through: highest, grant_size: null, granted_at: null }, mark);
    const { granted_through: through, epoch, epoch_base } = known;
    // A grant ends an adoption, also where a rollback of the database lost the opening.
    const adopting = !wasOpened(mark) && (mark.adopting || row.adopting);
    const agreed = { through, epoch, epoch_base, workstream_id: mark.workstream_id, adopting };
    // A rollback of the database lost the beginning of the default workstream's adoption.
    const restoresAdoption = row.is_default && !row.adopting && adopting && !wasAsked(row) && highest < through;
    if (mark.isMissing || mark.through < through || mark.epoch < epoch) {
      // The write fails where a grant came first, which writes register and database.
      if (!(await write(row.workspace_id, row.prefix, agreed, mark.revision))) return;
    }
    if (highest < through || row.epoch < epoch || (row.adopting && !adopting))
      await db.statement((tx) => raiseRange(tx, row, { ...agreed, restoresAdoption }));
  };

  return {
    /**
     * Finds the mark of a workstream in the cache, else in the register. The register can have a higher one than the
     * cache.
     * @throws CardinalError `unavailable`
     */
    of: async (row: MarkedRow): Promise<KnownMark> => {
      const mark = known.get(markKey(row.workspace_id, row.prefix));
      return mark?.revision === undefined ? readOf(row) : { ...mark, revision: mark.revision };
    },

    /** Invalidates the cached mark of a workstream, so that it is read again. */
    forget: ({ workspace_id, prefix }: Pick<MarkedRow, 'workspace_id' | 'prefix'>): void =>
      forget(markKey(workspace_id, prefix)),

    /**
     * Raises a mark to the end of a range, or to the highest number of an adoption.
     * @returns false where another process wrote the mark since it was read
     * @throws CardinalError `unavailable`; the write may have been applied nevertheless
     */
    raise: (
      { workspace_id, prefix, adopting }: MarkedRow,
      { revision, workstream_id }: KnownMark,
      { granted_through: through, epoch, epoch_base }: Pick<Range, 'granted_through' | 'epoch' | 'epoch_base'>,
    ): Promise<boolean> =>
      write(workspace_id, prefix, { through, epoch, epoch_base, workstream_id, adopting }, revision),

    /**
     * Reserves a prefix for a workstream, for ever. Where a rollback lost a workstream of the prefix, the mark still
     * has its id and its numbers; otherwise the mark is new.
     * @param prefix in upper case
     * @param adopting whether a new workstream adopts
     * @param beginning the number above which a new workstream begins, and its epoch (`beginningOfNew` of the lineage)
     * @returns the mark, with the id that the workstream has to have
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
          through: row ? highestOf(row) : beginning.number,
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
     * Marks an existing workstream as adopting in the register.
     * @returns false where the workstream has, or may have, a grant
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

    /** Makes register and database agree on a workstream: the one that is behind gets the other's state. */
    agree,

    /**
     * Makes register and database agree on every workstream of the database.
     * @throws CardinalError `unavailable`; a repetition is safe
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
 * Applies the register's mark of a workstream to the database, unless the database is further: grants and adoptions run
 * meanwhile. Where the mark no longer adopts, the row's adoption ends, which is a new version of the workstream.
 * @param restoresAdoption whether a rollback of the database lost the beginning of the adoption
 */
export const raiseRange = async (
  tx: Reader,
  { workspace_id, id }: Pick<MarkedRow, 'workspace_id' | 'id'>,
  {
    through,
    epoch,
    epoch_base,
    adopting,
    restoresAdoption = false,
  }: Omit<Mark, 'workstream_id'> & { restoresAdoption?: boolean },
) => {
  const adopts = sql<boolean>`((adopting or ${restoresAdoption}::boolean) and ${adopting}::boolean)`;
  await sql`
    update workstreams set epoch = ${epoch}, epoch_base = ${epoch_base},
      adopting = ${adopts},
      version = version + (adopting <> ${adopts})::integer,
      granted_through = case when ${adopts} then 0 else ${through}::bigint end,
      adopted_through = case when ${adopts} then ${through}::bigint else adopted_through end
    where workspace_id = ${workspace_id} and id = ${id} and epoch <= ${epoch} and not (${restoresAdoption}::boolean and granted_at is not null)
      and greatest(granted_through, case when adopting and ${adopting}::boolean then adopted_through end) <= ${through}::bigint`.execute(
    tx,
  );
};
