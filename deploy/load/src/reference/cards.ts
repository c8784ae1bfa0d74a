import {
  type Caller,
  type Card,
  type CardFilters,
  CardinalError,
  type CreateCardBody,
  conflict,
  notFound,
  type PatchCardBody,
  uuid,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { z } from 'zod';
import { type Answer, audited, type Command, claim, record } from './commands.ts';
import type { Pool, Query, Row } from './database.ts';

interface CardRow extends Row {
  id: string;
  version: number;
  workstream_id: string;
  board_deleted_at: Date | null;
}

/** What of a card row belongs to its representation; the query adds the workstream's name and prefix. */
const cardOf = (row: Row): Card => {
  const { workspace_id: _, workstream_id, workstream_name, workstream_prefix, ...rest } = row as Row & CardRow;
  const { board_deleted_at: __, board_name: ___, type: ____, ...card } = rest as Row;
  return {
    type: 'card',
    ...card,
    workstream: { id: workstream_id, name: workstream_name, prefix: workstream_prefix },
  } as unknown as Card;
};

const answerOf = (row: Row, status = 200): Answer => ({
  status,
  version: row.version as number,
  body: JSON.stringify({ data: cardOf(row) }),
});

const visible = `(b.visibility = 'workspace' or b.created_by = $2
  or exists (select from board_members m where m.workspace_id = b.workspace_id and m.board_id = b.id and m.user_id = $2))`;

const readCards = `select c.*, w.name as workstream_name, w.prefix as workstream_prefix, b.name as board_name,
    b.deleted_at as board_deleted_at
  from cards c join workstreams w using (workspace_id) join boards b using (workspace_id)
  where c.workspace_id = $1 and w.id = c.workstream_id and b.id = c.board_id and ${visible}`;

/** Takes the next number of an active workstream. */
const nextNumber = async (query: Query, workspaceId: string, workstreamId: string) => {
  const [workstream] = await query<{ name: string; prefix: string; last_number: number }>(
    `update workstreams set last_number = last_number + 1
     where workspace_id = $1 and id = $2 and archived_at is null returning name, prefix, last_number`,
    [workspaceId, workstreamId],
  );
  if (!workstream) throw conflict('The workstream is archived');
  return { ...workstream, identifier: `${workstream.prefix}-${workstream.last_number}` };
};

/** What a client writes of a card, and what it keeps in the columns of those names. */
const fields = ['title', 'description', 'due_date', 'priority'] as const;

export const createCard = (
  pool: Pool,
  { workspace_id, user_id }: Caller,
  columnId: string,
  body: CreateCardBody,
  command: Command,
): Promise<Answer> =>
  pool.transaction(async (query) => {
    const [column] = await query<{ board_id: string; workstream_id: string | null; blocked: boolean }>(
      `select b.id as board_id, c.archived_at is not null or b.archived_at is not null or b.deleted_at is not null as blocked,
         coalesce($4, (select id from workstreams w where w.workspace_id = $1 and w.id = b.default_workstream_id
           and w.archived_at is null), (select id from workstreams w where w.workspace_id = $1 and w.is_default)) as workstream_id
       from columns c join boards b on b.workspace_id = c.workspace_id and b.id = c.board_id
       where c.workspace_id = $1 and c.id = $3 and ${visible}`,
      [workspace_id, user_id, columnId, body.workstream_id ?? null],
    );
    if (!column) throw notFound('Column');
    const replay = await claim(query, workspace_id, command);
    if (replay) return replay;
    if (column.blocked) throw conflict('The column is archived');
    const { identifier, name, prefix } = await nextNumber(query, workspace_id, column.workstream_id ?? '');
    const [row] = await query<Row>(
      `with place as (update columns set top = top - 1 where workspace_id = $1 and id = $4 returning top)
       insert into cards (workspace_id, id, version, board_id, column_id, position, title, description, due_date, priority,
         created_by, created_at, updated_at, workstream_id, identifier)
       select $1, $2, 1, $3, $4, place.top, $5, $6, $7, $8, $9, $10, $10, $11, $12 from place
       returning *, $13::text as workstream_name, $14::text as workstream_prefix`,
      [
        ...[workspace_id, v7(), column.board_id, columnId],
        ...fields.map((field) => body[field] ?? null),
        ...[user_id, new Date(), column.workstream_id, identifier, name, prefix],
      ],
    );
    const answer = answerOf(row as Row, 201);
    await record(query, user_id, row as Row, command, answer, 'card.created');
    return answer;
  });

/** Locks a card that the caller sees and that takes writes, at the expected version. */
const lockCard = async (query: Query, caller: Caller, id: string, ifMatch: number, command?: Command) => {
  const { workspace_id, user_id } = caller;
  const [card] = await query<CardRow>(`${readCards} and c.id = $3 for update of c`, [workspace_id, user_id, id]);
  if (!card) throw notFound('Card');
  const replay = command && (await claim(query, workspace_id, command));
  if (replay) return { replay };
  if (ifMatch !== card.version) {
    throw new CardinalError('precondition_failed', 'The card has changed', { current_version: card.version });
  }
  if (card.board_deleted_at) throw conflict('The board is deleted');
  return { card };
};

export const patchCard = (
  pool: Pool,
  caller: Caller,
  id: string,
  { completed, ...changes }: PatchCardBody,
  ifMatch: number,
): Promise<Answer> =>
  pool.transaction(async (query) => {
    const { card } = await lockCard(query, caller, id, ifMatch);
    if (!card) throw notFound('Card');
    const next: Row = { ...card, ...changes };
    if (completed !== undefined) next.completed_at = completed ? (card.completed_at ?? new Date()) : null;
    const names = [...fields, 'completed_at'];
    if (names.every((name) => next[name] === card[name])) return answerOf(card);
    const changed = { ...next, version: card.version + 1, updated_at: new Date() };
    const answer = answerOf(changed);
    await query(
      `with ${audited(10)}
       update cards set title = $3, description = $4, due_date = $5, priority = $6, completed_at = $7, version = $8,
         updated_at = $9 where workspace_id = $1 and id = $2`,
      [
        ...[caller.workspace_id, id, ...names.map((name) => next[name]), changed.version, changed.updated_at],
        ...['card.updated', id, caller.user_id, changed.updated_at, answer.body],
      ],
    );
    return answer;
  });

export const transferCard = (
  pool: Pool,
  caller: Caller,
  id: string,
  workstream_id: string,
  ifMatch: number,
  command: Command,
): Promise<Answer> =>
  pool.transaction(async (query) => {
    const { card, replay } = await lockCard(query, caller, id, ifMatch, command);
    if (!card) return replay as Answer;
    const { identifier, name, prefix } = await nextNumber(query, caller.workspace_id, workstream_id);
    const [version, updated_at] = [card.version + 1, new Date()];
    const workstream = { workstream_id, workstream_name: name, workstream_prefix: prefix };
    const changed = { ...card, ...workstream, identifier, version, updated_at };
    const answer = answerOf(changed);
    await query(
      `update cards set workstream_id = $3, identifier = $4, version = $5, updated_at = $6 where workspace_id = $1 and id = $2`,
      [caller.workspace_id, id, workstream_id, identifier, version, updated_at],
    );
    await record(query, caller.user_id, changed, command, answer, 'card.transferred');
    return answer;
  });

export const getCard = async (pool: Pool, { workspace_id, user_id }: Caller, id: string): Promise<Answer> => {
  const [card] = await pool.query<CardRow>(`${readCards} and c.id = $3`, [workspace_id, user_id, id]);
  if (!card) throw notFound('Card');
  return answerOf(card);
};

export const lookUpCard = async (pool: Pool, caller: Caller, identifier: string): Promise<string> => {
  const canonical = identifier.toUpperCase();
  const [card] = await pool.query<CardRow>(
    `select found.*,
       (select count(*)::int from dependencies d where d.workspace_id = $1 and d.card_id = found.id) as dependency_count,
       (select count(*)::int from dependencies d where d.workspace_id = $1 and d.depends_on_card_id = found.id) as dependent_count
     from (${readCards} and c.id = (select card_id from identifiers i where i.workspace_id = $1 and i.identifier = $3)) found`,
    [caller.workspace_id, caller.user_id, canonical],
  );
  if (!card) throw notFound('Card');
  const { dependency_count, dependent_count, board_name, board_deleted_at, ...row } = card;
  const found = cardOf(row);
  const board = { board_name, board_archived_at: null, board_deleted_at };
  return JSON.stringify({
    data: {
      card: found,
      reference: { ...board, deleted_at: null, dependency_count, dependent_count },
      resolved_identifier: identifier,
      is_alias: found.identifier !== canonical,
      current_identifier: found.identifier,
    },
  });
};

/** Asks once who sees the board, then reads a page column by column, each from its own index. A row without id: no card. */
const listed = `select page.* from boards b
  left join lateral (
    select c.*, w.name as workstream_name, w.prefix as workstream_prefix
    from columns k
    cross join lateral (
      select * from cards c
      where c.workspace_id = $1 and c.column_id = k.id and c.archived_at is null
        and ($5::uuid is null or $5 = any(c.label_ids))
        and c.position > case when k.id = $6::uuid then $7::float8 else '-infinity' end
      order by c.position limit $4
    ) c
    join workstreams w on w.workspace_id = $1 and w.id = c.workstream_id
    where k.workspace_id = $1 and k.board_id = b.id
      and ($6::uuid is null or k.position >= (select position from columns where workspace_id = $1 and id = $6))
    order by k.position, c.position limit $4
  ) page on true
  where b.workspace_id = $1 and b.id = $3 and b.deleted_at is null and ${visible}`;

export const listCards = async (
  pool: Pool,
  { workspace_id, user_id }: Caller,
  boardId: string,
  { limit, label_id, cursor }: { limit: number; cursor?: string | undefined } & Pick<CardFilters, 'label_id'>,
): Promise<string> => {
  const [column, position] = cursor
    ? z.tuple([uuid, z.number()]).parse(JSON.parse(`${Buffer.from(cursor, 'base64url')}`))
    : [null, null];
  const values = [workspace_id, user_id, boardId, limit + 1, label_id ?? null, column, position];
  const found = await pool.query<CardRow | { id: null }>(listed, values);
  if (found.length === 0) throw notFound('Board');
  const rows = found.filter((row): row is CardRow => row.id !== null);
  const items = rows.slice(0, limit).map(cardOf);
  const last = items.at(-1);
  const more = rows.length > limit && last;
  const next = more ? Buffer.from(JSON.stringify([last.column_id, last.position])).toString('base64url') : null;
  return JSON.stringify({ data: items, page: { next_cursor: next, has_more: next !== null } });
};

/** Adds an edge unless it would close a cycle; writers of one workspace go one after another. */
export const putDependency = (pool: Pool, caller: Caller, card_id: string, depends_on_card_id: string) =>
  pool.transaction(async (query) => {
    const { workspace_id, user_id } = caller;
    const ends = [card_id, depends_on_card_id];
    const cards = await query(`${readCards} and c.id = any($3)`, [workspace_id, user_id, ends]);
    if (cards.length < 2) throw notFound('Card');
    await query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [workspace_id]);
    const [cycle] = await query(
      `with recursive reached as (
         select depends_on_card_id as id from dependencies where workspace_id = $1 and card_id = $2
         union select d.depends_on_card_id from dependencies d join reached r on d.card_id = r.id where d.workspace_id = $1)
       select from reached where id = $3`,
      [workspace_id, depends_on_card_id, card_id],
    );
    if (cycle) throw conflict('The dependency would close a cycle');
    const created_at = new Date();
    const answer = JSON.stringify({ data: { card_id, depends_on_card_id, created_at } });
    await query(
      `with added as (insert into dependencies values ($1, $2, $3, $4) on conflict do nothing returning 1)
       insert into audit (workspace_id, type, subject_id, user_id, at, changed)
       select $1, 'dependency.added', $2, $5, $4, $6 from added`,
      [workspace_id, card_id, depends_on_card_id, created_at, user_id, answer],
    );
    return answer;
  });

/** Removes an edge. */
export const deleteDependency = (pool: Pool, caller: Caller, card_id: string, depends_on_card_id: string) =>
  pool.transaction(async (query) => {
    const { workspace_id, user_id } = caller;
    const [card] = await query(`${readCards} and c.id = $3`, [workspace_id, user_id, card_id]);
    if (!card) throw notFound('Card');
    const [removed] = await query(
      `with removed as (
         delete from dependencies where workspace_id = $1 and card_id = $2 and depends_on_card_id = $3 returning 1)
       insert into audit (workspace_id, type, subject_id, user_id, at, changed)
       select $1, 'dependency.removed', $2, $4, now(), '{}' from removed returning 1`,
      [workspace_id, card_id, depends_on_card_id, user_id],
    );
    if (!removed) throw notFound('Dependency');
  });
