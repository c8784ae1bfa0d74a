import {
  type Caller,
  type Card,
  type CreateCardBody,
  createBoard,
  createCard,
  createColumn,
  createWorkstream,
  type PatchCardBody,
  patchCard,
  transferCard,
} from '@cardinal/contracts';
import { aCommand } from '@cardinal/testkit';
import type { Fixture } from './fixture.ts';

type Bus = Pick<Fixture, 'bus'>;

export const aWorkstream = async ({ bus }: Bus, caller: Caller, prefix: string) =>
  (await bus.call(createWorkstream, { ...caller, command: aCommand(), body: { name: prefix, prefix } })).resource;

/** A board with one column. */
export const aColumn = async ({ bus }: Bus, caller: Caller, default_workstream_id: string | null = null) => {
  const board = await bus.call(createBoard, {
    ...caller,
    command: aCommand(),
    body: { name: 'Board', default_workstream_id },
  });
  const column = await bus.call(createColumn, {
    ...caller,
    command: aCommand(),
    board_id: board.resource.id,
    body: { name: 'To do' },
  });
  return { board: board.resource, column: column.resource };
};

/** Asks for a card in a column. */
export const create = (
  { bus }: Bus,
  caller: Caller,
  column_id: string,
  body: Partial<CreateCardBody> = {},
  command = aCommand(),
) => bus.call(createCard, { ...caller, command, column_id, body: { title: 'Card', ...body } });

/** A card on a board of its own. */
export const aCard = async (fixture: Bus, caller: Caller, body: Partial<CreateCardBody> = {}): Promise<Card> => {
  const { column } = await aColumn(fixture, caller);
  return (await create(fixture, caller, column.id, body)).resource;
};

/** Asks to transfer a card. */
export const transfer = (
  { bus }: Bus,
  caller: Caller,
  card: Pick<Card, 'id' | 'version'>,
  workstream_id: string,
  command = aCommand(),
) =>
  bus.call(transferCard, { ...caller, command, card_id: card.id, if_match: [card.version], body: { workstream_id } });

/** Asks to edit a card. */
export const patch = (
  { bus }: Bus,
  caller: Caller,
  card: Pick<Card, 'id' | 'version'>,
  body: PatchCardBody,
  command = aCommand(),
) => bus.call(patchCard, { ...caller, command, card_id: card.id, if_match: [card.version], body });
