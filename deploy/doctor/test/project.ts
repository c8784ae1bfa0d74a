import { type Api, eventually, whitePng } from '@cardinal/testkit';
import { expect } from 'vitest';

type Query = (statement: string) => Promise<unknown[]>;

/** A workspace that has everything that one service shows of another, and a card that was deleted with all that hung on it. */
export type Project = Awaited<ReturnType<typeof makeProject>>;

/** Makes something, and answers it. */
export const make = async (client: Api, path: string, body: object, call: { ifMatch?: string } = {}) => {
  const { status, body: made } = await client.post(path, { body, ...call });
  expect(status).toBeLessThan(300);
  return made.data;
};

const upload = async (client: Api, name: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string> => {
  const file = await make(client, '/files', { name });
  const { url, method, headers } = file.upload as { url: string; method: string; headers: Record<string, string> };
  expect((await fetch(url, { method, headers, body: bytes })).status).toBe(200);
  await eventually(async () => expect((await client.get(`/files/${file.id}`)).body.data.status).toBe('clean'));
  return file.id;
};

/** Makes one by way of the API. The rows that the deleted card had in other services are kept, to be planted again. */
export const makeProject = async (client: Api, workspace: string, query: Query) => {
  const board = await make(client, '/boards', { name: 'Board' });
  const column = await make(client, `/boards/${board.id}/columns`, { name: 'To do' });
  const named = async <Name extends string>(names: readonly Name[], one: (name: Name) => Promise<string>) => {
    const ids = {} as Record<Name, string>;
    for (const name of names) ids[name] = await one(name);
    return ids;
  };
  const put = async (path: string) => expect((await client.put(path)).status).toBe(200);

  const workstreams = await named(['old', 'future', 'missing'], async (name) => {
    return (await make(client, '/workstreams', { name, prefix: name.toUpperCase() })).id;
  });
  const cards = await named(['waits', 'uncounted', 'removed', 'freed', 'free', 'gone'], async (title) => {
    return (await make(client, `/columns/${column.id}/cards`, { title })).id;
  });
  for (const on of ['uncounted', 'removed', 'freed', 'gone'] as const)
    await put(`/cards/${cards.waits}/dependencies/${cards[on]}`);
  expect((await client.delete(`/cards/${cards.waits}/dependencies/${cards.freed}`)).status).toBe(204);

  const [plan, image] = [await upload(client, 'plan.txt', 'a plan'), await upload(client, 'wide.png', png())];
  const subtasks = await named(['unlinked', 'linked', 'cleared', 'gone'], async (title) => {
    const card = title === 'gone' ? cards.gone : cards.waits;
    const { id } = await make(client, `/cards/${card}/subtasks`, { title });
    await put(`/subtasks/${id}/linked-file/${plan}`);
    return id;
  });
  expect((await client.delete(`/subtasks/${subtasks.cleared}/linked-file`)).status).toBe(204);
  await put(`/cards/${cards.gone}/cover/${image}`);

  const rowsOf = async (table: string, where: string) => {
    const [row] = await query(`select json_agg(one)::text as rows from ${table} as one where ${where}`);
    return `insert into ${table} select * from json_populate_recordset(null::${table}, '${(row as { rows: string }).rows}')`;
  };
  const ofGone = [
    await rowsOf('dependency.edges', `depends_on_card_id = '${cards.gone}'`),
    await rowsOf('dependency.cards', `id = '${cards.gone}'`),
    await rowsOf('attachment.covers', `card_id = '${cards.gone}'`),
    await rowsOf('attachment.linked_files', `card_id = '${cards.gone}'`),
  ];
  const { etag } = await client.get(`/cards/${cards.gone}`);
  expect((await client.delete(`/cards/${cards.gone}`, { ifMatch: etag })).status).toBe(204);
  await eventually(async () => {
    expect(await query(`select from dependency.edges where depends_on_card_id = '${cards.gone}'`)).toEqual([]);
    expect(await query(`select from attachment.linked_files where card_id = '${cards.gone}'`)).toEqual([]);
  });
  return { workspace, workstreams, cards, subtasks, ofGone };
};

const png = () => new Uint8Array(whitePng(16, 16));

/** Statements after which every service shows something else than the owner says, as after a rollback of either. */
export const planted = ({ workspace, workstreams, cards, subtasks, ofGone }: Project): string[] => {
  const dependency = (change: string, on: string) =>
    `update card.card_dependencies set ${change} where card_id = '${cards.waits}' and depends_on_card_id = '${on}'`;
  const tombstone = (table: string, id: string) =>
    `insert into ${table} (workspace_id, id, deleted_at) values ('${workspace}', '${id}', now())`;
  const link = (subtask: string, change: string) => `update card.subtasks set ${change} where id = '${subtask}'`;
  return [
    `update card.workstreams set name = 'Former', version = 0 where id = '${workstreams.old}'`,
    `update card.workstreams set name = 'To come', version = 99 where id = '${workstreams.future}'`,
    `delete from card.workstreams where id = '${workstreams.missing}'`,
    `insert into card.workstreams (workspace_id, id, version, name, prefix)
     values ('${workspace}', gen_random_uuid(), 1, 'Never', 'NEVER')`,
    `delete from card.card_dependencies where card_id = '${cards.waits}' and depends_on_card_id = '${cards.uncounted}'`,
    dependency('present = false, version = 99', cards.removed),
    dependency('present = true', cards.freed),
    link(subtasks.unlinked, 'linked_file = null, linked_file_version = 0'),
    link(subtasks.linked, `linked_file = jsonb_set(linked_file, '{name}', '"to-come.txt"'), linked_file_version = 99`),
    link(subtasks.cleared, `linked_file = '{"id":"${subtasks.cleared}","name":"cleared.txt","board_id":null}'`),
    tombstone('dependency.cards', cards.free),
    tombstone('attachment.tombstones', cards.free),
    tombstone('attachment.tombstones', subtasks.unlinked),
    `delete from dependency.cards where id = '${cards.gone}'`,
    `delete from attachment.tombstones where id in ('${cards.gone}', '${subtasks.gone}')`,
    ...ofGone,
  ];
};

/** What the doctor says of each of them. */
export const namedOf = ({ workspace, workstreams, cards, subtasks }: Project): RegExp[] => {
  const workstream = (id: string, says: string) =>
    RegExp(`workstream ${workspace}/${id}: identifier says .*, card ${says}`);
  const dependency = (on: string, says: string) =>
    RegExp(`dependency of ${workspace}/${cards.waits} on ${on}: dependency says ${says}`);
  const link = (id: string, says: string) =>
    RegExp(`linked file of subtask ${workspace}/${id}: attachment says ${says}`);
  const deleted = (thing: string, id: string, copy: string) =>
    RegExp(`${thing} ${workspace}/${id}: card says "exists", ${copy} "deleted at `);
  const gone = (thing: string, id: string, copy: string) =>
    RegExp(`${thing} ${workspace}/${id}: card says nothing, ${copy} `);
  return [
    workstream(workstreams.old, '.*"Former"'),
    workstream(workstreams.future, '.*"To come"'),
    workstream(workstreams.missing, 'nothing'),
    RegExp(`workstream ${workspace}/.*: identifier says nothing, card .*"NEVER"`),
    dependency(cards.uncounted, '.*true.*, card nothing'),
    dependency(cards.removed, '.*true.*, card .*false'),
    dependency(cards.freed, 'nothing, card .*true'),
    link(subtasks.unlinked, '.*"plan.txt".*, card .*"linked_file": null'),
    link(subtasks.linked, '.*"plan.txt".*, card .*"to-come.txt"'),
    link(subtasks.cleared, '.*"linked_file": null.*, card .*"cleared.txt"'),
    deleted('card', cards.free, 'dependency'),
    deleted('card or subtask', cards.free, 'attachment'),
    deleted('card or subtask', subtasks.unlinked, 'attachment'),
    gone('card', cards.gone, 'dependency'),
    gone('card', cards.gone, 'attachment'),
    gone('subtask', subtasks.gone, 'attachment'),
  ];
};

const existing = 'select id from card.cards union all select id from card.subtasks';

/** All that services show of each other in a workspace. */
export const shown = async (query: Query, workspace: string) => {
  const rows = (columns: string, table: string, where = 'true') =>
    query(`select ${columns} from ${table} where workspace_id = '${workspace}' and ${where} order by 1, 2`);
  return {
    workstreams: await rows('id, prefix, name, version', 'card.workstreams'),
    dependencies: await rows('card_id, depends_on_card_id', 'card.card_dependencies', 'present'),
    links: await rows('id, linked_file_version, linked_file', 'card.subtasks'),
    edges: await rows('card_id, depends_on_card_id', 'dependency.edges'),
    deletedCards: await rows('id, workspace_id', 'dependency.cards', `deleted_at is not null`),
    covers: await rows('card_id, file_id', 'attachment.covers', 'file_id is not null'),
    linkedFiles: await rows('subtask_id, file_id', 'attachment.linked_files', 'file_id is not null'),
    // Of what is gone, a subtask has one of its own or that of its card.
    tombstones: await rows('id, workspace_id', 'attachment.tombstones', `id in (${existing})`),
  };
};
