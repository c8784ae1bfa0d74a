import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCache, ensureKeys, freePort, inheritedEnvironment, repository } from '@cardinal/servers';
import { api, eventually, rememberNumbers, rounds, scratchFolder } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUp, run } from './npm-start.ts';

const execute = promisify(execFile);

/** The lines of deploy/README.md, "Backup and restore", that are to be typed. */
const [backupLines = [], restoreLines = []] = [
  ...(readFileSync(join(repository, 'deploy/README.md'), 'utf8')
    .split('\n## ')
    .find((section) => section.startsWith('Backup and restore\n'))
    ?.matchAll(/```sh\n(.*?)```/gs) ?? []),
].map(([, block = '']) => block.trim().split('\n'));

/** A stack of `npm start` with a home of its own, and what somebody does with it by the documents. */
const newStack = async () => {
  const [state, home, port] = [scratchFolder('state'), scratchFolder('home'), await freePort()];
  const env = { ...inheritedEnvironment(), ...compileCache, HOME: home, CARDINAL_STATE: state };
  let running: ReturnType<typeof run> | undefined;
  const start = async () => {
    running = run(state, port, { RATE_LIMIT_MAX: '1000000' });
    await eventually(() => isUp(port));
  };
  return {
    state,
    backups: join(home, 'cardinal-backups'),
    start,
    stop: async () => {
      running?.child.kill('SIGINT');
      expect(await running?.ended()).toBe(0);
      running = undefined;
    },
    /** Types lines of a document. @returns what they printed */
    type: async (lines: string[]) => {
      let said = '';
      for (const line of lines) {
        if (line === 'npm start') await start();
        else said += (await execute('sh', ['-c', line], { cwd: repository, env })).stdout;
      }
      return said;
    },
    user: async (identity: { workspace: string; user: string }) => {
      const { sign } = await ensureKeys(join(state, 'keys'));
      const token = await sign({ ...identity, scope: 'kanban:read kanban:write kanban:admin', expiresIn: 86_400 });
      return api(`http://127.0.0.1:${port}/api/kanban/v1`, token);
    },
  };
};

/** Leaves nothing of the state but what never belongs to a stack: that of a disk that is lost. */
const loseAll = (state: string) => {
  for (const name of readdirSync(state)) rmSync(join(state, name), { recursive: true });
};

/** A receiver of webhooks that remembers the types of what it got. */
const receive = async () => {
  const types: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    types.push(JSON.parse(String(Buffer.concat(chunks))).type);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { types, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};

describe('backup and restore, as the documents say', () => {
  const prefixes = ['RA', 'RB', 'RC', 'RD', 'RE', 'RF', 'RG', 'RH', 'RI'];

  it('give no number twice, however often a backup is restored, and webhooks and files go on', async () => {
    expect([backupLines.length, restoreLines.length]).toEqual([1, 2]);
    const stack = await newStack();
    await stack.start();
    const identity = { workspace: randomUUID(), user: randomUUID() };
    const user = await stack.user(identity);
    const receiver = await receive();
    const hook = await user.post('/webhooks', { body: { url: receiver.url, types: ['card.created'] } });
    expect(hook.status).toBe(201);
    const numbers = await rememberNumbers(user);
    const workstreams = await Promise.all(prefixes.map((prefix) => numbers.workstream(prefix)));
    await numbers.create(workstreams, 5);

    const said = await stack.type(backupLines);
    const [backup = ''] = readdirSync(stack.backups);
    expect(said).toContain(backup);
    expect(statSync(join(stack.backups, backup)).mode & 0o777).toBe(0o700);
    const files = readdirSync(join(stack.backups, backup), { withFileTypes: true }).filter((one) => one.isFile());
    for (const { name } of files) expect(statSync(join(stack.backups, backup, name)).mode & 0o077).toBe(0);

    const after = [...workstreams, await numbers.workstream('LATER')];
    await numbers.create(after, 100);
    let lost = 0;
    for (let time = 1; time <= rounds(10, 2); time += 1) {
      await stack.stop();
      loseAll(stack.state);
      expect(await stack.type(restoreLines)).toContain('restored into');
      const again = numbers.at(await stack.user(identity));
      receiver.types.length = 0;
      await again.create([...workstreams, await again.workstream('LATER')], 20);
      const found = await again.check();
      expect({ twice: found.twice, another: found.another }).toEqual({ twice: [], another: [] });
      expect(found.lost).toBeGreaterThan(lost);
      lost = found.lost;
      process.stdout.write(`restored ${time} times: ${found.answered} identifiers answered, ${lost} lost, 0 twice\n`);
      await eventually(() => expect(receiver.types).toContain('card.created'));
    }
    await stack.stop();
  });

  it('give no number twice where an older backup is restored after a newer one', async () => {
    const stack = await newStack();
    await stack.start();
    const identity = { workspace: randomUUID(), user: randomUUID() };
    const numbers = await rememberNumbers(await stack.user(identity));
    const workstreams = await Promise.all(prefixes.map((prefix) => numbers.workstream(prefix)));
    await stack.type(backupLines);
    const [older = ''] = readdirSync(stack.backups);
    await numbers.create(workstreams, 5);
    await stack.type(backupLines);
    const [newer = ''] = readdirSync(stack.backups).filter((name) => name !== older);
    for (const backup of [newer, older, newer]) {
      await stack.stop();
      loseAll(stack.state);
      await stack.type([`npm run --silent restore -- ${join(stack.backups, backup)}`, 'npm start']);
      const again = numbers.at(await stack.user(identity));
      await again.create([...workstreams, await again.workstream('LATER')], 20);
      const { twice, another } = await again.check();
      expect({ twice, another }).toEqual({ twice: [], another: [] });
    }
    await stack.stop();
  });

  it('refuse what would lose something, in one line, and leave everything as it was', async () => {
    const stack = await newStack();
    await stack.start();
    await stack.type(backupLines);
    const [backup = ''] = readdirSync(stack.backups);
    const folder = join(stack.backups, backup);
    const refusal = () =>
      stack.type(['npm run --silent restore']).then(
        () => 'restored',
        (error: { stderr: string }) => error.stderr,
      );
    expect(await refusal()).toMatch(/^Cardinal is running already at http:\S+ \(process \d+\)\n$/);
    await stack.stop();
    const before = readdirSync(stack.state).sort();
    expect(await refusal()).toMatch(/is not empty/);
    expect(readdirSync(stack.state).sort()).toEqual(before);

    // A stack that is empty but for a secret of its own.
    loseAll(stack.state);
    writeFileSync(join(stack.state, 'webhook-key.json'), '{"other":true}');
    expect(await refusal()).toMatch(/has other secrets than the backup: webhook-key\.json/);
    rmSync(join(stack.state, 'webhook-key.json'));

    // Half a backup.
    const dump = join(folder, 'databases.dump');
    const whole = readFileSync(dump);
    writeFileSync(dump, whole.subarray(0, whole.length - 10));
    expect(await refusal()).toMatch(/databases\.dump has \d+ bytes and not \d+: this backup is not whole\n$/);
    writeFileSync(dump, Buffer.concat([whole.subarray(0, -1), Buffer.from('x')]));
    expect(await refusal()).toMatch(/databases\.dump is not what was written/);
    writeFileSync(dump, whole);
    const manifest = join(folder, 'manifest');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/^version .*/m, 'version 99.0.0'));
    expect(await refusal()).toMatch(/the backup is of version 99\.0\.0/);
    renameSync(manifest, `${manifest}.away`);
    expect(await refusal()).toMatch(/has no manifest and no backups of npm start/);
    renameSync(`${manifest}.away`, manifest);
    writeFileSync(manifest, text);
    expect(existsSync(join(stack.state, 'postgres'))).toBe(false);

    expect(await stack.type(['npm run --silent restore'])).toContain('restored into');
    // Without a stack that runs, too; only so many are kept.
    await stack.type(['npm run --silent backup -- --keep 1']);
    expect(readdirSync(stack.backups)).not.toContain(backup);
    expect(readdirSync(stack.backups)).toHaveLength(1);
  });
});
