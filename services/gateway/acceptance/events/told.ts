import type { Fixture } from '../routes/fixture.ts';
import type { Body, Client } from '../workspace.ts';

/** The path of the resource of an event; undefined where no path leads to it alone. */
const placeOf = ({ type, id }: Body): string | undefined => {
  if (type === 'cover') return `/cards/${id}/cover`;
  const collections: Record<string, string> = {
    board: 'boards',
    card: 'cards',
    column: 'columns',
    comment: 'comments',
    file: 'files',
    label: 'labels',
    subtask: 'subtasks',
    workstream: 'workstreams',
  };
  return collections[type] && `/${collections[type]}/${id}`;
};

/** A resource as events show it: without URLs of renditions, which expire, and of uploads, which only the creator gets. */
const shown = ({ renditions: _, upload: __, ...resource }: Body): Body => resource;

/** What is read of everything of a fixture that a request names, by its place. */
export const readNamed = async (fixture: Fixture, request: object): Promise<Map<string, Body>> => {
  const text = JSON.stringify(request);
  const { client, board, column, card, other, label, comment, subtask, workstream, adopting, file } = fixture;
  const versioned = [board, column, card, other, label, comment, subtask, workstream, adopting, file];
  const isNamed = ({ id, identifier }: Body) => text.includes(id) || (identifier && text.includes(identifier));
  const named = versioned.filter(isNamed).map(({ type, id }) => placeOf({ type, id }) as string);
  const read = async (place: string) => [place, (await client.get(place)).body?.data] as const;
  const found = await Promise.all([...named, placeOf({ type: 'cover', id: card.id }) as string].map(read));
  return new Map(found.filter(([, data]) => data !== undefined).map(([place, data]) => [place, shown(data)]));
};

/** A versioned resource has its version in every change, and its `type` never changes. */
const unsaid = ['type', 'version', 'updated_at'];
const isShort = (value: unknown) => {
  if (Array.isArray(value)) return value.length <= 50;
  return typeof value === 'string' ? [...value].length <= 240 : value === null || typeof value !== 'object';
};

/** What an event has to say of a change (CONTRACT 9.1). */
const differenceOf = (before: Body | undefined, after: Body | null) => {
  if (!before || !after) return { changed: [], previous: {} };
  const differs = Object.entries(before).filter(
    ([name, value]) => !unsaid.includes(name) && JSON.stringify(value) !== JSON.stringify(after[name]),
  );
  return {
    changed: differs.map(([name]) => name).sort(),
    previous: Object.fromEntries(differs.filter(([, value]) => isShort(value))),
  };
};

/** What an event says of a file that a card or a subtask shows: which one went. */
const fileDifference = (former: string | undefined) => ({
  changed: ['file_id'],
  previous: { file_id: former ?? null },
});

/** The id of the card that it happened to or on. */
const cardOf = ({ subject, data }: Body, before: Body | undefined, fixture: Fixture): string | undefined => {
  if (subject.type === 'card' || subject.type === 'cover') return subject.id;
  if (subject.type === 'linked_file' || subject.type === 'dependency') return fixture.card.id;
  return (data ?? before)?.card_id;
};

/**
 * An event as it has to be after a write of the fixture's user, from what is read before and after it.
 * @param told the event; its type, and what only the log knows, are its own
 * @param before what `readNamed` found
 * @param answer of the write
 */
export const expectedOf = async (
  told: Body,
  {
    fixture,
    before,
    answer,
  }: { fixture: Fixture; before: Map<string, Body>; answer: { headers: Headers; body: Body } },
): Promise<Body> => {
  const { subject } = told;
  const { client, board } = fixture;
  const place = placeOf(subject);
  const was = place === undefined ? undefined : before.get(place);
  const isGone = /\.(deleted|removed|cleared)$/.test(told.type);
  // No path leads to the others: the answer of the write shows them.
  const now = place === undefined ? answer.body?.data : (await client.get(place)).body?.data;
  const data = isGone ? null : shown(now);
  const cardId = cardOf(told, was, fixture);
  const card = cardId === undefined ? undefined : await identifierOf(client, cardId, before);
  const isOfWorkspace = subject.type === 'label' || subject.type === 'workstream';
  return {
    ...told,
    actor: { user_id: client.userId, api_key_id: null },
    request_id: answer.headers.get('x-request-id'),
    subject: { ...subject, version: isGone ? subject.version : (data.version ?? null) },
    card: card ? { id: cardId, identifier: card } : null,
    board_id: isOfWorkspace ? null : subject.type === 'file' ? (data ?? was).board_id : (data?.board_id ?? board.id),
    data,
    ...(subject.type === 'cover' && fileDifference(was?.file_id)),
    ...(subject.type === 'linked_file' && fileDifference(before.get(`/subtasks/${subject.id}`)?.linked_file?.id)),
    ...(subject.type !== 'cover' && subject.type !== 'linked_file' && differenceOf(was, data)),
    ...(subject.type === 'board' && { board_id: subject.id }),
  };
};

const identifierOf = async (client: Client, cardId: string, before: Map<string, Body>): Promise<string> =>
  ((await client.get(`/cards/${cardId}`)).body?.data ?? before.get(`/cards/${cardId}`)).identifier;
