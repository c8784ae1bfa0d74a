import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { newFixture } from './routes/fixture.ts';
import { routes, sendTo } from './routes/samples.ts';

const stack = await sharedStack();
const apiPrefix = '/api/kanban/v1';

const fixture = await newFixture(stack);

describe('a created resource can be read at its Location', () => {
  it.each(routes.filter(({ success }) => success === 201).map((route) => [route.path, route] as const))(
    'POST %s',
    async (_path, route) => {
      const made = await sendTo(route, fixture);
      expect(made.status).toBe(201);
      const location = made.headers.get('location') ?? '';
      expect(location.startsWith(`${apiPrefix}/`)).toBe(true);
      const path = location.slice(apiPrefix.length);
      const found = await fixture.client.get(path);
      expect(found.status).toBe(200);
      // Only the answer to the create has the upload URL of a file, the secret of a webhook and the text of a key.
      const { upload: _upload, secret: _secret, key: _key, ...resource } = made.body.data;
      expect(found.body.data).toEqual(resource);

      const etag = made.headers.get('etag');
      expect(found.headers.get('etag')).toBe(etag);
      if (!etag) return;
      const known = await fixture.client.get(path, { headers: { 'if-none-match': etag } });
      expect([known.status, known.body, known.headers.get('etag')]).toEqual([304, '', etag]);
    },
  );
});
