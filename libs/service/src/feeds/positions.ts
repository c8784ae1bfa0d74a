import type { FeedOwner } from '@cardinal/contracts';
import { prepared, type Reader } from '@cardinal/db';

/** The last internal event of a feed that a projection applied; -1 where the projection needs a rebuild. */
export interface Position {
  seq: number;
  id: string | null;
}

interface Row extends Position {
  workspace_id: string;
}

/** A change of a position. It has no effect where another process moved the position first. */
export interface Move extends Row {
  from: Position;
}

/** $1 the owner, $2 workspaces. */
const find = prepared<Row>(
  'find-followed-feeds',
  'select workspace_id, seq, id from followed_feeds where owner = $1 and workspace_id = any ($2::uuid[])',
);

/** $1 the owner, $2 the moves. */
const move = prepared(
  'move-followed-feeds',
  `insert into followed_feeds as feed (owner, workspace_id, seq, id)
select $1, workspace_id, seq, id
from json_to_recordset($2) as moved (workspace_id uuid, seq bigint, id uuid)
order by workspace_id
on conflict (owner, workspace_id) do update set seq = excluded.seq, id = excluded.id
where exists (
  select from json_to_recordset($2) as moved (workspace_id uuid, from_seq bigint, from_id uuid)
  where moved.workspace_id = feed.workspace_id and from_seq = feed.seq and from_id is not distinct from feed.id)`,
);

/** $1 the owner, $2 how many. */
const listToRebuild = prepared<{ workspace_id: string }>(
  'list-feeds-to-rebuild',
  'select workspace_id from followed_feeds where owner = $1 and seq < 0 order by workspace_id limit $2',
);
const rebuildsAtOnce = 1_000;

/** Reads the position of a projection in the feeds of an owner. @returns it by workspace; 0 for a feed that is new */
export const findPositions = async (db: Reader, owner: FeedOwner, ids: readonly string[]) => {
  const found = new Map(
    (await find.run(db, [owner, ids])).map(({ workspace_id, ...position }) => [workspace_id, position]),
  );
  return (id: string): Position => found.get(id) ?? { seq: 0, id: null };
};

/** Moves positions, except those that are no longer where they were read. */
export const movePositions = async (db: Reader, owner: FeedOwner, moves: readonly Move[]): Promise<void> => {
  if (moves.length === 0) return;
  const rows = moves.map(({ from, ...row }) => ({ ...row, from_seq: from.seq, from_id: from.id }));
  await move.run(db, [owner, JSON.stringify(rows)]);
};

/** Reads some of the workspaces whose projection needs a rebuild, as the doctor demands it. */
export const findToRebuild = async (db: Reader, owner: FeedOwner): Promise<string[]> => {
  const rows = await listToRebuild.run(db, [owner, rebuildsAtOnce]);
  return rows.map(({ workspace_id }) => workspace_id);
};
