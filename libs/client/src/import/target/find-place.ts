import type { Board, Column } from '@cardinal/contracts';
import type { CardinalClient } from '../../client.ts';
import { thingKey } from '../rows/row-key.ts';
import { byName } from './by-name.ts';
import { findOrMake } from './find-or-make.ts';

/** Where the cards go. */
export interface Place {
  board: Board;
  column: Column;
}

/** Finds the board and the column by name (or id), or makes them. */
export const findPlace = async (client: CardinalClient, names: { board: string; column: string }): Promise<Place> => {
  const board = await findOrMake({
    find: () => byName('board', names.board, client.boards.list()),
    make: (options) => client.boards.create({ name: names.board }, options),
    keyOf: (n) => thingKey('board', names.board, n),
  });
  const column = await findOrMake({
    find: () => byName('column', names.column, client.columns.list(board.id)),
    make: (options) => client.columns.create(board.id, { name: names.column }, options),
    keyOf: (n) => thingKey('column', board.id, names.column, n),
  });
  return { board, column };
};
