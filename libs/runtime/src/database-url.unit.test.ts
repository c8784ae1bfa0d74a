import { describe, expect, it } from 'vitest';
import { changeDatabaseUrl, hostUrls, serversOf } from './database-url.ts';
import { databaseUrlProblem } from './server-problem.ts';

const two = 'postgres://card:p%2Cw@one:5432,[::1]:5433/cardinal?target_session_attrs=read-write';

describe('a URL of Postgres', () => {
  it('names one host or several', () => {
    expect(hostUrls(two)).toEqual([
      'postgres://card:p%2Cw@one:5432/cardinal?target_session_attrs=read-write',
      'postgres://card:p%2Cw@[::1]:5433/cardinal?target_session_attrs=read-write',
    ]);
    expect(hostUrls('postgres://a,b:c@one/x')).toEqual(['postgres://a,b:c@one/x']);
    expect(serversOf(two)).toBe('one:5432, [::1]:5433');
    expect(serversOf('postgres://card:secret@one,two')).toBe('one:5432, two:5432');
  });

  it('keeps its hosts with another role or database', () => {
    expect(changeDatabaseUrl(two, { username: 'one', password: 'a@b', pathname: '/other' })).toBe(
      'postgres://one:a%40b@one:5432,[::1]:5433/other?target_session_attrs=read-write',
    );
    expect(changeDatabaseUrl('postgres://u@one/x', { pathname: '/y' })).toBe('postgres://u@one/y');
  });

  it('is refused where one of several hosts is empty, or where it asks for a read-only server', () => {
    expect(databaseUrlProblem(two)).toBeUndefined();
    expect(databaseUrlProblem('postgresql://u:p@one,two/x')).toBeUndefined();
    expect(databaseUrlProblem('postgres://u:p@one:5432,/x')).toMatch(/^is no URL; /);
    expect(databaseUrlProblem('postgres://u:p@one:5432,two:x/y')).toMatch(/^is no URL; /);
    expect(databaseUrlProblem('postgres://u:p@one,two/x?target_session_attrs=any')).toBe(
      'asks for target_session_attrs=any, but Cardinal writes; leave that out, or: target_session_attrs=read-write',
    );
  });
});
