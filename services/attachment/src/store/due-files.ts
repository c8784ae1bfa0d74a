import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import type { Tx } from './database.ts';
import { toStored } from './files.ts';

interface Take {
  now: Date;
  /** When it is due again should we vanish. */
  until: Date;
  leaseId: string;
  status: 'pending' | 'scanning';
  /** Leaves alone what somebody vanished over. */
  onlyUntouched: boolean;
}

/** A file whose turn it is, and ours alone while the lease is kept. */
export type DueFile = StoredFile & {
  lease_id: string;
  /** How often its turn was before. */
  attempts: number;
  /** How often whoever had it vanished. */
  lost_leases: number;
};

/** Takes the file that is due longest, unless another instance has it. */
export const takeDueFile = async (tx: Tx, take: Take): Promise<DueFile | undefined> => {
  const { now, until, leaseId, status, onlyUntouched } = take;
  const row = await tx
    .updateTable('files')
    .set((eb) => ({
      due_at: until,
      attempts: eb('attempts', '+', 1),
      lost_leases: sql<number>`lost_leases + (lease_id is not null)::integer`,
      lease_id: leaseId,
    }))
    .where(sql<boolean>`(workspace_id, id) = (
      select workspace_id, id from files where due_at <= ${now} and status = ${status}
        and not (${onlyUntouched} and (lease_id is not null or lost_leases > 0))
      order by due_at limit 1 for update skip locked)`)
    .returningAll()
    .executeTakeFirst();
  return row && { ...toStored(row), lease_id: leaseId, attempts: row.attempts - 1, lost_leases: row.lost_leases };
};

type Leased = Pick<DueFile, 'workspace_id' | 'id' | 'lease_id'>;

/** Keeps the lease on a file, where it is still ours. */
export const keepLease = (tx: Tx, file: Leased, until: Date): Promise<void> => change(tx, file, { due_at: until });

/** Gives a file back, to be looked at later. */
export const putOff = (tx: Tx, file: Leased, until: Date): Promise<void> =>
  change(tx, file, { due_at: until, lease_id: null });

const change = async (tx: Tx, { workspace_id, id, lease_id }: Leased, set: { due_at: Date; lease_id?: null }) => {
  await tx
    .updateTable('files')
    .set(set)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('lease_id', '=', lease_id)
    .execute();
};
