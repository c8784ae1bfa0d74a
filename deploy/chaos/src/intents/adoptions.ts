import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import { isActive } from '../knowledge.ts';
import { type PlannedRequest, requestFor } from '../send.ts';
import { creations } from './cards.ts';
import { slowAnswerMs } from './workstreams.ts';

/** The numbers in the files of all importers: few, so that the same rows are sent again and again. */
const rowsOfFile = 60;
/** Former identifiers are above these numbers, so that no row has the own identifier of another one. */
const formerAbove = 1_000;
/** The most workstreams of a workspace that adopt at a time. */
const enough = 2;

const firstDay = Date.UTC(2016, 0, 1);
const dayMs = 86_400_000;

type Adopting = Client['knows']['adopting'][number];

/** A row is the same in every import, except its column. */
const row = ({ prefix, before }: Adopting, number: number, column: string) => ({
  number,
  column_id: column,
  title: `${prefix}-${number} of a file`,
  created_at: new Date(firstDay + number * dayMs).toISOString(),
  ...(before && number % 4 === 0 && { former: [`${before}-${formerAbove + number}`] }),
});

const stillActive = ({ knows }: Client, { id }: Adopting) => knows.of('workstream').get(id)?.archived !== true;

/** Creates a workstream that adopts. Its prefix is `A`, the client and a counter. */
const makeAdopting = async (client: Client) => {
  const { adopting } = client.knows;
  if (adopting.filter((one) => stillActive(client, one)).length >= enough) return;
  const prefix = `A${client.name().slice(1).replace('-', 'X')}`;
  const made = await client.send(
    requestFor(api.createWorkstream, [], { body: { name: prefix, prefix, adopting: true } }),
  );
  const id = made.answer?.status === 201 ? made.answer.body.resource?.id : undefined;
  if (id) adopting.push({ id, prefix, before: adopting.at(-1)?.prefix });
};

const some = (client: Client) => {
  const all = client.knows.adopting.slice(-enough);
  return all.length === 0 ? undefined : client.random.pick(all);
};

const adoption = (client: Client, into: Adopting): PlannedRequest | undefined => {
  const column = client.knows.some(client.random, 'column', isActive);
  if (!column) return undefined;
  const from = client.random.int(1, rowsOfFile);
  const cards = Array.from({ length: client.random.int(1, 6) }, (_, at) => row(into, from + at, column.id));
  return requestFor(api.adoptCards, [into.id], { body: { cards } });
};

const adopt = async (client: Client) => {
  const into = some(client);
  const planned = into && adoption(client, into);
  return planned && client.send(planned);
};

/** Opens a workstream during adoptions into it, then creates cards in it, and later tries to adopt once more. */
const openUnderAdoptions = async (client: Client) => {
  const into = some(client);
  const version = into && client.knows.of('workstream').get(into.id)?.version;
  if (!into || version === undefined) return;
  const adoptions = [adoption(client, into), adoption(client, into)].filter((planned) => planned !== undefined);
  const late = adoption(client, into);
  const open = async () => {
    await client.ask(api.openWorkstream, [into.id], { ifMatch: version, body: {} });
    await Promise.all(creations(client, 4, into.id).map((planned) => client.send(planned)));
    await client.wait(client.random.int(0, slowAnswerMs));
    if (late) await client.send(late);
    const place = client.knows.adopting.indexOf(into);
    if (place >= 0) client.knows.adopting.splice(place, 1);
  };
  await Promise.all([...adoptions.map((planned) => client.send(planned)), open()]);
};

export const adoptionIntents: Intent[] = [
  { weight: 1, act: makeAdopting },
  { weight: 3, act: adopt },
  { weight: 0.8, act: openUnderAdoptions },
];
