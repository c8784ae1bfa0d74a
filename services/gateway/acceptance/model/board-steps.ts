import type { Answer, Body, Client } from '../workspace.ts';
import type { BoardEdit, BoardModel, Role, User, Visibility } from './board-model.ts';
import type { Known } from './known.ts';
import { headerOf, type IfMatch, type Step, toldOf } from './story.ts';

/** The users of a workspace and what all of them know together. */
export type BoardWorld = Record<User, Client> & { known: Known };
export type BoardStep = Step<BoardModel, BoardWorld>;

const showBoard = ({ known }: BoardWorld, data: Body, name: string) => {
  const { visibility, default_workstream_id: workstream, archived_at, created_by } = data;
  const version = known.meet(name, data);
  const archived = archived_at !== null;
  return {
    version,
    visibility,
    default: workstream && known.name(workstream),
    archived,
    creator: known.name(created_by),
  };
};
const showColumn = ({ known }: BoardWorld, data: Body, name: string) => {
  const { board_id, archived_at, position } = data;
  const version = known.meet(name, data);
  const others = known.all().filter((one) => one.type === 'column' && one.board_id === board_id);
  const before = others.filter((one) => one.position < position).sort((one, other) => one.position - other.position);
  const names = before.map(({ id }) => known.name(id));
  return { version, archived: archived_at !== null, board: known.name(board_id), before: names };
};
const showCard = ({ known }: BoardWorld, data: Body, name: string) => {
  const { board_id, column_id, title, identifier } = data;
  return {
    version: known.meet(name, data),
    board: known.name(board_id),
    column: known.name(column_id),
    title,
    identifier,
  };
};
type Show = (real: BoardWorld, data: Body, name: string) => unknown;
const one =
  (show: Show, name: string) =>
  (real: BoardWorld, { body, headers }: Answer) =>
    headers.get('etag') === `"${body.data.version}"` ? show(real, body.data, name) : `ETag ${headers.get('etag')}`;
const each =
  (show: Show) =>
  (real: BoardWorld, { body }: Answer) =>
    body.data.map((data: Body) => show(real, data, real.known.name(data.id)));
const versioned = ({ known }: BoardWorld, name: string, ifMatch: IfMatch) => ({
  ifMatch: headerOf(ifMatch, known.last(name)?.version),
});

export const createBoard = (by: User, name: string, visibility: Visibility): BoardStep => ({
  told: `${by}: createBoard(${name}, ${visibility})`,
  possible: ({ boards }) => by !== 'root' && !boards.has(name),
  predict: (model) => model.createBoard(by, name, visibility),
  send: (real) => real[by].post('/boards', { body: { name, visibility } }),
  read: one(showBoard, name),
});

export const readBoard = (by: User, name: string): BoardStep => ({
  told: `${by}: read(${name})`,
  possible: ({ boards }) => boards.has(name),
  predict: (model) => model.readBoard(by, name),
  send: (real) => real[by].get(`/boards/${real.known.id(name)}`),
  read: one(showBoard, name),
});

export const editBoard = (by: User, name: string, fields: BoardEdit, ifMatch: IfMatch): BoardStep => ({
  told: `${by}: edit(${name}, ${Object.entries(fields).map((field) => field.join(' '))}${toldOf(ifMatch)})`,
  possible: ({ boards }) => boards.has(name),
  predict: (model) => model.editBoard(by, name, ifMatch, fields),
  send: (real) => {
    const { visibility, default: prefix } = fields;
    const workstream = prefix === undefined ? {} : { default_workstream_id: prefix && real.known.id(prefix) };
    const body = { ...(visibility && { visibility }), ...workstream };
    return real[by].patch(`/boards/${real.known.id(name)}`, { ...versioned(real, name, ifMatch), body });
  },
  read: one(showBoard, name),
});

/** Archive or restore of a board or a column. */
export const setArchived = (by: User, name: string, archived: boolean, ifMatch: IfMatch): BoardStep => {
  const what = name.startsWith('Board') ? 'board' : 'column';
  const operation = archived ? 'archive' : 'restore';
  return {
    told: `${by}: ${operation}(${name}${toldOf(ifMatch)})`,
    possible: ({ boards, columns }) => boards.has(name) || columns.has(name),
    predict: (model) =>
      what === 'board'
        ? model.setBoardArchived(by, name, ifMatch, archived)
        : model.setColumnArchived(by, name, ifMatch, archived),
    send: (real) => real[by].post(`/${what}s/${real.known.id(name)}/${operation}`, versioned(real, name, ifMatch)),
    read: one(what === 'board' ? showBoard : showColumn, name),
  };
};

export const deleteBoard = (by: User, name: string, ifMatch: IfMatch): BoardStep => ({
  told: `${by}: delete(${name}${toldOf(ifMatch)})`,
  possible: ({ boards }) => boards.has(name),
  predict: (model) => model.deleteBoard(by, name, ifMatch),
  send: (real) => real[by].delete(`/boards/${real.known.id(name)}`, versioned(real, name, ifMatch)),
});

export const setMember = (by: User, name: string, user: User, role: Role | null): BoardStep => ({
  told: `${by}: ${role ? `let in(${user} to ${name} as ${role})` : `put out(${user} of ${name})`}`,
  possible: ({ boards }) => boards.has(name),
  predict: (model) => model.setMember(by, name, user, role),
  send: (real) => {
    const path = `/boards/${real.known.id(name)}/members/${real.known.id(user)}`;
    return role ? real[by].put(path, { body: { role } }) : real[by].delete(path);
  },
  read: ({ known }, { body: { data } }) => ({ user: known.name(data.user_id), role: data.role }),
});

export const listMembers = (by: User, name: string): BoardStep => ({
  told: `${by}: members(${name})`,
  possible: ({ boards }) => boards.has(name),
  predict: (model) => model.listMembers(by, name),
  send: (real) => real[by].get(`/boards/${real.known.id(name)}/members`),
  read: ({ known }, { body: { data } }) =>
    Object.fromEntries(data.map(({ user_id, role }: Body) => [known.name(user_id), role])),
});

export const listBoards = (by: User, archived: boolean): BoardStep => ({
  told: `${by}: boards(${archived ? 'archived' : 'active'})`,
  predict: (model) => model.listBoards(by, archived),
  send: (real) => real[by].get(`/boards?archived=${archived}`),
  read: each(showBoard),
});

export const createColumn = (by: User, board: string, name: string): BoardStep => ({
  told: `${by}: createColumn(${name} on ${board})`,
  possible: ({ boards, columns }) => boards.has(board) && !columns.has(name),
  predict: (model) => model.createColumn(by, board, name),
  send: (real) => real[by].post(`/boards/${real.known.id(board)}/columns`, { body: { name } }),
  read: one(showColumn, name),
});

export const moveColumn = (by: User, name: string, place: string, ifMatch: IfMatch): BoardStep => ({
  told: `${by}: move(${name} to ${place}${toldOf(ifMatch)})`,
  // Places relative to another column exist only on the same board.
  possible: ({ columns }) =>
    columns.has(name) &&
    (place === 'start' || place === 'end' || columns.get(name)?.board === columns.get(place)?.board),
  predict: (model) => model.moveColumn(by, name, ifMatch, place),
  send: (real) => {
    const position = real.known.last(place)?.position ?? place;
    return real[by].patch(`/columns/${real.known.id(name)}`, { ...versioned(real, name, ifMatch), body: { position } });
  },
  read: one(showColumn, name),
});

export const listColumns = (by: User, board: string, archived: boolean): BoardStep => ({
  told: `${by}: columns(${board}${archived ? ', archived' : ''})`,
  possible: ({ boards }) => boards.has(board),
  predict: (model) => model.listColumns(by, board, archived),
  send: (real) => real[by].get(`/boards/${real.known.id(board)}/columns?archived=${archived}`),
  read: each(showColumn),
});

export const createCard = (by: User, column: string, name: string): BoardStep => ({
  told: `${by}: createCard(${name} in ${column})`,
  possible: ({ cards, columns }) => columns.has(column) && !cards.has(name),
  predict: (model) => model.createCard(by, column, name),
  send: (real) => real[by].post(`/columns/${real.known.id(column)}/cards`, { body: { title: name } }),
  read: one(showCard, name),
});

export const editCard = (by: User, name: string, title: string): BoardStep => ({
  told: `${by}: editCard(${name}, title ${title})`,
  possible: ({ cards }) => cards.has(name),
  predict: (model) => model.editCard(by, name, title),
  send: (real) =>
    real[by].patch(`/cards/${real.known.id(name)}`, { ...versioned(real, name, 'current'), body: { title } }),
  read: one(showCard, name),
});

export const lookUp = (by: User, name: string): BoardStep => ({
  told: `${by}: lookUp(${name})`,
  possible: ({ cards }) => cards.has(name),
  predict: (model) => model.lookUp(by, name),
  send: (real) => real[by].get(`/cards/by-identifier/${real.known.last(name).identifier}`),
  read: (real, { body: { data } }) => {
    const { board_archived_at, board_deleted_at } = data.reference;
    const state = { boardArchived: board_archived_at !== null, boardDeleted: board_deleted_at !== null };
    return { ...(showCard(real, data.card, name) as object), ...state };
  },
});

export const listCards = (by: User, board: string): BoardStep => ({
  told: `${by}: cards(${board})`,
  possible: ({ boards }) => boards.has(board),
  predict: (model) => model.listCards(by, board),
  send: (real) => real[by].get(`/boards/${real.known.id(board)}/cards`),
  read: ({ known }, { body: { data } }) => data.map(({ id }: Body) => known.name(id)).sort(),
});
