import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  errorStatus,
  declaredInternalEvents as events,
  type InternalEventContract,
  type RequestContract,
  declaredRequests as requests,
} from '../src/index.ts';

const folder = join(import.meta.dirname, '../golden');
const lockFile = join(folder, 'lock.json');

interface GoldenRequest {
  request: unknown;
  reply: object;
  refusals: { code: string; request: unknown }[];
}

/** The golden examples, by names such as `card/get-card`, its former `card/get-card.1` and `events/card.deleted.v1`. */
const golden = new Map<string, unknown>();
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('.json') || file === 'lock.json') continue;
  const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  if (file.startsWith('events/')) golden.set(file.replace(/\.json$/, ''), content);
  else for (const [name, example] of Object.entries(content)) golden.set(`${file.split('.', 1)[0]}/${name}`, example);
}
const names = [...golden.keys()];

/** A hash of the content, whatever its layout. */
const hashOf = (name: string) =>
  createHash('sha256')
    .update(`${JSON.stringify(golden.get(name), null, 2)}\n`)
    .digest('hex')
    .slice(0, 16);

const withoutNumber = (name: string) => name.replace(/\.\d+$/, '');

const requestOf = (name: string) =>
  requests.find(({ subject }) => subject === `rpc.${withoutNumber(name).replace('/', '.')}`);
const eventOf = (name: string) => {
  const [, type] = /^events\/([\w.-]+)\.v\d+$/.exec(name) ?? [];
  return events.find((event) => event.type === type);
};

/** Callers parse replies by the contract, which may give a later field a default; the server parses requests. */
const parseRequest = (contract: RequestContract, example: GoldenRequest) => {
  const { request, reply, refusals } = example;
  expect(contract.reply.parse(reply)).toMatchObject(reply);
  for (const one of [request, ...refusals.map((refusal) => refusal.request)]) {
    expect(contract.request.safeParse(one).success).toBe(true);
  }
  for (const { code } of refusals) expect(errorStatus).toHaveProperty(code);
};

/** Consumers parse events of every version by their present contract. */
const parseEvent = (contract: InternalEventContract, name: string, given: { type: string; version: number }) => {
  expect(contract.schema.parse(given)).toEqual(given);
  expect(name).toBe(`events/${given.type}.v${given.version}`);
};

describe('golden files', () => {
  it.each(names)('%s can still be parsed', (name) => {
    const [request, event] = [requestOf(name), eventOf(name)];
    if (request) parseRequest(request, golden.get(name) as GoldenRequest);
    else if (event) parseEvent(event, name, golden.get(name) as { type: string; version: number });
    else expect.unreachable(`${name} is of no contract`);
  });

  it('exist for every request and for the present version of every event', () => {
    const owed = [
      ...requests.map(({ subject }) => subject.replace('rpc.', '').replace('.', '/')),
      ...events.map(({ type, version }) => `events/${type}.v${version}`),
    ];
    expect(owed.filter((name) => !golden.has(name))).toEqual([]);
  });

  it('never change: an old example stays, under another name (get-card.1) or version of the event', () => {
    const locked = JSON.parse(readFileSync(lockFile, 'utf8')) as Record<string, string>;
    const present = Object.fromEntries(names.map((name) => [hashOf(name), withoutNumber(name)]));
    expect(Object.keys(present), 'two golden examples are the same').toHaveLength(names.length);
    for (const [hash, name] of Object.entries(locked)) {
      expect(present[hash], `the golden example of ${name} with the hash ${hash} is gone`).toBe(name);
    }
    for (const [hash, name] of Object.entries(present)) {
      expect(locked[hash], `add "${hash}": "${name}" to lock.json`).toBe(name);
    }
  });
});
