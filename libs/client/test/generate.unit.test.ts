import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Document, operationsSource } from '../generate.ts';

const file = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
const card = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const answer = (data: object) => ({
  content: { 'application/json': { schema: { type: 'object', properties: { data } } } },
});
const page = (items: object) => ({
  content: {
    'application/json': { schema: { properties: { data: { type: 'array', items }, page: { type: 'object' } } } },
  },
});
const reference = { $ref: '#/components/schemas/Card' };

const code = { type: 'string', enum: ['conflict'] };
const error = { type: 'object', properties: { error: { type: 'object', properties: { code } } } };

const documentOf = (paths: object) => ({ paths, components: { schemas: { Card: card, Error: error } } }) as Document;
const getCard = { operationId: 'getCard', summary: 'Read a card', responses: { 200: answer(reference) } };
const sourceOf = (path: string, methods: object) =>
  operationsSource(documentOf({ '/cards/{card_id}': { get: getCard }, [path]: methods }));

describe('operations.gen.ts', () => {
  it('is what follows from the OpenAPI document; npm run openapi brings it up to date', async () => {
    const document = JSON.parse(await file('../../../services/gateway/openapi.json'));
    expect(await file('../src/operations.gen.ts')).toBe(operationsSource(document));
  });

  it('has a method for every operation', async () => {
    const { paths }: Document = JSON.parse(await file('../../../services/gateway/openapi.json'));
    const { operations } = await import('../src/operations.gen.ts');
    const named = Object.values(operations).flatMap((group) => Object.values(group).map(({ id }) => id));
    const told = Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => each.operationId));
    expect(named.sort()).toEqual(told.sort());
  });
});

describe('a new operation', () => {
  it('needs nothing but its place in the document', () => {
    const source = sourceOf('/cards/{card_id}/events', {
      get: {
        operationId: 'listCardEvents',
        summary: 'List the events of a card',
        parameters: [
          { in: 'query', name: 'since', schema: { type: 'string' } },
          { in: 'query', name: 'cursor' },
        ],
        responses: { 200: page(reference) },
      },
    });
    expect(source).toContain('    /** List the events of a card */\n    listEvents(cardId: string, query?: {');
    expect(source).toContain('      since?: string | undefined;\n    }, options?: ListOptions): Listing<Card>;');
    expect(source).toContain(
      "listEvents: { id: 'listCardEvents', method: 'GET', path: '/cards/{card_id}/events', hasQuery: true, result: 'list' }",
    );
  });

  it.each([
    [
      'put',
      { operationId: 'putStar', responses: { 200: answer(reference) } },
      'setStar(cardId: string, options?: CallOptions): Promise<Card>',
    ],
    [
      'delete',
      { operationId: 'deleteCardStar', responses: { 204: {} } },
      'removeStar(cardId: string, options?: CallOptions): Promise<void>',
    ],
    [
      'get',
      { operationId: 'getStar', responses: { 200: answer(reference), 204: {} } },
      'getStar(cardId: string, options?: CallOptions): Promise<Card | null>',
    ],
    [
      'post',
      {
        operationId: 'starCard',
        parameters: [{ $ref: '#/components/parameters/IfMatch' }, { $ref: '#/components/parameters/IdempotencyKey' }],
        responses: { 200: answer(reference) },
      },
      'star(card: Versioned, options?: PostOptions): Promise<Card>',
    ],
  ])('is named by what it does: %s', (method, operation, signature) => {
    expect(sourceOf('/cards/{card_id}/star', { [method]: { summary: '', ...operation } })).toContain(signature);
  });

  it('is refused where another has its name', () => {
    const get = { operationId: 'getCard', summary: '', responses: { 200: answer(reference) } };
    expect(() => operationsSource(documentOf({ '/cards': { get }, '/cards/{card_id}': { get } }))).toThrow('cards.get');
  });
});
