import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { databaseOwners } from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { api, eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checks } from '../src/checks/index.ts';
import { registerChecks } from '../src/checks/register.ts';
import { maxDifferences } from '../src/compare.ts';
import { openSources, type Sources } from '../src/sources.ts';
import { doctor, examined } from './database.ts';
import { make, makeProject, namedOf, type Project, planted, shown as shownIn } from './project.ts';

let world: World;
let sources: Sources;
beforeAll(async () => {
  // A client without pauses meets the rate limit sooner on a fast machine.
  world = await startWorld({ env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  sources = openSources(databaseOwners, (service) => world.databaseUrls[service]);
  return () => Promise.all([world.stop(), sources.close()]);
});

const broker = () => ({ url: world.natsUrls.deploy ?? '' });
const query = (statement: string) => runStatements(world.adminUrl, [statement]);
/** What the doctor says, in this process; a difference that lasts shorter than the patience is none. */
const look = (patienceMs: number, which = [...checks, ...registerChecks(broker())]) =>
  examined(sources, which, patienceMs);

/** The command, as a person runs it beside the stack. */
const repair = () =>
  doctor(['--repair', '--patience', '1'], { DATABASE_URL: world.adminUrl, NATS_URL: world.natsUrls.deploy ?? '' });

const aClient = async (workspace: string) => api(world.baseUrl, await world.token({ workspace }));
const aProject = async (): Promise<Project> => {
  const workspace = randomUUID();
  return makeProject(await aClient(workspace), workspace, query);
};
const shown = (workspace: string) => shownIn(query, workspace);
const plant = async (project: Project) => {
  for (const statement of planted(project)) await query(statement);
};

/** Creates, transfers and renames until it is stopped. */
const keepWriting = async () => {
  const client = await aClient(randomUUID());
  const board = await make(client, '/boards', { name: 'Busy' });
  const column = await make(client, `/boards/${board.id}/columns`, { name: 'To do' });
  const other = await make(client, '/workstreams', { name: 'Other', prefix: 'OTHER' });
  let [writing, written] = [true, 0];
  const write = async () => {
    for (; writing; written += 1) {
      const card = await make(client, `/columns/${column.id}/cards`, { title: 'Busy' });
      await make(client, `/cards/${card.id}/workstream`, { workstream_id: other.id }, { ifMatch: '"1"' });
      await setTimeout(200);
    }
  };
  const rename = async () => {
    for (let version = 1; writing; version += 1) {
      const body = { name: `Other ${version}` };
      await client.patch(`/workstreams/${other.id}`, { ifMatch: `"${version}"`, body });
      await setTimeout(200);
    }
  };
  const writers = Promise.all([write(), write(), rename()]);
  onTestFinished(async () => {
    writing = false;
    await writers;
  });
  await eventually(() => expect(written).toBeGreaterThan(10));
};

describe('the doctor, beside a stack that works', () => {
  it('finds no difference in what is being written, and still finds one that is planted', async () => {
    const { workspace, cards } = await aProject();
    await keepWriting();
    expect((await look(2_000)).told).toBe('');

    await query(
      `insert into dependency.cards (workspace_id, id, deleted_at) values ('${workspace}', '${cards.free}', now())`,
    );
    const sick = await look(2_000);
    expect(sick.told).toContain(`${cards.free}: card says "exists", dependency "deleted at `);
    expect(sick.findings.filter(({ differences }) => differences.length > 0)).toHaveLength(1);
    await query(`delete from dependency.cards where id = '${cards.free}'`);
  });

  it('has everything mended that one service shows of another, while they run', async () => {
    const plan = await aProject();
    await eventually(async () => expect((await look(0)).told).toBe(''));
    const before = await shown(plan.workspace);
    await plant(plan);
    const { code, out } = await repair();
    for (const named of namedOf(plan)) expect(out).toMatch(named);
    expect(out).not.toContain('noted, ');
    expect(await shown(plan.workspace)).toEqual(before);
    expect([code, out.match(/\nAfter the repair of \d+ differences:\n(ok .*\n)+$/)]).toEqual([0, expect.anything()]);
  });

  it('has mended what the bound of one look left out', async () => {
    const [first, second] = [await aProject(), await aProject()].sort((a, b) => (a.workspace < b.workspace ? -1 : 1));
    const { workspace } = first as Project;
    await query(`insert into card.workstreams (workspace_id, id, version, name, prefix)
      select '${workspace}', gen_random_uuid(), 1, 'No', 'NO' || n from generate_series(1, ${maxDifferences}) as n`);
    await query(`update card.workstreams set name = 'Old' where id = '${second?.workstreams.old}'`);
    const { code, out } = await repair();
    expect(out).not.toContain('"Old"');
    expect(out).toContain(`After the repair of ${maxDifferences + 1} differences`);
    expect(code).toBe(0);
    expect(await query(`select from card.workstreams where name in ('No', 'Old')`)).toEqual([]);
  });
});
