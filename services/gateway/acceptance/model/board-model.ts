import { against, done, type IfMatch, type Prediction, refused, shown } from './story.ts';

/*
 * The rules of boards, their members and columns (CONTRACT 6): who sees
 * what, who may do what, and what archived and deleted boards take.
 */

/** `ann`, `bob` and `eve` write; `root` is an admin, who makes nothing. */
export const users = ['ann', 'bob', 'eve', 'root'] as const;
export type User = (typeof users)[number];
export type Visibility = 'workspace' | 'private';
export type Role = 'member' | 'owner';

interface Board {
  version: number;
  visibility: Visibility;
  default: string | null;
  archived: boolean;
  deleted: boolean;
  creator: User;
  members: Map<User, Role>;
  /** From the left, archived ones too. */
  columns: string[];
}

interface Versioned {
  version: number;
  archived: boolean;
}

export interface BoardEdit {
  visibility?: Visibility;
  default?: string | null;
}

export class BoardModel {
  readonly boards = new Map<string, Board>();
  readonly columns = new Map<string, Versioned & { board: string }>();
  readonly cards = new Map<
    string,
    { version: number; board: string; column: string; title: string; identifier: string }
  >();
  private readonly lastNumbers: Record<string, number> = { MAIN: 0, PAY: 0 };

  /** Whether a user may see the board, deleted or not. */
  private isLetIn(by: User, { visibility, creator, members }: Board): boolean {
    return visibility === 'workspace' || creator === by || members.has(by);
  }

  /** A board that a user sees; a deleted one is gone for all. */
  private board(by: User, name: string | undefined): Board | undefined {
    const board = this.boards.get(name ?? '');
    return board && !board.deleted && this.isLetIn(by, board) ? board : undefined;
  }

  private column(by: User, name: string) {
    const column = this.columns.get(name);
    return column && this.board(by, column.board) && column;
  }

  /** A card answers on a deleted board too, for users who saw the board. */
  private card(by: User, name: string) {
    const card = this.cards.get(name);
    return card && this.isLetIn(by, this.boards.get(card.board) as Board) ? card : undefined;
  }

  private manages = (by: User, { creator, members }: Board) =>
    by === 'root' || creator === by || members.get(by) === 'owner';

  private viewBoard(name: string) {
    const { deleted: _, members: __, columns: ___, creator, ...shows } = this.boards.get(name) as Board;
    return { ...shows, creator };
  }

  /** Its place is shown by the columns that stand before it. */
  private viewColumn(name: string) {
    const { board, ...column } = this.columns.get(name) as Versioned & { board: string };
    const order = this.boards.get(board)?.columns ?? [];
    return { ...column, board, before: order.slice(0, order.indexOf(name)) };
  }

  createBoard(by: User, name: string, visibility: Visibility): Prediction {
    const fresh = { version: 1, visibility, default: null, archived: false, deleted: false, creator: by };
    this.boards.set(name, { ...fresh, members: new Map(), columns: [] });
    return shown(this.viewBoard(name), 201);
  }

  readBoard = (by: User, name: string): Prediction =>
    this.board(by, name) ? shown(this.viewBoard(name)) : refused(404);

  /** Managers of the board change its visibility; an admin may also where the board is hidden from them. */
  editBoard(by: User, name: string, ifMatch: IfMatch, fields: BoardEdit): Prediction {
    const onlyManages = by === 'root' && Object.keys(fields).every((field) => field === 'visibility');
    const known = this.boards.get(name);
    const board = onlyManages && !known?.deleted ? known : this.board(by, name);
    if (ifMatch === 'missing' || !board) return refused(ifMatch === 'missing' ? 428 : 404);
    const opens = (fields.visibility ?? board.visibility) !== board.visibility;
    if (opens && !this.manages(by, board)) return refused(403);
    const refusal = against(ifMatch, board);
    if (refusal) return refusal;
    if (Object.entries(fields).some(([field, value]) => board[field as keyof Board] !== value)) board.version += 1;
    Object.assign(board, fields);
    return shown(this.viewBoard(name));
  }

  setBoardArchived(by: User, name: string, ifMatch: IfMatch, archived: boolean): Prediction {
    const board = this.board(by, name);
    return this.setArchived(board, ifMatch, archived) ?? shown(this.viewBoard(name));
  }

  deleteBoard(by: User, name: string, ifMatch: IfMatch): Prediction {
    if (by !== 'root') return refused(403);
    const board = this.board(by, name);
    const refusal = against(ifMatch, board);
    if (refusal || !board) return refusal ?? refused(404);
    board.deleted = true;
    return done;
  }

  /** @param role null to end the membership */
  setMember(by: User, name: string, user: User, role: Role | null): Prediction {
    const board = this.managed(by, name);
    if (!board) return refused(404);
    if (!this.manages(by, board)) return refused(403);
    if (role === null) board.members.delete(user);
    else board.members.set(user, role);
    return role === null ? done : shown({ user, role });
  }

  /** An admin gets an answer for boards that they do not see, too. */
  listMembers(by: User, name: string): Prediction {
    const board = this.managed(by, name);
    return board ? shown(Object.fromEntries(board.members)) : refused(404);
  }

  private managed(by: User, name: string): Board | undefined {
    const known = this.boards.get(name);
    return by === 'root' && !known?.deleted ? known : this.board(by, name);
  }

  listBoards(by: User, archived: boolean): Prediction {
    const seen = [...this.boards.keys()].filter((name) => this.board(by, name)?.archived === archived);
    return shown(seen.map((name) => this.viewBoard(name)));
  }

  /** The last of its board. */
  createColumn(by: User, board: string, name: string): Prediction {
    const found = this.board(by, board);
    if (!found || found.archived) return refused(found ? 409 : 404);
    found.columns.push(name);
    this.columns.set(name, { version: 1, archived: false, board });
    return shown(this.viewColumn(name), 201);
  }

  /** @param place a column of the board to take the place of, `start` or `end` */
  moveColumn(by: User, name: string, ifMatch: IfMatch, place: string): Prediction {
    const column = this.column(by, name);
    const refusal = against(ifMatch, column);
    if (refusal || !column) return refusal ?? refused(404);
    const board = this.boards.get(column.board) as Board;
    const before = board.columns.join();
    const others = board.columns.filter((one) => one !== name);
    const at = place === name ? before.split(',').indexOf(name) : others.indexOf(place);
    others.splice(place === 'start' ? 0 : place === 'end' ? others.length : at, 0, name);
    board.columns = others;
    if (others.join() !== before) column.version += 1;
    return shown(this.viewColumn(name));
  }

  setColumnArchived(by: User, name: string, ifMatch: IfMatch, archived: boolean): Prediction {
    return this.setArchived(this.column(by, name), ifMatch, archived) ?? shown(this.viewColumn(name));
  }

  listColumns(by: User, name: string, archived: boolean): Prediction {
    const names = this.board(by, name)?.columns.filter((one) => this.columns.get(one)?.archived === archived);
    return names ? shown(names.map((one) => this.viewColumn(one))) : refused(404);
  }

  private setArchived(found: Versioned | undefined, ifMatch: IfMatch, archived: boolean): Prediction | undefined {
    const refusal = against(ifMatch, found);
    if (refusal || !found) return refusal ?? refused(404);
    if (found.archived !== archived) found.version += 1;
    found.archived = archived;
    return undefined;
  }

  createCard(by: User, column: string, name: string): Prediction {
    const found = this.column(by, column);
    const board = this.boards.get(found?.board ?? '');
    if (!found || !board) return refused(404);
    if (found.archived || board.archived) return refused(409);
    const prefix = board.default ?? 'MAIN';
    const number = (this.lastNumbers[prefix] ?? 0) + 1;
    this.lastNumbers[prefix] = number;
    this.cards.set(name, { version: 1, board: found.board, column, title: name, identifier: `${prefix}-${number}` });
    return shown(this.cards.get(name), 201);
  }

  /** No write on a deleted board; an archived one's cards can be edited. */
  editCard(by: User, name: string, title: string): Prediction {
    const card = this.card(by, name);
    if (!card || this.boards.get(card.board)?.deleted) return refused(card ? 409 : 404);
    if (card.title !== title) card.version += 1;
    card.title = title;
    return shown({ ...card });
  }

  /** By its identifier, with what there is to say of its board. */
  lookUp(by: User, name: string): Prediction {
    const card = this.card(by, name);
    if (!card) return refused(404);
    const { archived, deleted } = this.boards.get(card.board) as Board;
    return shown({ ...card, boardArchived: archived, boardDeleted: deleted });
  }

  listCards(by: User, board: string): Prediction {
    if (!this.board(by, board)) return refused(404);
    return shown(
      [...this.cards]
        .filter(([, card]) => card.board === board)
        .map(([name]) => name)
        .sort(),
    );
  }
}
