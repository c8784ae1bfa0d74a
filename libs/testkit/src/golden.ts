import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CardinalError,
  type DatabaseOwner,
  type ErrorCode,
  type ErrorDetails,
  declaredInternalEvents as everyEvent,
  declaredRequests as everyRequest,
  type FeedOwner,
  feedRequests,
  type InternalEventContract,
  type InternalEventOf,
  internalFeedRequests,
  type RequestContract,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const moments = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** As JSON, whatever the clock of a database was, in microseconds since 1970. */
const timeless = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(/\b[1-3]\d{15}\b/g, '1767323045678000');

/** The text of a golden file: what differs from run to run, ids and times, is replaced in the order it comes up. */
export const canonical = (value: unknown): string => {
  const known = new Map<string, string>();
  const name = (id: string) => {
    const text = known.get(id) ?? `00000000-0000-7000-8000-${String(known.size + 1).padStart(12, '0')}`;
    known.set(id, text);
    return text;
  };
  const text = timeless(value, 2).replace(uuids, name).replace(moments, '2026-01-02T03:04:05.678Z');
  return `${text}\n`;
};

/** The names and kinds of everything in a JSON value, without what it says; for comparing a stand-in with the real one. */
export const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shape);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, part === null ? 'null' : shape(part)]));
};

/** Every internal event that is declared of what a service owns, by the beginnings of their types: `cover.`, `linked-file.`. */
export const declaredInternalEvents = (...capabilities: string[]): InternalEventContract[] =>
  everyEvent.filter(({ type }) => capabilities.some((capability) => type.startsWith(capability)));

/** Where the golden files are, one for each service, or part of one, and for each version of an event. */
const goldenFolder = join(import.meta.dirname, '../../contracts/golden');

/** What one service says to another: a request with its answer, and each refusal. */
export interface GoldenRequest {
  request: unknown;
  reply: unknown;
  refusals: { code: ErrorCode; message: string; details?: ErrorDetails; request: unknown }[];
}

type Examples = Record<string, GoldenRequest>;

/** `card.json`, `event.webhooks.json`. */
const examplesFile = (service: string, part?: string) =>
  join(goldenFolder, `${part ? `${service}.${part}` : service}.json`);

/** `rpc.card.get-card` is the example `get-card` of the card service. */
const placeOf = ({ subject }: RequestContract) => {
  const [, service = '', name = ''] = subject.split('.');
  return { service, name };
};

/** Examples in the order of their names, a line for a request, a reply and a refusal. */
const examplesText = (examples: Examples): string => {
  const parts = Object.entries(examples)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { request, reply, refusals }]) => {
      const lines = refusals.map((refusal) => `\n    ${JSON.stringify(refusal)}`);
      const success = `   "request": ${JSON.stringify(request)},\n   "reply": ${JSON.stringify(reply)}`;
      return `  ${JSON.stringify(name)}: {\n${success},\n   "refusals": [${lines.join(',')}]\n  }`;
    });
  return `{\n${parts.join(',\n')}\n}\n`;
};

/** `card.deleted` is in `events/card.deleted.v1.json`. */
export const eventFile = ({ type, version }: InternalEventContract) =>
  join(goldenFolder, `events/${type}.v${version}.json`);

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What the server of a request promised its callers. @throws Error where it promised nothing yet */
export const goldenRequest = (contract: RequestContract): GoldenRequest => {
  const { service, name } = placeOf(contract);
  for (const file of readdirSync(goldenFolder)) {
    const example = file.startsWith(`${service}.`) && (read(join(goldenFolder, file)) as Examples)[name];
    if (example) return example;
  }
  throw new Error(`there is no golden example of ${service}/${name}`);
};

/** What a test replaces in the golden file. */
type About = Partial<Record<'workspace_id' | 'aggregate_id', string> & { aggregate_version: number; data: object }>;

/** A golden event as its emitter would send it again: under an id of its own, about what a test made. */
export const goldenEvent = <Contract extends InternalEventContract>(contract: Contract, about: About = {}) => {
  const event = contract.schema.parse(read(eventFile(contract)));
  return {
    ...event,
    id: v7(),
    ...about,
    data: { ...(event.data as object), ...about.data },
  } as InternalEventOf<Contract>;
};

/** What a service is asked over. */
interface Bus {
  call(contract: RequestContract, request: unknown): Promise<unknown>;
}

type Request = Record<string, unknown>;

/** A request that succeeds, and those that are refused for reasons of its own. */
export interface Exercise {
  request: Request;
  /** Further refusals by code, beside those that follow from what the request carries. */
  refused?: Record<string, Request | Request[]>;
  /** Ids of the request that may name nothing; no other unknown id is accepted. */
  free?: string[];
  /** What its repetition answers where that is something else; a function of both answers. */
  again?: unknown;
}

const freshCommand = (request: Request): Request =>
  'command' in request ? { ...request, command: { id: v7(), fingerprint: 'f' } } : request;

const isAddress = (key: string) =>
  /^(board|column|card|workstream|comment|label|subtask|file|depends_on_card|webhook|api_key)_id$/.test(key);

/** Refusals that follow from what a request carries: an unknown id, an old version, a cursor of another list. */
const derived = ({ subject }: RequestContract, { request, free = [] }: Exercise): [string, Request][] => {
  const addresses = Object.keys(request).filter((key) => isAddress(key) && !free.includes(key));
  const wrong = addresses.map((key): [string, Request] => ['not_found', { [key]: v7() }]);
  if ('if_match' in request) wrong.push(['precondition_failed', { if_match: [999] }]);
  if ('page' in request) {
    wrong.push(['invalid_request', { page: { ...(request.page as object), cursor: `not-of-${subject}` } }]);
  }
  return wrong.map(([code, otherwise]) => [code, freshCommand({ ...request, ...otherwise })]);
};

const refusal = async (bus: Bus, contract: RequestContract, expected: string, request: Request) => {
  const error = await bus.call(contract, request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CardinalError) || error.code !== expected) {
    throw new Error(`${contract.subject} should be refused with ${expected}`, { cause: error });
  }
  const { code, message, details } = error;
  return { code, message, ...(details ? { details } : {}), request };
};

/** Provokes every refusal of a request and its success, repeats it, and answers what a golden file keeps. */
const exercise = async (bus: Bus, contract: RequestContract, given: Exercise): Promise<GoldenRequest> => {
  const { request, refused = {} } = given;
  const [declared, provoked] = [contract.refusals, Object.keys(refused)].map((codes) => [...codes].sort().join());
  if (declared !== provoked) throw new Error(`${contract.subject} declares ${declared}, provoked are ${provoked}`);
  const own = Object.entries(refused).flatMap(([code, wrong]) => [wrong].flat().map((one) => [code, one] as const));
  const refusals: GoldenRequest['refusals'] = [];
  for (const [code, wrong] of [...derived(contract, given), ...own]) {
    refusals.push(await refusal(bus, contract, code, wrong));
  }
  const reply = (await bus.call(contract, request)) as object;
  const again = await bus.call(contract, request);
  const repeated = 'replayed' in reply ? { ...reply, replayed: true } : reply;
  const expected = typeof given.again === 'function' ? given.again(reply, again) : (given.again ?? repeated);
  if (timeless(again) !== timeless(expected)) throw new Error(`${contract.subject} was not repeated`);
  if ('command' in request) {
    const command = { ...(request.command as object), fingerprint: 'g' };
    refusals.push(await refusal(bus, contract, 'idempotency_key_reused', { ...request, command }));
  }
  return { request, reply, refusals };
};

/** Requests, and how a test comes to an exercise of each. */
export type Exercises = (readonly [RequestContract, () => Promise<Exercise>])[];

/**
 * The requests by which the log and projections read the feeds of an owner.
 * @param write changes something in a new workspace, whose id it answers
 * @param writeInternal does something that other services project; the same where left out
 */
export const feedExercises = (
  owner: FeedOwner,
  bus: Bus,
  write: () => Promise<string>,
  writeInternal = write,
): Exercises => {
  const everything = { since: null, after_workspace_id: null };
  const listing = (list: RequestContract, change: () => Promise<string>, after?: string) => async () => {
    const { looked_at: since } = (await bus.call(list, everything)) as { looked_at: number };
    await change();
    return { request: { since, after_workspace_id: after ?? null } };
  };
  const [feeds, internal] = [feedRequests[owner], internalFeedRequests[owner]];
  return [
    [feeds.pull, async () => ({ request: { feeds: [{ workspace_id: await write(), after: 0 }] } })],
    [feeds.list, listing(feeds.list, write)],
    [
      internal.pull,
      async () => ({ request: { feeds: [{ workspace_id: await writeInternal(), after: 0, after_id: null }] } }),
    ],
    [internal.list, listing(internal.list, writeInternal, v7({ msecs: 0 }))],
  ];
};

interface Served {
  service: DatabaseOwner;
  /** Where the exercises are only of a part of what the service serves, which one; it has a golden file of its own. */
  part?: string;
  bus: Bus;
  exercises: Exercises;
  /** Replaces what differs from run to run in the text of a golden file, beside ids and times. */
  fixed?: (text: string) => string;
}

/** Tests that a service answers a request of every kind, its repetition and each refusal, as its golden file says. */
export const testRequests = ({ service, part, bus, exercises, fixed = (text) => text }: Served) =>
  describe(`what the ${service} service serves${part ? ` (${part})` : ''}`, () => {
    const made: Examples = {};
    if (!part) {
      it('has a golden file for every request', () => {
        const declared = everyRequest.filter(({ subject }) => subject.startsWith(`rpc.${service}.`));
        const subjects = (of: RequestContract[]) => of.map(({ subject }) => subject).sort();
        expect(subjects(exercises.map(([contract]) => contract))).toEqual(subjects(declared));
      });
    }

    it.each(exercises.map(([contract, prepare]) => ({ subject: contract.subject, contract, prepare })))(
      '$subject: its success, its repetition and each refusal',
      async ({ contract, prepare }) => {
        const outcome = await exercise(bus, contract, await prepare());
        made[placeOf(contract).name] = JSON.parse(fixed(canonical(outcome)));
      },
    );

    // One look at the file: who writes it anew writes it once.
    it('says what its golden file says', async () => {
      const file = examplesFile(service, part);
      // Former examples stay (get-card.1).
      const kept = existsSync(file) ? (read(file) as Examples) : {};
      await expect(examplesText({ ...kept, ...made })).toMatchFileSnapshot(file);
    });
  });
