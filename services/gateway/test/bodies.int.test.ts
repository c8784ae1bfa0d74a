import { archiveCard, createCard, deleteCard, getCard } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Gateway, startGateway } from './gateway.ts';
import { sendRaw } from './http.ts';
import { aCard } from './resources.ts';

let gateway: Gateway;
let created = 0;
const card = aCard();
beforeAll(async () => {
  gateway = await startGateway();
  gateway.serve(createCard, () => {
    created += 1;
    return { resource: card, replayed: false };
  });
  gateway.serve(archiveCard, () => ({ resource: card, replayed: false }));
  gateway.serve(deleteCard, () => ({ deleted: true as const }));
  gateway.serve(getCard, () => card);
});

const create = (body: Call['body'], type: string | undefined = 'application/json', more: Record<string, string> = {}) =>
  gateway.call({
    method: 'POST',
    path: `/columns/${v7()}/cards`,
    headers: { 'idempotency-key': v7(), ...(type === '' ? {} : { 'content-type': type }), ...more },
    ...(body === undefined ? {} : { body }),
  });

const large = (bytes: number) => `{"title":"a","description":"${'x'.repeat(bytes - 30)}"}`;

describe('a JSON body', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/merge-patch+json'])(
    'may be %s',
    async (type) => {
      expect((await create('{"title":"a"}', type)).status).toBe(201);
    },
  );

  it('may come in pieces, also within a character', async () => {
    const bytes = Buffer.from('{"title":"😀"}');
    expect((await create([bytes.subarray(0, 12), bytes.subarray(12)])).status).toBe(201);
  });

  it.each<[string, string | Buffer]>([
    ['cut off', '{"title":'],
    ['of blanks', '  '],
    ['with a comment', '{"title":"a"} // yes'],
    ['that is not UTF-8', Buffer.from('{"title":"\xe9"}', 'latin1')],
    ['in UTF-16', Buffer.from('{"title":"a"}', 'utf16le')],
  ])('%s is 400', async (_, body) => {
    const before = created;
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    expect(created).toBe(before);
  });

  it.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json', 'json', ';'])(
    'of the type %j is 415',
    async (type) => {
      const answer = await create('{"title":"a"}', type);
      expect(answer).toMatchObject({ status: 415, json: { error: { code: 'unsupported_media_type' } } });
    },
  );

  it('that is compressed is 415', async () => {
    expect((await create('x', 'application/json', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('of 1 MiB is read, and is 413 with a byte more, announced or not', async () => {
    const mebibyte = 1024 * 1024;
    expect((await create(large(mebibyte))).status).toBe(422);
    for (const body of [large(mebibyte + 1), [large(mebibyte + 1)], large(2 * mebibyte)]) {
      expect(await create(body)).toMatchObject({ status: 413, json: { error: { code: 'payload_too_large' } } });
    }
  });

  it('of the wrong type is 415 before it is 413', async () => {
    expect((await create('x'.repeat(2 ** 21), 'text/plain')).status).toBe(415);
  });

  it('nested a hundred thousand times is no 500', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect((await create(deep)).status).toBe(422);
    expect((await create(`{"title":${deep}}`)).status).toBe(422);
  });
});

describe('a body that breaks rules is 422', () => {
  it.each<[string, unknown, unknown[]]>([
    ['several', { title: '', priority: 'high' }, [['title'], ['priority']]],
    ['unknown fields', { title: 'a', identifier: 'PAY-1', color: 1 }, [['identifier'], ['color']]],
    ['no object', [], [[]]],
    ['null', null, [[]]],
    ['a number', 7, [[]]],
  ])('%s', async (_, body, paths) => {
    const answer = await create(JSON.stringify(body));
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'validation_error' } } });
    expect(answer.json.error.details.map((detail: { path: unknown }) => detail.path)).toEqual(paths);
    for (const detail of answer.json.error.details) expect(detail.message).toEqual(expect.any(String));
  });

  it('none at all, whatever type it claims', async () => {
    for (const type of ['application/json', 'text/plain', '']) expect((await create(undefined, type)).status).toBe(422);
    expect((await create('', 'application/json')).status).toBe(422);
    expect((await create([], 'application/json')).status).toBe(422);
  });

  it.each<[string, string, string[]]>([
    ['__proto__', '{"title":"a","__proto__":{"polluted":1}}', ['__proto__']],
    ['an escaped __proto__', '{"title":"a","\\u005f_proto__":{"polluted":1}}', ['__proto__']],
    ['constructor', '{"title":"a","constructor":{"prototype":{"polluted":1}}}', ['constructor']],
    ['prototype', '{"title":"a","prototype":1}', ['prototype']],
    ['one inside another', '{"title":"a","a":{"__proto__":{"polluted":1}}}', ['a']],
    ['one inside a field', '{"title":{"__proto__":{"polluted":1}}}', ['title']],
  ])('a field that objects have anyway: %s', async (_, body, path) => {
    const before = created;
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'validation_error', details: [{ path }] } } });
    expect([created, ({} as Record<string, unknown>).polluted]).toEqual([before, undefined]);
  });

  it('with too many broken fields names the first of them', async () => {
    const body = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`${index} `, 1]));
    const answer = await create(JSON.stringify(body));
    expect(answer.status).toBe(422);
    expect(answer.json.error.details.length).toBe(50);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  it.each([
    ['members', `{${Array.from({ length: 80_000 }, (_, index) => `"${index}":1`).join()}}`],
    ['elements', `{"title":[${'1,'.repeat(400_000)}1]}`],
    ['objects', `{"title":[${'{},'.repeat(200_000)}{}]}`],
  ])('with more %s than any schema has is refused before it is parsed', async (_, body) => {
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'validation_error' } } });
    expect(answer.json.error.details).toEqual([
      { path: [], message: 'The body has more than 1000 members and elements' },
    ]);
  });

  it('with any number of commas and brackets in a text is valid', async () => {
    expect((await create(JSON.stringify({ title: 'a', description: ',[{"\\'.repeat(3_000) }))).status).toBe(201);
  });

  it('with overlong names of fields shows their first 100 characters', async () => {
    const body = { title: 'a', [`\ud800${'😀'.repeat(200_000)}`]: 1, ['x'.repeat(101)]: 1 };
    const answer = await create(JSON.stringify(body));
    expect(answer.json.error.details.map(({ path }: { path: string[] }) => path[0])).toEqual([
      `\ufffd${'😀'.repeat(99)}`,
      'x'.repeat(100),
    ]);
    const message = `${'x'.repeat(100)}: unknown field`;
    expect(answer.json.error.message.endsWith(message)).toBe(true);
    expect(answer.text.length).toBeLessThan(2000);
  });
});

describe('where no body may be', () => {
  const requests: [string, Pick<Call, 'method' | 'path'>, number][] = [
    ['archive', { method: 'POST', path: `/cards/${card.id}/archive` }, 200],
    ['DELETE', { method: 'DELETE', path: `/cards/${card.id}` }, 204],
    ['GET', { method: 'GET', path: `/cards/${card.id}` }, 200],
  ];
  const headers = { 'idempotency-key': 'k', 'if-match': '"3"' };

  describe.each(requests)('%s', (_, request, success) => {
    it.each<[string | undefined, Call['body']]>([
      ['application/json', '{}'],
      ['application/json', '{'],
      ['application/json', ' '],
      ['text/plain', 'x'],
      [undefined, 'x'],
      ['nonsense', 'x'],
      ['application/json', ['{}']],
      ['text/plain', ['x']],
      ['application/json', '\0'.repeat(2 ** 21)],
    ])('one of type %j is 400', async (type, body) => {
      const answer = await gateway.call({
        ...request,
        headers: { ...headers, 'content-type': type },
        ...(body ? { body } : {}),
      });
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    });

    it.each<[string | undefined, Call['body'] | undefined]>([
      [undefined, undefined],
      ['application/json', undefined],
      ['application/json', ''],
      ['text/plain', ''],
      ['nonsense', ''],
      ['application/json', []],
      ['text/plain', []],
      [undefined, []],
    ])('an empty one of type %j is none', async (type, body) => {
      const sent = { ...request, headers: { ...headers, 'content-type': type } };
      const answer = await gateway.call(body === undefined ? sent : { ...sent, body });
      expect(answer.status).toBe(success);
    });
  });
});

describe('a request that breaks off', () => {
  it('is not carried out, though the part that came is valid', async () => {
    let archived = 0;
    gateway.serve(archiveCard, () => {
      archived += 1;
      return { resource: card, replayed: false };
    });
    const token = await gateway.tokenFor({});
    const head = [
      `POST /api/kanban/v1/cards/${card.id}/archive HTTP/1.1`,
      'host: a',
      `authorization: Bearer ${token}`,
      'idempotency-key: k',
      'if-match: "3"',
      'transfer-encoding: chunked',
      '\r\n',
    ];
    await sendRaw(gateway.port, head.join('\r\n'), { thenEnd: true });
    const { status } = await gateway.call({ method: 'GET', path: `/cards/${card.id}` });
    expect({ status, archived }).toEqual({ status: 200, archived: 0 });
  });
});
