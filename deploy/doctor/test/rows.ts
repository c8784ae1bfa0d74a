export const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
export const [workspace, web, app] = [1, 2, 3].map(id) as [string, string, string];
const [board, column] = [4, 5].map(id) as [string, string];
export const card = (n: number) => id(100 + n);

const aWorkstream = (workstream: string, prefix: string, last: number) => [
  `insert into identifier.workstreams
     (workspace_id, id, version, name, prefix, is_default, granted_through, created_at, updated_at)
   values ('${workspace}', '${workstream}', 3, 'Name of ${prefix}', '${prefix}', false, ${last}, now(), now())`,
  `insert into card.workstreams (workspace_id, id, version, name, prefix, last_number, granted_through)
   values ('${workspace}', '${workstream}', 3, 'Name of ${prefix}', '${prefix}', ${last}, 1000)`,
];

export const aNumber = (workstream: string, prefix: string, number: number, cardId: string, version = 1) =>
  `insert into identifier.identifiers (workspace_id, prefix, number, workstream_id, card_id, assigned_by,
     card_version, assigned_at)
   values ('${workspace}', '${prefix}', ${number}, '${workstream}', '${cardId}', '${id(9)}', ${version}, now())`;

const aCard = (n: number, workstream: string, identifier: string) =>
  `insert into card.cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at,
     updated_at, workstream_id, identifier)
   values ('${workspace}', '${card(n)}', 1, '${board}', '${column}', ${n}, 'Card ${n}', '${id(9)}', now(), now(),
     '${workstream}', '${identifier}')`;

export const anEdge = (from: number, on: number, version: number) =>
  `insert into dependency.edges (workspace_id, card_id, depends_on_card_id, version, created_at)
   values ('${workspace}', '${card(from)}', '${card(on)}', ${version}, now())`;
export const aDependency = (from: number, on: number, version: number, present: boolean) =>
  `insert into card.card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
   values ('${workspace}', '${card(from)}', '${card(on)}', ${version}, ${present})`;

const theTime = (age: string) => `now() - interval '${age}'`;
/** Ids of changes: those of the card service are 201 and on, those of the dependency service 301 and on. */
const changeId = (owner: 'card' | 'dependency', seq: number) => id((owner === 'card' ? 200 : 300) + seq);
/** A change as its owner has it in the feed, which ends with it. */
export const aChange = (owner: 'card' | 'dependency', seq: number, age = '1 hour') => {
  const [changed, previous] = [seq, seq - 1].map((one) => (one > 0 ? `'${changeId(owner, one)}'` : 'null'));
  return [
    `insert into ${owner}.feeds (workspace_id, last, last_id, before_id, noted_at)
     values ('${workspace}', ${seq}, ${changed}, ${previous}, ${theTime(age)})
     on conflict (workspace_id) do update set last = excluded.last, last_id = excluded.last_id`,
    `insert into ${owner}.changes (workspace_id, seq, id, previous_id, noted_at, type, event)
     values ('${workspace}', ${seq}, ${changed}, ${previous}, ${theTime(age)}, 'card.updated', '{}')`,
  ];
};
/** An internal event as its owner has it in the feed, which ends with it. */
export const anInternalEvent = (owner: 'card' | 'dependency', seq: number, age = '1 hour') => [
  `insert into ${owner}.feeds (workspace_id, last, noted_at, last_internal, last_internal_id)
   values ('${workspace}', 0, ${theTime(age)}, ${seq}, '${id(500 + seq)}')
   on conflict (workspace_id) do update
   set last_internal = excluded.last_internal, last_internal_id = excluded.last_internal_id`,
  // Its trigger looks for tables there.
  `set search_path = ${owner}`,
  `insert into internal_events (workspace_id, seq, id, noted_at, event)
   values ('${workspace}', ${seq}, '${id(500 + seq)}', ${theTime(age)}, '{"type":"card.deleted"}')`,
  'reset search_path',
];
/** How far a projection has such a feed. */
export const aPosition = (follower: 'card' | 'dependency' | 'attachment', owner: string, seq: number) =>
  `insert into ${follower}.followed_feeds (owner, workspace_id, seq, id)
   values ('${owner}', '${workspace}', ${seq}, '${id(500 + seq)}')
   on conflict (owner, workspace_id) do update set seq = excluded.seq, id = excluded.id`;
/** An event of the log, which ends with it; of no feed where no owner is named. */
export const aLogged = (seq: number, type: string, owner: 'card' | 'dependency' | null, sourceSeq: number | null) =>
  `insert into event.events (workspace_id, seq, logged_on, id, type, source, source_seq, event)
   values ('${workspace}', ${seq}, now(), '${id(400 + seq)}', '${type}', ${owner ? `'${owner}'` : 'null'}, ${sourceSeq}, '{}')`;
const aLog = (last: number, card: number, dependency: number) =>
  `insert into event.logs (workspace_id, last, positions) values ('${workspace}', ${last}, '${JSON.stringify({
    card: { seq: card, id: changeId('card', card) },
    dependency: { seq: dependency, id: changeId('dependency', dependency) },
    identifier: { seq: 0, id: null },
  })}')`;

/** Three cards, the first waits for the second; the third was transferred from WEB-3 to APP-1. */
export const healthy = [
  ...aWorkstream(web, 'WEB', 3),
  ...aWorkstream(app, 'APP', 1),
  `insert into card.boards (workspace_id, id, version, name, visibility, default_workstream_id, created_by, created_at, updated_at)
   values ('${workspace}', '${board}', 1, 'Board', 'workspace', '${web}', '${id(9)}', now(), now())`,
  `insert into card.columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
   values ('${workspace}', '${column}', 1, '${board}', 'To do', 1, now(), now())`,
  ...[1, 2, 3].map((n) => aNumber(web, 'WEB', n, card(n))),
  aNumber(app, 'APP', 1, card(3), 2),
  aCard(1, web, 'WEB-1'),
  aCard(2, web, 'WEB-2'),
  aCard(3, app, 'APP-1'),
  anEdge(1, 2, 5),
  ...[3, 2, 1].map(
    (n, position) =>
      `insert into dependency.cards (workspace_id, id, position) values ('${workspace}', '${card(n)}', ${position})`,
  ),
  aDependency(1, 2, 5, true),
  aDependency(1, 3, 4, false),
  `insert into attachment.files (workspace_id, id, name, status, storage_key, size, created_by, created_at, updated_at, upload_expires_at)
   values ('${workspace}', '${id(40)}', 'plan.pdf', 'clean', 'k', 1, '${id(9)}', now(), now(), now())`,
  `insert into attachment.linked_files (workspace_id, subtask_id, card_id, file_id, version)
   values ('${workspace}', '${id(41)}', '${card(1)}', '${id(40)}', 2)`,
  ...[41, 42].map(
    (n) => `insert into card.subtasks (workspace_id, id, version, card_id, title, position, created_at, updated_at)
      values ('${workspace}', '${id(n)}', 1, '${card(1)}', 'Step', ${n}, now(), now())`,
  ),
  `update card.subtasks set linked_file_version = 2,
     linked_file = '{"id":"${id(40)}","name":"plan.pdf","board_id":null}' where id = '${id(41)}'`,
  ...[1, 2, 3].flatMap((seq) => aChange('card', seq)),
  ...aChange('dependency', 1),
  ...[1, 2].flatMap((seq) => anInternalEvent('card', seq)),
  aPosition('dependency', 'card', 2),
  aPosition('attachment', 'card', 2),
  // The service makes one for each day.
  'create table if not exists event.events_of_all_days partition of event.events default',
  aLogged(1, 'card.created', 'card', 1),
  aLogged(2, 'card.updated', 'card', 2),
  aLogged(3, 'dependency.created', 'dependency', 1),
  aLogged(4, 'card.updated', 'card', 3),
  aLog(4, 3, 1),
];

/** Of a card and of a subtask of one, which need not be there. */
export const aCover = (n: number) =>
  `insert into attachment.covers (workspace_id, card_id, file_id, version) values ('${workspace}', '${card(n)}', '${id(8)}', 1)`;
export const aLink = (subtask: number, n: number) =>
  `insert into attachment.linked_files (workspace_id, subtask_id, card_id, file_id, version)
   values ('${workspace}', '${id(subtask)}', '${card(n)}', '${id(8)}', 1)`;

/** An identifier of the first card as the card service keeps it, recorded or on its way. */
export const anIssue = (identifier: string, age: string, recorded: 'now()' | 'null') =>
  `insert into card.issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by, recorded_at)
   values ('${workspace}', '${identifier}', '${web}', '${card(1)}', 2, now() - interval '${age}', '${id(9)}', ${recorded})`;
