import type { RequestContract } from '@cardinal/contracts';
import * as contracts from '@cardinal/contracts';
import type { Exercise } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { fillBoard } from './bulk-cards.ts';
import type { Fixture } from './fixture.ts';
import type { IdentifierDouble } from './identifier-double.ts';

/** What was made for a request. */
export interface Made {
  id: string;
  version: number;
  card_id: string;
}

/** A user of a workspace of one's own, and what can be made in it. */
export const given = (of: Pick<Fixture, 'bus' | 'instance'>, identifier: IdentifierDouble) => {
  const { bus } = of;
  const who = { workspace_id: v7(), user_id: v7() };
  const order = () => ({ ...who, command: { id: v7(), fingerprint: 'f' } });
  const make = async (contract: RequestContract, more: object) =>
    ((await bus.call(contract, { ...order(), ...more })) as { resource: Made }).resource;
  const board = () => make(contracts.createBoard, { body: { name: 'Board' } });
  const member = (put: object) => bus.call(contracts.putBoardMember, put as never);
  /** A board with as many members as may be. */
  const fullBoard = async () => {
    const made = await board();
    await fillBoard(of, { ...who, board_id: made.id }, 1_000);
    return made;
  };
  const columnOf = (on: Made) => make(contracts.createColumn, { board_id: on.id, body: { name: 'To do' } });
  const column = async () => columnOf(await board());
  const cardIn = (column: Made) => make(contracts.createCard, { column_id: column.id, body: { title: 'Card' } });
  const card = async () => cardIn(await column());
  const label = () => make(contracts.createLabel, { body: { name: 'Bug', color: '#1d76db' } });
  const onCard = (contract: RequestContract, body: object) => async (on?: Made) =>
    make(contract, { card_id: (on ?? (await card())).id, body });
  const comment = onCard(contracts.createComment, { body: 'Why?' });
  const subtask = onCard(contracts.createSubtask, { title: 'Step' });
  const change = (contract: RequestContract, key: string, one: Made) =>
    make(contract, { [key]: one.id, if_match: [one.version] });
  /** A card whose board is deleted, or what is made on it before that. */
  const ofDeletedBoard = async (more = async (made: Made) => made) => {
    const on = await board();
    const made = await more(await cardIn(await columnOf(on)));
    await bus.call(contracts.deleteBoard, { ...order(), board_id: on.id, if_match: [on.version] });
    return made;
  };
  const unrecorded = async () => {
    identifier.beforeRecord = async (issued) => {
      if (issued.some(({ workspace_id }) => workspace_id === who.workspace_id)) throw contracts.unavailable('Not now');
    };
    return card();
  };
  const workstream = (prefix: string) => identifier.add(who.workspace_id, prefix);
  const adoptingWorkstream = (prefix: string) => identifier.add(who.workspace_id, prefix, { adopting: true });
  const archivedWorkstream = () => identifier.add(who.workspace_id, 'OLD', { archived_at: '2026-01-01T00:00:00.000Z' });
  return {
    ...{ who, order, board, member, fullBoard, columnOf, column, cardIn, card, label, comment, subtask, change },
    ...{ ofDeletedBoard, unrecorded, workstream, archivedWorkstream, adoptingWorkstream },
  };
};
export type Given = ReturnType<typeof given>;

/** Makes a request that succeeds, and those that are refused. */
export type Prepare = (of: Given) => Promise<Exercise>;
