import { describe, expect, it } from 'vitest';
import { log } from '../src/checks/log.ts';
import { useHealthyDatabase } from './database.ts';
import { aChange, aLogged, id, workspace } from './rows.ts';

const { run, look } = useHealthyDatabase();
const positionOf = (owner: string, seq: number, change: string) =>
  `update event.logs set positions = positions || '${JSON.stringify({ [owner]: { seq, id: change } })}'`;
const ofFeed = (owner: string, complaint: string) => RegExp(`^feed ${workspace} ${owner}: ${complaint}$`);

describe('the doctor, of the log', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a log that is ahead of a feed',
      [positionOf('card', 5, id(205))],
      ofFeed('card', 'the log has change 5, and the feed does not come so far'),
    ],
    [
      'a log of a feed that is gone',
      ['delete from dependency.feeds'],
      ofFeed('dependency', 'the log has change 1, and the feed does not come so far'),
    ],
    [
      'a feed that ends with another change than the log',
      [`update card.feeds set last_id = '${id(9)}'`],
      ofFeed('card', 'the feed has another change 3 than the log'),
    ],
    [
      'a feed that has another change where the log is, and goes on',
      [`update card.changes set id = '${id(9)}' where seq = 2`, positionOf('card', 2, id(202))],
      ofFeed('card', 'the feed has another change 2 than the log'),
    ],
    [
      'a feed that goes on after another change than the log has, which is purged',
      ['delete from card.changes where seq = 2', positionOf('card', 2, id(9))],
      ofFeed('card', 'the feed has another change 2 than the log'),
    ],
    [
      'a feed that is purged beyond the log',
      ['delete from card.changes where seq < 3', positionOf('card', 1, id(201))],
      ofFeed('card', 'what follows change 1 is kept no more, and the log does not have it'),
    ],
    [
      'a change that waits',
      [...aChange('dependency', 2, '61 seconds')],
      ofFeed('dependency', 'changes wait for the log for longer than a minute'),
    ],
    [
      'changes of a workspace without a log',
      ['delete from event.logs', 'delete from event.events', 'delete from card.feeds'],
      ofFeed('dependency', 'changes wait for the log for longer than a minute'),
    ],
    [
      'a gap in the numbers',
      ['delete from event.events where seq = 3'],
      RegExp(`^event: ${workspace} has 3 events from 1 to 4, its last number is 4; missing before: 4$`),
    ],
    [
      'a log that lost its end',
      ['delete from event.events where seq = 4'],
      RegExp(`^event: ${workspace} has 3 events from 1 to 3, its last number is 4; missing before: none$`),
    ],
    [
      'a change that was logged twice',
      ['update event.logs set last = 5', aLogged(5, 'card.updated', 'card', 3)],
      RegExp(`^event: ${workspace} has 4 events of the changes 1 to 3 of card, 3 of them different$`),
    ],
    [
      'a change that was left out',
      [`update event.events set source = null where seq = 2`],
      RegExp(`^event: ${workspace} has 2 events of the changes 1 to 3 of card, 2 of them different$`),
    ],
  ])('names %s', async (_, broken, told) => {
    await run(...broken);
    expect((await look(log)).told).toMatch(told);
  });

  it.each<[string, string[]]>([
    ['of what is there', []],
    ['of what was noted a moment ago', aChange('card', 4, '1 second')],
    ['of changes that are kept no more, and the log has', ['delete from card.changes where seq < 3']],
    ['of days that are kept no more', ['delete from event.events where seq < 3']],
    [
      'of numbers that a reset skipped, and of changes that come again after it',
      ['update event.logs set last = 8', aLogged(7, 'feed.reset', null, null), aLogged(8, 'card.updated', 'card', 3)],
    ],
  ])('says nothing %s', async (_, fine) => {
    await run(...fine, 'select 1');
    expect((await look(log)).told).toBe('');
  });
});
