import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type EventContract,
  errorStatus,
  declaredEvents as events,
  type RequestContract,
  declaredRequests as requests,
} from '../src/index.ts';

const folder = join(import.meta.dirname, '../golden');
const lockFile = join(folder, 'lock.json');

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json') && file !== 'lock.json')
  .sort();
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
const hashOf = (file: string) => createHash('sha256').update(textOf(file)).digest('hex').slice(0, 16);

/** The contract that a file is of: `card/get-card.json`, its former `card/get-card.1.json`, `events/card.deleted.v1.json`. */
const requestOf = (file: string) => {
  const [, name] = /^(\w+\/[\w-]+)(?:\.\d+)?\.json$/.exec(file) ?? [];
  return requests.find(({ subject }) => subject === `rpc.${name?.replace('/', '.')}`);
};
const eventOf = (file: string) => {
  const [, type] = /^events\/([\w.-]+)\.v\d+\.json$/.exec(file) ?? [];
  return events.find((event) => event.type === type);
};

/** Replies are read by callers as the contract says, which may give a later field a default; requests by the server. */
const parseRequest = (contract: RequestContract, file: string) => {
  const { request, reply, refusals } = JSON.parse(textOf(file));
  expect(contract.reply.parse(reply)).toMatchObject(reply);
  for (const one of [request, ...refusals.map((refusal: { request: unknown }) => refusal.request)]) {
    expect(contract.request.safeParse(one).success).toBe(true);
  }
  for (const { code } of refusals) expect(errorStatus).toHaveProperty(code);
};

/** Consumers meet events of every version in their present contract. */
const parseEvent = (contract: EventContract, file: string) => {
  const told = JSON.parse(textOf(file));
  expect(contract.schema.parse(told)).toEqual(told);
  expect(file).toBe(`events/${told.type}.v${told.version}.json`);
};

describe('golden files', () => {
  it.each(files)('%s is still understood', (file) => {
    const [request, event] = [requestOf(file), eventOf(file)];
    if (request) parseRequest(request, file);
    else if (event) parseEvent(event, file);
    else expect.unreachable(`${file} is of no contract`);
  });

  it('exist for every request and for the present version of every event', () => {
    const owed = [
      ...requests.map(({ subject }) => `${subject.replace('rpc.', '').replace('.', '/')}.json`),
      ...events.map(({ type, version }) => `events/${type}.v${version}.json`),
    ];
    expect(owed.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('never change: what was promised once stays, under another name (get-card.1.json) or version of the event', () => {
    const locked = JSON.parse(readFileSync(lockFile, 'utf8')) as Record<string, string>;
    const present = Object.fromEntries(files.map((file) => [hashOf(file), file.replace(/(\.\d+)?\.json$/, '')]));
    expect(Object.keys(present), 'two golden files are the same').toHaveLength(files.length);
    for (const [hash, name] of Object.entries(locked)) {
      expect(present[hash], `the golden file of ${name} with the hash ${hash} is gone`).toBe(name);
    }
    for (const [hash, name] of Object.entries(present)) {
      expect(locked[hash], `add "${hash}": "${name}" to lock.json`).toBe(name);
    }
  });
});
