import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { declaredOperations } from '@cardinal/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentText } from '../src/openapi/document.ts';
import { type Gateway, startGateway } from './gateway.ts';

const committed = () => readFile(new URL('../openapi.json', import.meta.url), 'utf8');

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('the OpenAPI document', () => {
  it('is the committed one (`npm run openapi` writes it anew)', async () => {
    expect(await documentText()).toBe(await committed());
  });

  it('is served as it is committed, without a token', async () => {
    const answer = await gateway.root({ path: '/openapi.json' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.json).toEqual(JSON.parse(await committed()));
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

  it('refers to nothing that it does not contain', async () => {
    const text = await committed();
    const document = JSON.parse(text);
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(document.components[kind], name).toHaveProperty([name]);
    }
  });
});

describe('the API page', () => {
  it('needs no other server, and its policy allows what it has and nothing else', async () => {
    const page = await gateway.root({ path: '/docs/' });
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/https?:\/\/|src="\/\//);
    expect(page.text).toContain('<script src="js/scalar.js">');

    const inline = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page.text)?.[1] ?? '';
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain(`script-src 'self' 'sha256-${hash('sha256', inline, 'base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(inline).toContain('"withDefaultFonts": false');
    expect(inline).toContain('"telemetry": false');

    const script = await gateway.root({ path: '/docs/js/scalar.js' });
    expect(script.status).toBe(200);
    expect(script.headers['content-type']).toContain('javascript');
  });

  it('is found without the slash, and refuses a Host that is none', async () => {
    expect(await gateway.root({ path: '/docs' })).toMatchObject({ status: 301, headers: { location: '/docs/' } });
    for (const path of ['/docs', '/docs/']) {
      expect((await gateway.root({ path, headers: { host: 'a b' } })).status).toBe(400);
    }
  });
});
