import { describe, expect, it } from 'vitest';
import { highestRank, rankOf } from './principal.ts';

describe('highestRank', () => {
  it.each<[string, number]>([
    ['kanban:read', rankOf('kanban:read')],
    ['kanban:read kanban:write', rankOf('kanban:write')],
    ['kanban:admin', rankOf('kanban:admin')],
    ['openid  kanban:admin profile', rankOf('kanban:admin')],
    ['kanban:write kanban:unheard', rankOf('kanban:write')],
    ['', 0],
    ['KANBAN:ADMIN kanban:adminx', 0],
  ])('of %j is %i', (claim, rank) => {
    expect(highestRank(claim.split(' '))).toBe(rank);
  });

  it('rises from read over write to admin', () => {
    expect(rankOf('kanban:read')).toBeLessThan(rankOf('kanban:write'));
    expect(rankOf('kanban:write')).toBeLessThan(rankOf('kanban:admin'));
  });
});
