import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { declaredOperations, errorStatus, event, eventTypes } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../src/config.ts';
import { documentText } from '../src/openapi/document.ts';
import { startGateway } from './gateway.ts';
import { audience, issuer } from './keys.ts';

const committed = () => readFile(new URL('../openapi.json', import.meta.url), 'utf8');

const gateway = await startGateway();

describe('the OpenAPI document', () => {
  it('is the committed one (`npm run openapi` writes it anew)', async () => {
    expect(await documentText()).toBe(await committed());
  });

  it('is served as it is committed, without a token, with the address by which it was asked for', async () => {
    const usual = 'http://127.0.0.1:8080';
    const own = `http://127.0.0.1:${gateway.port}`;
    const text = await committed();
    expect(JSON.parse(text).servers).toEqual([{ url: `${usual}/api/kanban/v1` }]);
    for (const [host, origin] of [
      [undefined, own],
      ['cardinal.example.com', 'http://cardinal.example.com'],
      ['[::1]:8080', 'http://[::1]:8080'],
      ['a"b', usual],
      ['$&', usual],
    ]) {
      const answer = await gateway.root({ path: '/openapi.json', headers: host === undefined ? {} : { host } });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toContain('application/json');
      expect(answer.json).toEqual(JSON.parse(text.replaceAll(usual, origin ?? '')));
    }
    const trusting = await startGateway({ TRUST_PROXY: 'loopback' });
    const headers = { host: 'cardinal.example.com', 'x-forwarded-proto': 'https' };
    const { json } = await trusting.root({ path: '/openapi.json', headers });
    expect(json.servers).toEqual([{ url: 'https://cardinal.example.com/api/kanban/v1' }]);
    await trusting.stop();
  });

  it('has no schema that narrows another', async () => {
    expect(await committed()).not.toContain('"allOf"');
    const { responses } = JSON.parse(await committed()).components;
    const errorOf = (name: string) => responses[name].content['application/json'].schema.properties.error;
    expect(errorOf('PreconditionFailed')).toMatchObject({
      required: ['code', 'message', 'request_id'],
      properties: { code: { enum: ['precondition_failed'] }, details: { properties: { current_version: {} } } },
    });
    expect(errorOf('Unprocessable').properties.details.type).toBe('array');
    expect(responses.NotFound.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' });
  });

  it('describes each operation: id, summary, success and every refusal that can happen', async () => {
    const document = JSON.parse(await committed());
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.security).toEqual([{ bearer: [] }]);
    for (const { method, path, id, reply, requires, body } of declaredOperations.map(({ http }) => http)) {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: id, summary: expect.any(String) });
      const statuses = Object.keys(operation.responses).map(Number);
      const owed = [reply.status, 400, 401, 403, 429, 500, 503];
      if (body) owed.push(413, 415, 422);
      if (requires.includes('If-Match')) owed.push(412, 428);
      expect(statuses).toEqual(expect.arrayContaining(owed));
      for (const parameter of path.matchAll(/:(\w+)/g)) {
        expect(operation.parameters).toContainEqual(expect.objectContaining({ name: parameter[1], in: 'path' }));
      }
    }
  });

  it('names the scope of each operation, in its security and in its text', async () => {
    const { paths } = JSON.parse(await committed());
    for (const { method, path, scope } of declaredOperations.map(({ http }) => http)) {
      const { security, description } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect(security).toEqual([{ bearer: [scope] }]);
      expect(description).toMatch(new RegExp(`(^|\\. )Needs \`${scope}\`\\.$`));
    }
  });

  it('has a sentence for every operation, tag and field, and an example of everything that is sent or shown', async () => {
    const { paths, tags, components } = JSON.parse(await committed());
    const sentences: [string, unknown][] = tags.map((tag: { name: string; description?: string }) => [
      tag.name,
      tag.description,
    ]);
    for (const [path, item] of Object.entries<Record<string, { description?: string }>>(paths)) {
      for (const [method, { description = '' }] of Object.entries(item)) {
        sentences.push([`${method} ${path}`, description.replace(/Needs `[a-z:]+`\.$/, '')]);
      }
    }
    for (const [name, schema] of Object.entries<{
      description?: string;
      properties?: Record<string, Record<string, unknown>>;
    }>(components.schemas)) {
      sentences.push([name, schema.description]);
      expect(schema, name).toHaveProperty('examples');
      for (const [field, { $ref, description }] of Object.entries(schema.properties ?? {})) {
        sentences.push([`${name}.${field}`, $ref ?? description]);
      }
    }
    expect(sentences.filter(([, sentence]) => !sentence).map(([name]) => name)).toEqual([]);
    for (const { http } of declaredOperations) {
      if (http.body) expect(http.body.safeParse(http.example), http.id).toMatchObject({ success: true });
      const content =
        paths[http.path.replace(/:(\w+)/g, '{$1}')][http.method.toLowerCase()].responses[http.reply.status].content?.[
          'application/json'
        ];
      const named = content?.schema.properties.data ?? {};
      const name = (named.$ref ?? named.items?.$ref ?? '').split('/').at(-1);
      const [shown] = components.schemas[name]?.examples ?? [];
      if (!shown) continue;
      const data = named.items
        ? { data: [shown], page: { next_cursor: null, has_more: false, head: 0 } }
        : { data: shown };
      expect(http.reply.body?.safeParse(data), http.id).toMatchObject({ success: true });
    }
  });

  it('has every type of events with an example of it, and every error with a way out', async () => {
    const { webhooks, info } = JSON.parse(await committed());
    for (const type of eventTypes) {
      const { example } = webhooks[type].post.requestBody.content['application/json'];
      expect(event.safeParse(example), type).toMatchObject({ success: true });
      expect(example.type).toBe(type);
      for (const field of example.changed) {
        expect(Object.keys(example.data), `${type} ${field}`).toContain(field);
        expect(example.data[field], `${type} ${field}`).not.toEqual(example.previous[field]);
      }
    }
    for (const [code, status] of Object.entries(errorStatus)) {
      const [, chapter = ''] = info.description.split(`### ${status} ${code}\n`);
      const [said = ''] = chapter.split('\n');
      expect(said.split('. ').length, code).toBeGreaterThan(1);
    }
  });

  it('names the default limits', async () => {
    const { info } = JSON.parse(await committed());
    const limits = configSchema.parse({
      NATS_URL: 'nats://localhost',
      TOKEN_ISSUER: issuer,
      TOKEN_AUDIENCE: audience,
      JWKS_FILE: '/keys',
    });
    const rows = [
      `a user of a workspace | ${limits.RATE_LIMIT_MAX.toLocaleString('en')} in ${limits.RATE_LIMIT_WINDOW_MS / 1_000} seconds`,
      `a workspace | ${(10 * limits.RATE_LIMIT_MAX).toLocaleString('en')} in`,
      `of an address | ${limits.ADDRESS_LIMIT_MAX.toLocaleString('en')} in`,
      `Streams of events | ${limits.STREAMS_PER_USER} of a user`,
    ];
    for (const row of rows) expect(info.description).toContain(row);
  });

  it('has no parameter that the API page would send by itself', async () => {
    const { paths, components } = JSON.parse(await committed());
    type Parameter = { name: string; required: boolean; schema: Record<string, unknown>; examples?: object };
    const optional = [...Object.values<Record<string, { parameters: Parameter[] }>>(paths)]
      .flatMap((item) => Object.values(item).flatMap(({ parameters }) => parameters))
      .concat(Object.values<Parameter>(components.parameters))
      .filter((parameter) => parameter.required === false);
    expect(optional.length).toBeGreaterThan(30);
    for (const parameter of optional) {
      const { schema, name } = parameter;
      if (
        !['default', 'enum', 'examples', 'example'].some(
          (word) => word in schema || (word === 'example' && word in parameter),
        )
      )
        continue;
      expect(parameter, name).toMatchObject({ examples: { default: { 'x-disabled': true } } });
    }
  });
});

describe('the API page', () => {
  it('needs no other server, and its policy allows what it has and nothing else', async () => {
    const page = await gateway.root({ path: '/docs/' });
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:\/\/|src="\/\//);
    const [, address = ''] = /<script src="(js\/scalar\.js\?[0-9a-f]{16})">/.exec(page.text) ?? [];
    expect(page.text).toContain('<link rel="icon" href="/favicon.svg"');

    const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page.text)?.[1] ?? '';
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain(`script-src 'self' 'sha256-${hash('sha256', inline, 'base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(inline).toContain('"withDefaultFonts": false');
    expect(inline).toContain('"telemetry": false');

    for (const coding of ['br', 'gzip']) {
      const script = await gateway.root({ path: `/docs/${address}`, headers: { 'accept-encoding': coding } });
      expect(script.status).toBe(200);
      expect(script.headers).toMatchObject({
        'content-type': expect.stringContaining('javascript'),
        'content-encoding': coding,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
      expect(Number(script.headers['content-length'])).toBeLessThan(1_500_000);
    }
    const plain = await gateway.root({ path: '/docs/js/scalar.js' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers).not.toHaveProperty('cache-control');
    expect(plain.text.length).toBeGreaterThan(3_000_000);
  });

  it('is where the root leads, and has an icon', async () => {
    expect(await gateway.root({ path: '/' })).toMatchObject({ status: 302, headers: { location: '/docs/' } });
    const icon = await gateway.root({ path: '/favicon.svg' });
    expect(icon).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('image/svg+xml') } });
  });

  it('is found without the slash, with any Host', async () => {
    for (const headers of [{}, { host: 'a b' }]) {
      const answer = await gateway.root({ path: '/docs', headers });
      expect(answer).toMatchObject({ status: 301, headers: { location: '/docs/' } });
    }
  });
});
