import { type Command, notFound, unavailable } from '@cardinal/contracts';
import { claimCommands, type Database, endCommands } from '@cardinal/db';
import { checkVersion } from '../domain/write-rules.ts';
import type { Tables, Tx } from '../store/database.ts';

/** What every mutation says of itself. */
interface Mutation {
  workspace_id: string;
  command: Command;
}

/** A row whose state has a number. */
interface Versioned {
  version: number;
  updated_at: Date;
}

/** A change of one row, as {@link writeVersioned} makes it. */
export interface VersionedWrite<Row extends Versioned, Resource> {
  /** What a 404 calls it. */
  what: string;
  /** Reads the row and holds it to the end of the transaction. */
  lock: (tx: Tx) => Promise<Row | undefined>;
  /** Refuses by throwing where the caller sees the row and may not write it so. */
  permit?: ((tx: Tx, row: Row) => Promise<void>) | undefined;
  /** Answers what the fields become; refuses by throwing. */
  change: Change<Row>;
  save: (tx: Tx, row: Row) => Promise<Row>;
  present: (row: Row) => Resource;
}

/** A removal of one row, as {@link deleteVersioned} makes it. */
export interface VersionedDelete<Row extends Versioned> extends Pick<VersionedWrite<Row, unknown>, 'what' | 'lock'> {
  remove: (tx: Tx, row: Row) => Promise<unknown>;
}

/** Answers the new values of some fields; those that are undefined, or as they were, do not change. */
export type Change<Row> = (row: Row, now: Date, tx: Tx) => Maybe<Row> | Promise<Maybe<Row>>;
type Maybe<Row> = { [Field in keyof Row]?: Row[Field] | undefined };

/**
 * Runs a command once, in the transaction that claims it and stores its response.
 * @returns the response, or the stored one where the command ran before
 * @throws CardinalError `idempotency_key_reused`
 */
export async function once<Response>(tx: Tx, { workspace_id, command }: Mutation, run: () => Promise<Response>) {
  const now = new Date();
  const [claim] = await claimCommands(tx, [{ workspaceId: workspace_id, ...command }], now);
  if (!claim || claim instanceof Error) throw claim ?? new Error('A claim was not answered');
  if (claim.state === 'ended') return { response: claim.response as Response, replayed: true };
  if (claim.state === 'pending') throw unavailable('The same command is still under way');
  const response = await run();
  await endCommands(tx, [{ workspaceId: workspace_id, id: command.id, response }], now);
  return { response, replayed: false };
}

/**
 * Changes a versioned row: in this order 404, replay, 403, 412, whatever `change` refuses. A change of nothing leaves version
 * and update time (ADR "Boards, columns and workstreams are written like cards").
 */
export const writeVersioned = <Row extends Versioned, Resource>(
  db: Database<Tables>,
  request: Mutation & { if_match: number[] },
  write: VersionedWrite<Row, Resource>,
): Promise<{ resource: Resource; replayed: boolean }> =>
  db.transaction(async (tx) => {
    const row = await write.lock(tx);
    if (!row) throw notFound(write.what);
    const { response, replayed } = await once(tx, request, async () => {
      await write.permit?.(tx, row);
      return write.present(await applyChange(tx, row, request.if_match, write));
    });
    return { resource: response, replayed };
  });

/**
 * Removes a versioned row. A removed row is not found, so the replay comes first here.
 */
export const deleteVersioned = <Row extends Versioned>(
  db: Database<Tables>,
  request: Mutation & { if_match: number[] },
  { what, lock, remove }: VersionedDelete<Row>,
): Promise<{ deleted: true }> =>
  db.transaction(async (tx) => {
    const { response } = await once(tx, request, async () => {
      const row = await lock(tx);
      if (!row) throw notFound(what);
      checkVersion(row.version, request.if_match);
      await remove(tx, row);
      return { deleted: true } as const;
    });
    return response;
  });

/**
 * The next state of a row: one version more where a field comes out different.
 * @param changes fields that are undefined, or as they were, do not change
 * @returns the same row where nothing changes
 */
export const nextState = <Row extends Versioned>(row: Row, changes: Maybe<Row>, now: Date): Row => {
  const changed = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && value !== row[field as keyof Row],
  );
  if (changed.length === 0) return row;
  return { ...row, ...Object.fromEntries(changed), version: row.version + 1, updated_at: now };
};

async function applyChange<Row extends Versioned>(
  tx: Tx,
  row: Row,
  ifMatch: number[],
  { change, save }: Pick<VersionedWrite<Row, unknown>, 'change' | 'save'>,
): Promise<Row> {
  checkVersion(row.version, ifMatch);
  const now = new Date();
  const next = nextState(row, await change(row, now, tx), now);
  return next === row ? row : save(tx, next);
}
