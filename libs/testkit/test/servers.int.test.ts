import { runStatements } from '@cardinal/servers';
import { describe, expect, it } from 'vitest';
import { testDatabase, testNats } from '../src/index.ts';

describe('testDatabase', () => {
  it("gives a database of its own whose role sees only its service's schema", async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    await runStatements(one.url, ['create table things (id int)', 'insert into things values (1)']);
    expect(await runStatements(one.url, ['select id from card.things'])).toEqual([{ id: 1 }]);
    await expect(runStatements(one.urls.identifier, ['select id from card.things'])).rejects.toThrow(
      /permission denied/,
    );
    await expect(runStatements(other.url, ['select id from things'])).rejects.toThrow(/does not exist/);
  });
});

describe('testNats', () => {
  it('comes back on its port after a kill', async () => {
    const nats = await testNats();
    await nats.kill();
    await nats.restart();
    await nats.stop();
  });
});
