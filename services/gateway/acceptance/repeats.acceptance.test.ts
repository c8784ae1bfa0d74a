import { randomUUID } from 'node:crypto';
import { sharedStack, unsigned } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { logOf } from './events/log.ts';
import { newFixture } from './routes/fixture.ts';
import { bodyOf, optionsFor, pathOf, type Route, routes, sendTo } from './routes/samples.ts';
import type { Answer } from './workspace.ts';

const stack = await sharedStack();

/** Every route is tried on one fixture; routes that remove what others need come last. */
const fixture = await newFixture(stack);

const byName = (some: readonly Route[]) => some.map((route) => [`${route.method} ${route.path}`, route] as const);

/** The parts of an answer that a client compares. */
const shape = ({ status, headers, body }: Answer) => ({
  status,
  body: unsigned(body),
  etag: headers.get('etag'),
  location: headers.get('location'),
});

/** A right request, sent twice. */
const twice = async (route: Route) => {
  const [path, options] = [pathOf(route, fixture), optionsFor(route, fixture)];
  if (route.needsIfMatch) {
    // Routes before this one may have changed what it names, `/cards/{card_id}` and the like.
    const named = path.split('/', 3).join('/');
    options.ifMatch = (await fixture.client.data(fixture.client.get(named))).version;
  }
  const send = () => sendTo(route, fixture, { path, options });
  return { first: await send(), second: await send() };
};

describe('a read that is repeated says the same', () => {
  // The log says the same once it has what was done before.
  beforeAll(async () => void (await logOf(fixture.client)));

  it.each(byName(routes.filter(({ isRead, isStream }) => isRead && !isStream)))('%s', async (_, route) => {
    const { first, second } = await twice(route);
    expect(first.status).toBe(route.success);
    // The URL of the bytes has a signature that expires.
    const withoutSignature = (answer: Answer) => ({ ...shape(answer), location: undefined });
    expect(withoutSignature(second)).toEqual(withoutSignature(first));
  });
});

describe('the same request under the same key is answered by its first response', () => {
  it.each(byName(routes.filter(({ needsKey }) => needsKey)))('%s', async (_, route) => {
    const { first, second } = await twice(route);
    expect(first.status).toBe(route.success);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    // Nobody keeps the text of an API key.
    const kept = (text: string) => text.replace(/"key":"\w+"/, '"key":null');
    expect(shape(second)).toEqual({ ...shape(first), body: JSON.parse(kept(JSON.stringify(shape(first).body))) });
    expect(second.text).toBe(kept(first.text));
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

it('a key counts for one operation, whichever service owns it', async () => {
  const own = await newFixture(stack);
  const key = randomUUID();
  for (const route of routes.filter(({ needsKey, takesBody, success }) => needsKey && takesBody && success === 201)) {
    const body = bodyOf(route, own);
    const first = await sendTo(route, own, { options: { key, body } });
    expect([route.operationId, first.status]).toEqual([route.operationId, 201]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const [field = ''] = Object.keys(body);
    const another = field === 'url' ? 'https://other.invalid/' : 'other';
    const other = await sendTo(route, own, { options: { key, body: { ...body, [field]: another } } });
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  }
  const { client, column, workstream, other } = own;
  for (const path of [`/columns/${column.id}`, `/workstreams/${workstream.id}`, `/cards/${other.id}`]) {
    const { version } = (await client.get(path)).body.data;
    const answer = await client.post(`${path}/archive`, { key, ifMatch: version });
    expect([path, answer.status, answer.headers.get('idempotent-replayed')]).toEqual([path, 200, null]);
  }
});

/** What is gone for good; other DELETEs take something off what stays. An erased person stays. */
const endsResource = ({ method, path, operationId }: Route) =>
  method === 'DELETE' && /^\/\w+\/\{\w+\}$/.test(path) && operationId !== 'erasePerson';

describe('a state that is set again stays as it is, and so does everything else', () => {
  const desired = routes.filter(
    (route) => !route.isRead && !route.needsKey && !route.needsIfMatch && !endsResource(route),
  );
  it.each(byName(desired))('%s', async (_, route) => {
    const before = await fixture.client.card(fixture.card.id);
    const { first, second } = await twice(route);
    expect(first.status).toBe(route.success);
    expect(shape(second)).toEqual(shape(first));
    const after = await fixture.client.card(fixture.card.id);
    expect(after.version - before.version).toBeLessThanOrEqual(1);
  });
});

describe('a resource without a version is deleted once', () => {
  it.each(byName(routes.filter((route) => endsResource(route) && !route.needsIfMatch)))('%s', async (_, route) => {
    const { first, second } = await twice(route);
    expect([first.status, second.status]).toEqual([204, 404]);
  });
});

describe('a versioned write without a key succeeds once', () => {
  const versioned = routes.filter(({ needsKey, needsIfMatch }) => needsIfMatch && !needsKey);
  const isDelete = ({ method }: Route) => method === 'DELETE';
  // Parts are deleted before their resource.
  const inOrder = [...versioned.filter((route) => !isDelete(route)), ...versioned.filter(isDelete).reverse()];
  it.each(byName(inOrder))('%s', async (_, route) => {
    const { first, second } = await twice(route);
    expect(first.status).toBe(route.success);
    expect(second.status).toBe(route.method === 'DELETE' ? 404 : 412);
  });
});
