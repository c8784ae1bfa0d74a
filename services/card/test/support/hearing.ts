import * as contracts from '@cardinal/contracts';
import { expect } from 'vitest';
import type { z } from 'zod';
import { type Noted, notedIn } from './feed.ts';
import type { Fixture } from './fixture.ts';
import { openWorkspace } from './workspace.ts';

type Request<Contract> = Contract extends contracts.RequestContract<infer Schema> ? z.input<Schema> : never;
type Body<Contract> = Omit<Request<Contract>, 'workspace_id' | 'user_id' | 'command'>;

/** What is true of every event of a card service, and the event as followers read it. */
const readEvent = (row: Noted | undefined) => {
  const event = contracts.event.parse({ seq: row?.seq, ...JSON.parse(row?.event ?? 'null') });
  expect(row).toMatchObject({ id: event.id, type: event.type, board_id: event.board_id });
  expect(row?.card_id).toBe(event.card?.id ?? null);
  return { ...event, other_board_id: row?.other_board_id };
};

/** Operations whose event was seen. */
export const heard = new Set<string>();

/** Makes a board in a workspace of its own, and whoever asks there and hears what followers hear of it. */
export const listener = (fixture: Fixture) => async () => {
  const workspace = openWorkspace(fixture.bus);
  const { who } = workspace;
  const { board, columns } = await workspace.board('To do', 'Done');
  const [todo, done] = columns as [contracts.Column, contracts.Column];
  const [card] = (await workspace.cards(todo.id, 'Card')) as [contracts.Card];
  const label = await fixture.bus.call(contracts.createLabel, {
    ...workspace.order(),
    body: { name: 'Bug', color: '#1d76db' },
  });

  /** Asks, and answers what was noted of it; the same request again is none. */
  const all = async <Contract extends contracts.Operation>(contract: Contract, body: Body<Contract>) => {
    const before = await notedIn(fixture, who.workspace_id);
    const request = { ...workspace.order(), ...body };
    await fixture.bus.call(contract, request);
    await fixture.bus.call(contract, request);
    const events = (await notedIn(fixture, who.workspace_id)).slice(before.length).map(readEvent);
    for (const { actor } of events) expect(actor).toEqual({ user_id: who.user_id, api_key_id: null });
    const types: readonly string[] = contract.http.emits ?? [];
    expect(events.filter(({ type }) => !types.includes(type))).toEqual([]);
    if (events.length > 0) heard.add(contract.subject);
    return events;
  };
  const hear = async <Contract extends contracts.Operation>(contract: Contract, body: Body<Contract>) => {
    const events = await all(contract, body);
    expect(events).toHaveLength(1);
    return events[0] as (typeof events)[number];
  };
  /** The same of what changes nothing, or is refused with a code. */
  const hearNothing = async <Contract extends contracts.Operation>(
    contract: Contract,
    body: Body<Contract>,
    code = 'none',
  ) => {
    const before = await notedIn(fixture, who.workspace_id);
    const refusal = fixture.bus.call(contract, { ...workspace.order(), ...body }).then(
      () => 'none',
      (error) => error.code,
    );
    expect(await refusal).toBe(code);
    expect(await notedIn(fixture, who.workspace_id)).toHaveLength(before.length);
  };
  /** Another board with a column. */
  const elsewhere = async () => {
    const { board, columns } = await workspace.board('Elsewhere');
    return { board, column: columns[0] as contracts.Column };
  };
  return { ...workspace, elsewhere, board, todo, done, card, label: label.resource, all, hear, hearNothing };
};
