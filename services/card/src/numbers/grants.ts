import { CardinalError, conflict, grant, unavailable } from '@cardinal/contracts';
import { counter, currentContext, inBackground } from '@cardinal/runtime';
import type { Connections, DatabaseLineage } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../database.ts';
import { applyGrant, readRange, writeRange } from './ranges.ts';

/** More numbers are requested when no more than this, or no more than this part of the grant, are left. */
const few = 1;
const partOfGrant = 1 / 2;
/** A workstream that is edited or archived all the while may need several. */
const maxRounds = 10;
/** Workstreams remembered. */
const remembered = 100_000;

const grants = counter({
  name: 'cardinal_grants_total',
  help: 'Grants of numbers that were asked for, by how that went',
  labels: ['outcome'],
});
const numbers = counter({ name: 'cardinal_numbers_granted_total', help: 'Numbers that were granted' });

/** Sets up grants; concurrent needs of one workstream share one request. */
export const createGrants = ({ db, bus, logger }: Connections<Tables>, lineage: DatabaseLineage) => {
  /** How many numbers were left of each range when it was last looked at or granted. */
  const sizes = new LRUCache<string, number>({ max: remembered });
  const asking = new Map<string, Promise<void>>();
  const keyOf = (workspaceId: string, workstreamId: string | null) => `${workspaceId}/${workstreamId}`;

  const ask = async (workspaceId: string, workstreamId: string | null): Promise<void> => {
    const { epoch } = await lineage.met();
    const range = await db.read((tx) => readRange(tx, workspaceId, workstreamId));
    const last_number = range?.last_number ?? 0;
    const user_id = currentContext()?.caller?.userId || undefined;
    const request = { workspace_id: workspaceId, workstream_id: workstreamId, user_id, last_number, epoch };
    const granted = await bus.call(grant, request).catch((error) => {
      grants().inc({ outcome: error instanceof CardinalError ? error.code : 'internal' });
      throw error;
    });
    // A grant is valid only in the epoch in which this process met its database.
    if (granted.epoch !== epoch) return lineage.forget();
    grants().inc({ outcome: 'ok' });
    numbers().inc(granted.granted_through - granted.granted_before);
    await db.statement(async (tx) => {
      if (lineage.current()?.epoch === epoch) await writeRange(() => applyGrant(tx, workspaceId, granted));
    });
    sizes.set(
      keyOf(workspaceId, granted.workstream.id),
      granted.granted_through - Math.max(last_number, granted.epoch_base),
    );
  };
  const askOnce = (workspaceId: string, workstreamId: string | null): Promise<void> => {
    const key = keyOf(workspaceId, workstreamId);
    const asked = asking.get(key) ?? ask(workspaceId, workstreamId).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };

  return {
    /** Whether this process has seen a range of the workstream: if not, a number most likely has to be requested. */
    knows: (workspaceId: string, workstreamId: string): boolean => sizes.has(keyOf(workspaceId, workstreamId)),

    /**
     * Sees to it that a number can be issued, and asks for a grant where that is needed: where the range is used up, or was
     * granted in an earlier epoch.
     * @param workstreamId null is the workspace's default
     * @returns the workstream's id
     * @throws CardinalError `not_found`, `conflict` where it is archived, `unavailable`
     */
    ensure: async (workspaceId: string, workstreamId: string | null): Promise<string> => {
      for (let round = 0; round < maxRounds; round += 1) {
        const { epoch, table } = await lineage.met();
        const range = await db.read((tx) => readRange(tx, workspaceId, workstreamId));
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
        await askOnce(workspaceId, workstreamId);
      }
      throw unavailable('No numbers are granted now');
    },

    /** Asks for more in the background where few numbers are left. */
    askEarly: (workspaceId: string, workstreamId: string, room: number): void => {
      const key = keyOf(workspaceId, workstreamId);
      if (room > Math.max(few, (sizes.get(key) ?? 0) * partOfGrant) || asking.has(key)) return;
      inBackground(() => askOnce(workspaceId, workstreamId)).catch((error) =>
        logger.debug({ err: error, workstream: workstreamId }, 'no numbers were granted in advance'),
      );
    },
  };
};
