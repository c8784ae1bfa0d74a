import { CardinalError, declaredRequests, type RequestContract, type ServiceName } from '@cardinal/contracts';
import { goldenRequest, startWorld, testBus } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Fixture, newFixture } from '../routes/fixture.ts';
import { fieldsIn, type Path, valuesAt, withValue } from './bodies.ts';
import { idsIn } from './samples.ts';
import { isText, type Schema } from './schemas.ts';

/** Requests that the gateway refuses, sent over the bus: each service refuses them itself. */
const world = await startWorld();
afterAll(() => world.stop());

type Bus = Awaited<ReturnType<typeof testBus>>;
const buses = new Map<ServiceName, Promise<Bus>>();
/** The bus, as a service that may send a request. */
const busOf = ({ callers: [name = 'gateway'] }: RequestContract): Promise<Bus> => {
  const known = buses.get(name) ?? testBus(world.natsUrls[name] ?? '', name);
  buses.set(name, known);
  return known;
};

/** The schema of a request, in which nothing refers to anything. */
const schemaOf = ({ request }: RequestContract): Schema => {
  const { $defs = {}, ...schema } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
  const inlined = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(inlined);
    const { $ref } = part as Schema;
    if ($ref) return inlined($defs[$ref.replace('#/$defs/', '')]);
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, inlined(one)]));
  };
  return inlined(schema) as Schema;
};

/** The code of a service's error, or `ok`. */
const outcomeOf = async (contract: RequestContract, request: unknown): Promise<string> => {
  try {
    await (await busOf(contract)).fetch(contract, request as object);
    return 'ok';
  } catch (error) {
    if (!(error instanceof CardinalError)) return String(error);
    const { code, message } = error;
    return /does not understand/.test(message) ? 'malformed' : code;
  }
};
/** Where `unavailable` and `internal` are right: another epoch, and contradictions to the state. */
const explained: { subject: RegExp; field: RegExp; outcome: string }[] = [
  { subject: /^rpc\.card\.(open|close)-range$/, field: /^epoch$/, outcome: 'unavailable' },
  // Two workstreams of one prefix.
  { subject: /^rpc\.card\.(open|close)-range$/, field: /^workstream\.id$/, outcome: 'internal' },
  { subject: /^rpc\.card\.project-workstream$/, field: /^(workspace_id|data\.id)$/, outcome: 'internal' },
  // A link that was changed more often than a version can count.
  { subject: /^rpc\.card\.project-linked-file$/, field: /^aggregate_version$/, outcome: 'internal' },
];
const isExplained = ({ subject }: RequestContract, path: Path, outcome: string) =>
  explained.some((one) => one.subject.test(subject) && one.field.test(path.join('.')) && one.outcome === outcome);
/** Answers come from databases, which hold neither NUL nor invalid Unicode. */
const isSaid = ({ callers }: RequestContract, value: unknown) => callers.includes('gateway') || isText(value);
const isMalformed = ({ request }: RequestContract, sent: unknown) =>
  !request.safeParse(JSON.parse(JSON.stringify(sent))).success;

describe.concurrent('every field of every request of the bus, on both sides of its bounds', () => {
  it.each(declaredRequests.map((contract) => [contract.subject, contract] as const))('%s', async (_, contract) => {
    const fixture: Fixture = await newFixture(world, { hasImage: false });
    const golden = goldenRequest(contract).request;
    const sample = () => idsIn(golden, fixture);
    const faults: string[] = [];
    expect(['ok', ...contract.refusals, 'not_found']).toContain(await outcomeOf(contract, sample()));
    for (const { path, schema } of fieldsIn(schemaOf(contract))) {
      const given = path.reduce((part: unknown, name) => (part as never)?.[name], sample());
      const values = valuesAt(schema, given).filter((value) => isSaid(contract, value));
      const isWrong = (value: unknown) => isMalformed(contract, withValue(sample(), path, value));
      // One value that breaks the contract is enough: the bus refuses it before the service gets it.
      for (const value of [...values.filter((one) => !isWrong(one)), ...values.filter(isWrong).slice(0, 1)]) {
        const outcome = await outcomeOf(contract, withValue(sample(), path, value));
        const isAnswered = isWrong(value)
          ? outcome === 'malformed'
          : !['internal', 'malformed', 'unavailable'].includes(outcome) || isExplained(contract, path, outcome);
        if (!isAnswered) faults.push(`${path.join('.')} ${JSON.stringify(value)?.slice(0, 100)}: ${outcome}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
