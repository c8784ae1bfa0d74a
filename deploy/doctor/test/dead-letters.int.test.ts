import * as contracts from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { deadLetters } from '../src/checks/events.ts';
import { repairFindings } from '../src/repair.ts';
import { useHealthyDatabase } from './database.ts';
import { id, workspace } from './rows.ts';

const { run, look: lookAt } = useHealthyDatabase();
const look = () => lookAt([deadLetters]);

const anEvent = (type: string) => ({
  ...{ id: id(77), type, version: 1, occurred_at: '2026-01-02T03:04:05.678Z', workspace_id: workspace },
  ...{ request_id: 'test', aggregate_id: id(78), aggregate_version: 2, data: { board_id: id(4) } },
});
const aLetter = (service: string, event: unknown, age = '10 minutes') =>
  `insert into ${service}.dead_letters (event, error, failed_at)
   values ('${JSON.stringify(event)}', E'Error: no\n at line 1', now() - interval '${age}')`;
const outbox = (service: string) =>
  run(`select event, subject, published_at, leased_until from ${service}.outbox where id = '${id(77)}'`);

const types = (Object.values(contracts) as unknown[]).flatMap((one) =>
  typeof one === 'object' && one !== null && 'schema' in one && 'type' in one ? [String(one.type)] : [],
);

describe('an event that was given up on', () => {
  it.each(types)('%s: is named with its error, and given again by whom it came from', async (type) => {
    await run(aLetter('dependency', anEvent(type)));
    const found = await look();
    expect(found.told).toMatch(/^dependency: dead letter .*: Error: no — \{"id":/);
    expect(await repairFindings(found.findings)).toEqual({ tried: 1, failures: [] });
    expect((await look()).told).toBe('');
    expect(await outbox(contracts.emitterOf(type) ?? '')).toEqual([
      { event: anEvent(type), subject: `evt.${type}`, published_at: null, leased_until: null },
    ]);
  });

  it('is given again once where several gave up on it and its outbox has it still', async () => {
    const event = anEvent('card.deleted');
    await run(
      `insert into card.outbox (id, workspace_id, subject, event, published_at, leased_until)
       values ('${id(77)}', '${workspace}', 'evt.card.deleted', '${JSON.stringify(event)}', now(), now())`,
      aLetter('dependency', event),
      aLetter('attachment', event),
    );
    expect(await repairFindings((await look()).findings)).toEqual({ tried: 2, failures: [] });
    expect(await outbox('card')).toMatchObject([{ event, published_at: null, leased_until: null }]);
    expect((await look()).told).toBe('');
  });

  it.each<[string, string]>([
    ['that is none of ours', aLetter('identifier', { id: 'e-1' })],
    ['that nobody of us tells', aLetter('card', anEvent('weather.changed'))],
    [
      'that failed just now, which the stream would take for a copy,',
      aLetter('card', anEvent('workstream.changed'), '1 minute'),
    ],
  ])('%s is named and left where it is', async (_, planted) => {
    await run(planted);
    const found = await look();
    expect(found.told).toMatch(/: dead letter .*: Error: no — /);
    expect(await repairFindings(found.findings)).toEqual({ tried: 0, failures: [] });
    expect((await look()).told).toBe(found.told);
  });
});
