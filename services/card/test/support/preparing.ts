import type { InternalEventContract, RequestContract } from '@cardinal/contracts';
import * as contracts from '@cardinal/contracts';
import { goldenEvent } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { Given, Made, Prepare } from './contract-fixture.ts';

/** Makes something, on a card that is there where it hangs on one. */
type Make = (of: Given, on?: Made) => Promise<Made>;

export const board = (of: Given) => of.board();
export const column = (of: Given) => of.column();
export const card = async (of: Given, on?: Made) => on ?? of.card();
/** A card whose identifier is not in the ledger yet. */
export const unrecordedCard = (of: Given) => of.unrecorded();
export const label = (of: Given) => of.label();
export const comment = (of: Given, on?: Made) => of.comment(on);
export const subtask = (of: Given, on?: Made) => of.subtask(on);

/** Brings something into the state in which `contract` leaves it. */
export const archived =
  (contract: RequestContract, key: string, make: Make): Make =>
  async (of, on) =>
    of.change(contract, key, await make(of, on));

/** Addresses by `key` what `make` makes. */
export const reading =
  (key: string, make: (of: Given) => Promise<Made>, more: object = {}): Prepare =>
  async (of) => ({ request: { ...of.who, [key]: (await make(of)).id, ...more } });

/** A write of a member, which who only sees the board may not make. */
export const managing: Prepare = async (of) => {
  const request = { ...of.who, board_id: (await of.board()).id, member_user_id: v7() };
  return { request, refused: { insufficient_scope: { ...request, user_id: v7() } } };
};

/** A write that names the version it changes. */
export const versioned =
  (key: string, make: (of: Given) => Promise<Made>, more: object = {}): Prepare =>
  async (of) => {
    const one = await make(of);
    return { request: { ...of.order(), [key]: one.id, if_match: [one.version], ...more } };
  };

/** A write to a card or to something on it, which those of deleted boards refuse. */
export const onOpenBoard =
  (key: string, make: Make, more: object = {}): Prepare =>
  async (of) => {
    const write = (one: Made) => ({ ...of.order(), [key]: one.id, if_match: [one.version], ...more });
    const request = write(await make(of));
    return { request, refused: { conflict: write(await of.ofDeletedBoard((on) => make(of, on))) } };
  };

/** Something new below something else, which the closed one refuses. */
export const below =
  (key: string, open: (of: Given) => Promise<Made>, closed: (of: Given) => Promise<Made>, body: object): Prepare =>
  async (of) => ({
    request: { ...of.order(), [key]: (await open(of)).id, body },
    refused: { conflict: { ...of.order(), [key]: (await closed(of)).id, body } },
  });

/** A change of a comment, which others than its author may not make. */
export const byAuthor =
  (more: object = {}): Prepare =>
  async (of) => {
    const { request, refused } = await onOpenBoard('comment_id', comment, more)(of);
    return { request, refused: { insufficient_scope: { ...request, ...of.order(), user_id: v7() }, ...refused } };
  };

/** A write whose body may name a workstream by `key`, which must exist and be active. */
export const filed =
  (key: string, prepare: Prepare): Prepare =>
  async (of) => {
    const { request, refused } = await prepare(of);
    const under = (id: string) => ({ ...request, ...of.order(), body: { ...(request.body as object), [key]: id } });
    const conflicts = [refused?.conflict ?? [], under(of.archivedWorkstream().id)].flat();
    return { request, refused: { conflict: conflicts, not_found: under(v7()) } };
  };

/** Desired state of a card. */
export const desired =
  (key: string, value: (of: Given) => Promise<string>, free: string[] = []): Prepare =>
  async (of) => {
    const request = { ...of.who, card_id: (await of.card()).id, [key]: await value(of) };
    return { request, free, refused: { conflict: { ...request, card_id: (await of.ofDeletedBoard()).id } } };
  };

/** What another service promised to send, in a workspace of one's own; the same event changes nothing twice. */
export const promised =
  (contract: InternalEventContract, about: (of: Given) => Promise<object> = async () => ({})): Prepare =>
  async (of) => ({
    request: { ...goldenEvent(contract, { workspace_id: of.who.workspace_id, ...(await about(of)) }) },
    again: { applied: false },
  });

/** A move, which takes a place on a board that is seen, and nothing archived. */
export const moves: Prepare = async (of) => {
  const { request, refused } = await onOpenBoard('card_id', card, { body: { position: 'end' } })(of);
  const on = await of.board();
  const here = await of.columnOf(on);
  const [one, put] = [await of.cardIn(here), await of.cardIn(here)];
  const old = await of.change(contracts.archiveColumn, 'column_id', await of.columnOf(on));
  const away = await of.change(contracts.archiveCard, 'card_id', put);
  const there = await of.card();
  const far = await of.board();
  const shut = await of.columnOf(far);
  await of.change(contracts.archiveBoard, 'board_id', far);
  const move = (which: Made, body: object) => ({
    ...{ ...request, ...of.order() },
    ...{ card_id: which.id, if_match: [which.version], body },
  });
  return {
    request,
    refused: {
      conflict: [
        ...[refused?.conflict ?? []].flat(),
        ...[move(away, { position: 'end' }), move(one, { column_id: old.id }), move(one, { column_id: shut.id })],
      ],
      validation_error: [
        move(one, { column_id: v7() }),
        move(one, { before_card_id: one.id }),
        move(one, { before_card_id: there.id }),
      ],
    },
  };
};

export const user = async () => v7();
export const labelId = async (of: Given) => (await of.label()).id;
export const closed = (of: Given) => of.ofDeletedBoard();
