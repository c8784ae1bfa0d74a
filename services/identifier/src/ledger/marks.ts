import { type Mark, markKey, mark as markSchema, unavailable } from '@cardinal/contracts';
import type { Connections } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import { type Reader, type Tables, type WorkstreamRow, workstreams } from '../database.ts';
import { type Range, rangeKnown } from './rules.ts';

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

/** What the database knows of a workstream that its mark has too. */
type MarkedRow = Pick<WorkstreamRow, 'workspace_id' | 'prefix' | 'id' | 'granted_through' | 'epoch' | 'epoch_base'>;

/**
 * Keeps in the register how far numbers of each prefix were ever granted, and which workstream it belongs to: what the
 * database forgets when it falls back (architecture, "Lineage").
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
      const again = { ...mark, through: mine.through, epoch, epoch_base };
      await write(workspaceId, prefix, again, revision);
    }
    throw unavailable('The register changes all the time');
  };
  /** A workstream's mark; what the database knows where the register has none. */
  const readOf = async (row: MarkedRow): Promise<KnownMark> => ({
    ...{ through: row.granted_through, epoch: row.epoch, epoch_base: row.epoch_base, workstream_id: row.id },
    ...(await read(row.workspace_id, row.prefix)),
  });

  /** Whichever knows less of a workstream, the register or the database, learns it of the other. */
  const agree = async (row: MarkedRow): Promise<void> => {
    const mark = await readOf(row);
    const known = rangeKnown({ ...row, grant_size: null, granted_at: null }, mark);
    const { granted_through: through, epoch, epoch_base } = known;
    const agreed = { through, epoch, epoch_base, workstream_id: mark.workstream_id };
    if (mark.isMissing || mark.through < through || mark.epoch < epoch) {
      // Else a grant came first, which writes both.
      if (!(await write(row.workspace_id, row.prefix, agreed, mark.revision))) return;
    }
    if (row.granted_through < through || row.epoch < epoch) await db.statement((tx) => raiseRange(tx, row, agreed));
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
     * Raises a mark to the end of a range.
     * @param mark as it was read
     * @returns false where it was written meanwhile
     * @throws CardinalError `unavailable`; it may have been raised all the same
     */
    raise: (
      { workspace_id, prefix }: MarkedRow,
      { revision, workstream_id }: KnownMark,
      { granted_through, epoch, epoch_base }: Range,
    ): Promise<boolean> =>
      write(workspace_id, prefix, { through: granted_through, epoch, epoch_base, workstream_id }, revision),

    /**
     * Finds out which id a prefix has for ever: that of a workstream that had it and was lost in a fall, or a new one.
     * @param prefix in upper case
     * @throws CardinalError `unavailable`
     */
    reserve: async (workspaceId: string, prefix: string): Promise<string> => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const { workstream_id, revision } = await read(workspaceId, prefix);
        if (workstream_id) return workstream_id;
        const row = await db.read((tx) => findByPrefix(tx, workspaceId, prefix));
        const { id = v7(), granted_through: through = 0, epoch = 1, epoch_base = 0 } = row ?? {};
        if (await write(workspaceId, prefix, { through, epoch, epoch_base, workstream_id: id }, revision)) return id;
      }
      throw unavailable('The register changes all the time');
    },

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
  const all = tx
    .selectFrom('workstreams')
    .select(['workspace_id', 'prefix', 'id', 'granted_through', 'epoch', 'epoch_base']);
  const left = after
    ? all.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('workspace_id', 'id'), '>', tuple(after.workspace_id, after.id)),
      )
    : all;
  return left.orderBy('workspace_id').orderBy('id').limit(rowsAtOnce).execute();
};

/** Only if it is further: grants go on meanwhile. */
const raiseRange = async (tx: Reader, { workspace_id, id }: MarkedRow, { through, epoch, epoch_base }: Mark) => {
  await tx
    .updateTable('workstreams')
    .set({ granted_through: through, epoch, epoch_base })
    .where(({ and }) => and({ workspace_id, id }))
    .where('granted_through', '<=', through)
    .where('epoch', '<=', epoch)
    .execute();
};
