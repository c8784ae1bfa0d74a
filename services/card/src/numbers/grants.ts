import { CardinalError, conflict, grant, unavailable } from '@cardinal/contracts';
import { counter, currentContext, inBackground } from '@cardinal/runtime';
import type { Connections, DatabaseLineage } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../database.ts';
import { applyGrant, readRange, writeRange } from './ranges.ts';

/**
 * A grant is requested early where a range has at most this many numbers left, or at most this share of its last grant.
 */
const lowCount = 1;
const lowShare = 1 / 2;
/** The most requests for one number. Several are needed where the workstream is edited or archived meanwhile. */
const maxRounds = 10;
/** Workstreams in the cache. */
const cacheSize = 100_000;

const grants = counter({
  name: 'cardinal_grants_total',
  help: 'Requests for grants of numbers, by outcome',
  labels: ['outcome'],
});
const numbers = counter({ name: 'cardinal_numbers_granted_total', help: 'Numbers that were granted' });

/** The range of a workstream, and the epoch and the table in which it was read. */
interface Seen {
  epoch: number;
  table: number;
  range: Awaited<ReturnType<typeof readRange>>;
}

/** Creates the requests for grants (ARCHITECTURE, "Numbers"). Concurrent requests for a workstream share one. */
export const createGrants = ({ db, bus, logger }: Connections<Tables>, lineage: DatabaseLineage) => {
  /** How many numbers each range had when it was last read or granted. */
  const sizes = new LRUCache<string, number>({ max: cacheSize });
  const asking = new Map<string, Promise<string | undefined>>();
  const keyOf = (workspaceId: string, workstreamId: string | null) => `${workspaceId}/${workstreamId}`;

  const read = async (workspaceId: string, workstreamId: string | null): Promise<Seen> => {
    const { epoch, table } = await lineage.met();
    return { epoch, table, range: await db.read((tx) => readRange(tx, workspaceId, workstreamId)) };
  };

  /** @returns the id of the workstream, where the grant is for this epoch and the workstream takes cards */
  const ask = async (
    workspaceId: string,
    workstreamId: string | null,
    { epoch, range }: Seen,
  ): Promise<string | undefined> => {
    const last_number = range?.last_number ?? 0;
    const user_id = currentContext()?.caller?.userId || undefined;
    const request = { workspace_id: workspaceId, workstream_id: workstreamId, user_id, last_number, epoch };
    const granted = await bus.call(grant, request).catch((error) => {
      grants().inc({ outcome: error instanceof CardinalError ? error.code : 'internal' });
      throw error;
    });
    // A grant is valid only in the epoch of its request.
    if (granted.epoch !== epoch) {
      lineage.forget();
      return undefined;
    }
    grants().inc({ outcome: 'ok' });
    numbers().inc(granted.granted_through - granted.granted_before);
    await db.statement(async (tx) => {
      if (lineage.current()?.epoch === epoch) await writeRange(() => applyGrant(tx, workspaceId, granted));
    });
    const { id, archived_at } = granted.workstream;
    sizes.set(keyOf(workspaceId, id), granted.granted_through - Math.max(last_number, granted.epoch_base));
    return archived_at === null ? id : undefined;
  };
  const askOnce = (workspaceId: string, workstreamId: string | null, seen?: Seen): Promise<string | undefined> => {
    const key = keyOf(workspaceId, workstreamId);
    const begin = async () => ask(workspaceId, workstreamId, seen ?? (await read(workspaceId, workstreamId)));
    const asked = asking.get(key) ?? begin().finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };

  return {
    /** Whether this process has read a range of the workstream. If not, a number most likely needs a grant. */
    knows: (workspaceId: string, workstreamId: string): boolean => sizes.has(keyOf(workspaceId, workstreamId)),

    /**
     * Ensures that the range of a workstream has a number to issue. Requests a grant where the range is used up, or
     * belongs to an earlier epoch.
     * @param workstreamId null means the workspace's default workstream
     * @returns the workstream's id
     * @throws CardinalError `not_found`, `conflict` for an archived workstream, `unavailable`
     */
    ensure: async (workspaceId: string, workstreamId: string | null): Promise<string> => {
      for (let round = 0; round < maxRounds; round += 1) {
        const seen = await read(workspaceId, workstreamId);
        const { epoch, table, range } = seen;
        if (range && range.table !== table) {
          lineage.forget();
          continue;
        }
        if (range?.closed) throw conflict('The workstream is archived');
        if (range && range.epoch === epoch && range.last_number < range.granted_through) {
          const key = keyOf(workspaceId, range.id);
          if (!sizes.has(key)) sizes.set(key, range.granted_through - range.last_number);
          return range.id;
        }
        const granted = await askOnce(workspaceId, workstreamId, seen);
        // Where others have used it up meanwhile, the statement that takes a number finds out.
        if (granted !== undefined) return granted;
      }
      throw unavailable('No numbers are granted now');
    },

    /**
     * Requests a grant in the background where a range is nearly empty.
     * @param room the numbers that the range has left
     */
    askEarly: (workspaceId: string, workstreamId: string, room: number): void => {
      const key = keyOf(workspaceId, workstreamId);
      if (room > Math.max(lowCount, (sizes.get(key) ?? 0) * lowShare) || asking.has(key)) return;
      inBackground(() => askOnce(workspaceId, workstreamId)).catch((error) =>
        logger.debug({ err: error, workstream: workstreamId }, 'no numbers were granted in advance'),
      );
    },
  };
};
