import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import { requestFor } from '../send.ts';
import { creation } from './cards.ts';

/** Repeats an old request with its key, whether or not it was answered. */
const repeatOld = async (client: Client) => {
  const { knows, random } = client;
  if (knows.keyed.length === 0) return undefined;
  const { planned, user } = random.pick(knows.keyed);
  return client.once(planned, undefined, user);
};

/** Sends another request with the key of an old one: refused. */
const reuseKey = async (client: Client) => {
  const { knows, random } = client;
  const old = knows.keyed.filter(({ planned }) => planned.operation === 'createCard');
  if (old.length === 0) return undefined;
  const { planned, user } = random.pick(old);
  return client.once({ ...planned, body: { title: client.name() } }, undefined, user);
};

/** Sends the same request with the same key several times at once, to all gateways: one effect, and one answer to all. */
const atOnce = async (client: Client) => {
  const { knows, random } = client;
  const card = knows.someCard(random);
  const workstream = knows.some(random, 'workstream');
  const transfer =
    card &&
    workstream &&
    requestFor(api.transferCard, [card.id], { ifMatch: card.version, body: { workstream_id: workstream.id } });
  const planned = (random.chance(0.5) ? creation(client) : undefined) ?? transfer;
  if (!planned) return undefined;
  const keyed = { ...planned, key: `k-${client.name()}` };
  knows.noteKeyed(keyed, client.user);
  return client.atOnce(Array.from({ length: random.int(2, 4) }, () => keyed));
};

/** Sets a state, clears it, and reads it: a repetition of the first request that comes late shows here. */
const setAndClear = async (client: Client) => {
  const { knows, random } = client;
  const [card, other, label] = [knows.someCard(random), knows.someCard(random), knows.some(random, 'label')];
  if (!card || !other || other.id === card.id) return undefined;
  const states = [
    [api.putAssignee, api.deleteAssignee, random.pick(knows.users).id, api.getCard],
    [api.putDependency, api.deleteDependency, other.id, api.listDependencies],
    ...(label ? [[api.putCardLabel, api.deleteCardLabel, label.id, api.getCard] as const] : []),
  ] as const;
  const [put, remove, id, read] = random.pick(states);
  const set = await client.ask(put, [card.id, id]);
  if (set.answer?.status !== 200) return set;
  await client.ask(remove, [card.id, id]);
  await client.wait(random.int(0, 4_000));
  return client.ask(read, [card.id]);
};

export const repeatIntents: Intent[] = [
  { weight: 4, act: repeatOld },
  { weight: 0.5, act: reuseKey },
  { weight: 2, act: atOnce },
  { weight: 6, act: setAndClear },
];
