import { expect, it } from 'vitest';
import { releaseBefore } from './builds.ts';

const [older, newer] = ['a'.repeat(40), 'b'.repeat(40)];
const changelog = (...releases: string[]) => ['# Changelog', '## [Unreleased]', '- Of `c`.', ...releases].join('\n\n');
const first = `## [1.0.0] - 2026-11-23\n\nCommit \`${older}\`.\n\n### Added`;

it('the release before is the last one whose commit CHANGELOG names', () => {
  expect(releaseBefore(changelog(`## [1.1.0] - 2026-12-01\n\nCommit \`${newer}\`.`, first))).toBe(newer);
  // The commit that gives a release its number is still compared with the one before.
  expect(releaseBefore(changelog('## [1.1.0] - 2026-12-01', first))).toBe(older);
  expect(releaseBefore(changelog('## [1.0.0] - 2026-11-23'))).toBeUndefined();
});
