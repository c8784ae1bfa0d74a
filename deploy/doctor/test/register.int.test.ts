import { randomUUID } from 'node:crypto';
import { declareRegisters, onRegister } from '@cardinal/bus';
import { keyMarkKey, lineageKey, lineageKeyOf, markKey, registerOf } from '@cardinal/contracts';
import { type TestNats, testNats } from '@cardinal/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { acknowledge, registerChecks, rollbacksOf, unacknowledgedOf } from '../src/checks/register.ts';
import { repairFindings } from '../src/repair.ts';
import { doctor, useHealthyDatabase } from './database.ts';
import { app, web, workspace } from './rows.ts';

const { adminUrl, run, look } = useHealthyDatabase();
let nats: TestNats;

beforeEach(async () => {
  nats = await testNats();
  await declareRegisters({ url: nats.url });
  return () => nats.stop();
});

const witness = { identity: '7/00000001/5/16384', tick: 4 };

describe('the doctor, of the register', () => {
  it('names a missing witness and marks that are behind, and writes the marks again', async () => {
    const found = await look(registerChecks(nats));
    expect(found.told).toContain('card: no witness');
    expect(found.told).toContain('identifier: no witness');
    expect(found.told).toContain(`${workspace}/WEB: granted through 3, marked never`);
    expect(await repairFindings(found.findings)).toEqual({ tried: 2, failures: [] });
    expect((await look(registerChecks(nats))).told).not.toContain('marked');
    const marked = await onRegister(nats, (register) => register.read(markKey(workspace, 'WEB')));
    expect(marked.value).toMatchObject({ through: 3, epoch: 1, epoch_base: 0 });
  });

  it('has a mark say that nothing more is adopted once numbers were granted, and remember what was adopted', async () => {
    const of = (prefix: string) => onRegister(nats, (register) => register.read(markKey(workspace, prefix)));
    await run(
      `update identifier.workstreams set adopting = true, granted_through = 0, adopted_through = 1 where prefix = 'APP'`,
    );
    onTestFinished(async () => void (await run('update identifier.workstreams set adopting = false')));
    for (const [prefix, id] of [
      ['WEB', web],
      ['APP', app],
    ] as const)
      await onRegister(nats, (register) =>
        register.write(
          markKey(workspace, prefix),
          { through: prefix === 'WEB' ? 3 : 0, epoch: 1, epoch_base: 0, workstream_id: id, adopting: true },
          0,
        ),
      );
    const { findings, told } = await look(registerChecks(nats));
    expect(told).toContain(`${workspace}/WEB: granted through 3, marked 3, as adopting`);
    expect(told).toContain(`${workspace}/APP: adopted through 1, marked 0, as adopting`);
    await repairFindings(findings);
    expect((await look(registerChecks(nats))).told).not.toContain('marked');
    expect((await of('WEB')).value).toMatchObject({ through: 3, adopting: false });
    expect((await of('APP')).value).toMatchObject({ through: 1, adopting: true });
  });

  it('tells what was rolled back, when, from where to where, and which numbers are lost; they are no difference', async () => {
    const to = { ...witness, tick: 1 };
    const rollback = { database: 'card', at: '2026-01-02T03:04:05.000Z', epoch: 2, from: witness, to };
    const value = { epoch: 2, witnesses: { card: to, identifier: witness }, falls: [rollback] };
    await onRegister(nats, (register) => register.write(lineageKey, value, 0));
    expect(await rollbacksOf(nats)).toEqual([
      'card at 2026-01-02T03:04:05.000Z, epoch 2 since: from 7/00000001/5/16384 tick 4 to 7/00000001/5/16384 tick 1',
    ]);
    for (const database of ['event', 'access'] as const) {
      const own = { epoch: 1, witnesses: { [database]: witness }, falls: [] };
      await onRegister(nats, (register) => register.write(lineageKeyOf(database), own, 0), registerOf(database));
    }
    expect((await look(registerChecks(nats))).told).not.toContain('witness');
    const began = (epoch: number, base: number) =>
      run(`update identifier.workstreams set epoch = ${epoch}, epoch_base = ${base} where prefix = 'WEB'`);
    await began(2, 9);
    onTestFinished(async () => void (await began(1, 0)));
    const { out } = await doctor(['--patience', '0'], { DATABASE_URL: adminUrl(), NATS_URL: nats.url });
    expect(out).toMatch(RegExp(`^lost +${workspace}/WEB: 6 of the numbers up to 9$`, 'm'));
    expect(out).toMatch(/^ok +the ledger has the numbers of every workstream without a gap/m);
    expect(out).toMatch(/^rollback +card at 2026-01-02T03:04:05.000Z, epoch 2 since/m);
    expect(out).toMatch(/^ok +the register has a witness of each database/m);
  });

  it('warns of a skipped margin until an operator has acknowledged it', async () => {
    const at = '2026-01-02T03:04:05.000Z';
    const rollback = { database: 'identifier', at, epoch: 2, from: witness, to: witness, margin: 7_000 };
    const value = { epoch: 2, witnesses: { card: witness, identifier: witness }, falls: [rollback], unknown_since: at };
    await onRegister(nats, (register) => register.write(lineageKey, value, 0));
    expect(await rollbacksOf(nats)).toEqual([
      `identifier at ${at}, epoch 2 since: from no witness to 7/00000001/5/16384 tick 4; numbers skipped a margin of up to 7000`,
    ]);
    const [warning, ...others] = await unacknowledgedOf(nats);
    expect(warning).toContain(`workstreams skipped a margin of up to 7000 at ${at}`);
    expect(others).toEqual([]);
    const environment = { DATABASE_URL: adminUrl(), NATS_URL: nats.url };
    const { out } = await doctor(['--patience', '0'], environment);
    expect(out).toMatch(
      /^WARNING {2}an operator has acknowledged every skipped margin.*\n +workstreams skipped a margin/m,
    );
    expect(await doctor(['--acknowledge'], environment)).toEqual({ code: 0, err: '', out: 'acknowledged\n' });
    expect(await unacknowledgedOf(nats)).toEqual([]);
    // Of the next one too.
    await onRegister(nats, async (register) => {
      const { value: known, revision } = await register.read(lineageKey);
      const later = { ...(known as typeof value), unknown_since: new Date(Date.now() + 1_000).toISOString() };
      await register.write(lineageKey, later, revision);
    });
    expect(await unacknowledgedOf(nats)).toHaveLength(1);
    await acknowledge(nats);
  });

  it('warns that revocations are unknown, and revokes all keys from before a time, in the register first', async () => {
    const at = '2026-01-02T03:04:05.000Z';
    const rollback = { database: 'access', at, epoch: 2, from: witness, to: witness, margin: 0 };
    const value = { epoch: 2, witnesses: { access: witness }, falls: [rollback], unknown_since: at };
    await onRegister(nats, (register) => register.write(lineageKeyOf('access'), value, 0), 'access');
    expect(await rollbacksOf(nats)).toEqual([
      `access at ${at}, epoch 2 since: from no witness to 7/00000001/5/16384 tick 4; nobody knows which API keys were revoked since`,
    ]);
    expect(await unacknowledgedOf(nats)).toEqual([expect.stringContaining(`--revoke-keys-before ${at}`)]);

    const user = workspace;
    const [early, rotated, expired, late] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const row = (id: string, created: string, ends: string) =>
      `insert into access.api_keys (workspace_id, id, version, created_at, updated_at, name, user_id, scope, hash, former_hash,
          former_until, created_by, expires_at, epoch)
        values ('${workspace}', '${id}', 2, '${created}', now(), 'laptop', '${user}', 'kanban:read', '${id}', 'f${id}', now(),
          '${user}', ${ends}, 1)`;
    await run(
      row(early, '2026-01-01', `'2100-01-01'`),
      row(rotated, '2026-01-01', 'null'),
      row(expired, '2026-01-01', `'2026-01-03'`),
      row(late, '2026-01-02T03:04:06Z', 'null'),
    );
    const mark = (id: string) =>
      onRegister(nats, (register) => register.read(keyMarkKey(workspace, id)), 'access').then((read) => read.value);
    const newer = { version: 9, left: { hash: 'h', former_hash: null, former_until: null } };
    await onRegister(nats, (register) => register.write(keyMarkKey(workspace, rotated), newer, 0), 'access');

    const environment = { DATABASE_URL: adminUrl(), NATS_URL: nats.url };
    const revoke = () => doctor(['--revoke-keys-before', at], environment);
    expect(await revoke()).toMatchObject({
      code: 0,
      err: 'revoked 2 so far\n',
      out: expect.stringMatching(/^revoked 2 API keys/),
    });
    expect(await revoke()).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^revoked 0 API keys/) });
    const rows = await run(
      `select id, version, revoked_at is not null as revoked, hash from access.api_keys where hash is null order by version`,
    );
    expect(rows).toEqual([
      { id: early, version: 3, revoked: true, hash: null },
      { id: rotated, version: 10, revoked: true, hash: null },
    ]);
    expect([await mark(early), await mark(rotated)]).toEqual([
      { version: 3, left: null },
      { version: 10, left: null },
    ]);
    expect([await mark(expired), await mark(late)]).toEqual([undefined, undefined]);
    expect((await doctor(['--revoke-keys-before', 'yesterday'], environment)).err).toContain('It must be a time like');
    await acknowledge(nats);
    expect(await unacknowledgedOf(nats)).toEqual([]);
  });

  it('names a database that is at a later epoch than the register', async () => {
    await run('update card.lineage set epoch = 7');
    onTestFinished(async () => void (await run('update card.lineage set epoch = 1')));
    const value = { epoch: 2, witnesses: { card: witness, identifier: witness }, falls: [] };
    await onRegister(nats, (register) => register.write(lineageKey, value, 0));
    expect((await look(registerChecks(nats))).told).toContain('card: the register is at epoch 2, the database at 7');
  });
});
