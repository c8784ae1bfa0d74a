import { type SqlBool, sql } from 'kysely';
import type { Fixture } from './fixture.ts';

type Of = Pick<Fixture, 'instance'>;

const write = async ({ instance }: Of, statement: ReturnType<typeof sql<SqlBool>>) => {
  await instance.db.transaction((tx) => statement.execute(tx));
};

/** Gives a board so many members at once. */
export const fillBoard = (
  of: Of,
  { workspace_id, board_id }: { workspace_id: string; board_id: string },
  count: number,
) =>
  write(
    of,
    sql`insert into board_members (workspace_id, board_id, user_id, role, created_at)
      select ${workspace_id}::uuid, ${board_id}::uuid, gen_random_uuid(), 'member', now()
      from generate_series(1, ${count}::integer)`,
  );

/** Gives a board so many archived columns at once. */
export const fillWithColumns = (
  of: Of,
  { workspace_id, board_id }: { workspace_id: string; board_id: string },
  count: number,
) =>
  write(
    of,
    sql`insert into columns (workspace_id, id, version, board_id, name, position, archived_at, created_at, updated_at)
      select ${workspace_id}::uuid, gen_random_uuid(), 1, ${board_id}::uuid, 'Old', -n, now(), now(), now()
      from generate_series(1, ${count}::integer) as n`,
  );

/** Marks a card with so many ids at once, which replace those that it has. */
export const fillCard = (
  of: Of,
  { workspace_id, card_id }: { workspace_id: string; card_id: string },
  marks: 'assignee_user_ids' | 'label_ids',
  count: number,
) =>
  write(
    of,
    sql`update cards set ${sql.ref(marks)} = array(select gen_random_uuid() from generate_series(1, ${count}::integer))
      where workspace_id = ${workspace_id} and id = ${card_id}`,
  );
