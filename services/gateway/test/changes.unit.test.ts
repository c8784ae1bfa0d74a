import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBefore } from '@cardinal/servers';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../src/openapi/document.ts';
import { changesBetween, type Document } from './document-changes.ts';

/** The list of changes in the text of a document. */
const ofItself = ({ info: { description } }: Document): string =>
  /## Changes since[\s\S]*?(?=\n\n## )/.exec(description ?? '')?.[0] ?? '';

const header = `// Rendered by a test: npx vitest run services/gateway/test/changes -u writes it anew.

/** The document's additions since the last release, in Markdown; without any, the list of that release. */
export const changes = \``;

const document = (operations: Document['paths'], schemas: Document['components']['schemas'] = {}): Document => ({
  info: { version: '1.0.0' },
  paths: operations,
  components: { schemas },
});

const operation = (operationId: string, parameters: string[] = [], responses = {}) => ({
  operationId,
  tags: ['Cards'],
  responses,
  parameters: parameters.map((name) => ({ name })),
});

describe('what changed in the document', () => {
  it('is the operations, parameters, statuses and fields that the other one lacks', () => {
    const before = document({ '/a': { get: operation('readA') } }, { A: { properties: { one: {} } } });
    const now = document(
      {
        '/a': {
          get: operation('readA', ['sort'], { 410: { $ref: '#/components/responses/Gone' } }),
          put: operation('putA'),
        },
      },
      { A: { properties: { one: {}, two: {} } }, B: { properties: { three: {} } } },
    );
    expect(changesBetween(before, before)).toBe('');
    expect(changesBetween(before, now).split('\n').filter(Boolean)).toEqual([
      '## Changes since 1.0.0',
      '### New operations',
      '- Cards: `PUT /a`',
      '### Operations that take or answer more',
      '- `GET /a`: `sort`, `410`',
      '### New fields',
      '- `A`: `two`',
      '### New errors',
      '- `410 gone`',
    ]);
  });

  const release = buildBefore();
  const file = join(release ?? '', 'services/gateway/openapi.json');

  it.skipIf(!existsSync(file))(
    'since the last release is what the document says (skipped where the history lacks it)',
    async () => {
      const before: Document = JSON.parse(readFileSync(file, 'utf8'));
      const now = JSON.parse(JSON.stringify(openapiDocument())) as Document;
      const text = changesBetween(before, now) || ofItself(before);
      await expect(`${header}${text.replaceAll('`', '\\`')}\`;\n`).toMatchFileSnapshot('../src/openapi/changes.gen.ts');
    },
  );
});
