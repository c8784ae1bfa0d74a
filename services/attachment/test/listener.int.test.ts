import { getFileContent } from '@cardinal/contracts';
import { aCaller, eventually } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { openListener } from '../src/transfers/listener.ts';
import { aFile, checked, send, startHarness, uploaded } from './support/harness.ts';
import { head, rawClient } from './support/raw-client.ts';

const harness = await startHarness();
const { port } = harness.listener;

/** The answer to a request that asks for its connection to be closed. */
const answerTo = async (text: string, at = port) => {
  const { socket, heard } = rawClient(at);
  socket.write(text);
  await eventually(() => expect(heard()).toMatch(/\r\n\r\n(\{.*\})?$/s));
  socket.destroy();
  const [, status, headers = '', body = ''] = /^HTTP\/1.1 (\d+) .*?\r\n(.*?)\r\n\r\n(.*)$/s.exec(heard()) ?? [];
  const [, requestId] = /^x-request-id: (\S+)$/im.exec(headers) ?? [];
  return { status: Number(status), headers, requestId, error: body ? JSON.parse(body).error : undefined };
};

const asked = (target: string, method = 'GET', ...more: string[]) =>
  [`${method} ${target} HTTP/1.1`, 'Host: files.example', ...more, '', ''].join('\r\n');

const withLong = (name: string) => asked('/x', 'GET', `${name}: ${','.repeat(1025)}`);

const forged = `/files/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}/${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}/content`;

describe('a request with no valid URL', () => {
  it.each([
    ['//', 404],
    ['/', 404],
    ['/%', 404],
    ['/%00', 404],
    ['//host/path', 404],
    ['///', 404],
    ['/\\', 404],
    ['http://', 404],
    ['http://files.example/', 404],
    ['http://files.example//', 404],
    ['ftp://[::', 404],
    [`/${'x'.repeat(15_000)}`, 404],
    [`${'/files/'.repeat(2_000)}`, 404],
    [`/${'x'.repeat(100_000)}`, 400],
    [`//files.example${forged}`, 403],
    [`${forged}?expires=${'9'.repeat(10_000)}&signature=${'x'.repeat(43)}`, 403],
    [`${forged}?expires=Infinity&signature=${'%C3%A9'.repeat(43)}`, 403],
    [`${forged}?${'signature=x&'.repeat(1_000)}`, 403],
  ])('is refused, with the reason in the body: target %#', async (target, status) => {
    const { error, requestId, ...answer } = await answerTo(asked(target));
    expect(answer.status).toBe(status);
    const code = { 400: 'invalid_request', 403: 'insufficient_scope', 404: 'not_found' }[status];
    expect(error).toEqual({ code, message: expect.any(String), request_id: requestId });
    expect(requestId).toMatch(/^.{36}$/);
  });

  it.each([
    ['the server as a whole', asked('*', 'OPTIONS'), 404, 'not_found'],
    ['without a Host', `GET /x HTTP/1.1\r\n\r\n`, 400, 'invalid_request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['an expectation that nobody meets', asked('/x', 'PUT', 'Expect: a-miracle'), 417, 'invalid_request'],
    ['another method', asked(forged, 'PATCH'), 405, 'method_not_allowed'],
    ['a long Range', withLong('Range'), 400, 'invalid_request'],
    ['a long If-Range', withLong('If-Range'), 400, 'invalid_request'],
    ['a long If-None-Match', withLong('If-None-Match'), 400, 'invalid_request'],
    ['a long Origin', withLong('Origin'), 400, 'invalid_request'],
    ['long Access-Control-Request-Headers', withLong('Access-Control-Request-Headers'), 400, 'invalid_request'],
  ])('is refused, with the reason in the body: %s', async (_, text, status, code) => {
    const { error, requestId, ...answer } = await answerTo(text);
    expect([answer.status, error]).toEqual([status, { code, message: expect.any(String), request_id: requestId }]);
  });

  it('keeps the id that the caller sent, where that is valid', async () => {
    const idFor = async (sent: string, ...more: string[]) =>
      (await answerTo(asked('/x', 'GET', `X-Request-Id: ${sent}`, ...more))).requestId;
    expect(await idFor('trace.me-42_x')).toBe('trace.me-42_x');
    expect(await idFor('trace', 'Expect: a-miracle')).toBe('trace');
    expect(await idFor('not sane')).toMatch(/^.{36}$/);
  });

  it('is 503 until the service has started', async () => {
    const early = await openListener(harness.context.config, harness.context.logger);
    const { status, error, headers } = await answerTo(asked('/x'), early.port);
    expect([status, error?.code]).toEqual([503, 'unavailable']);
    expect(headers).toMatch(/^retry-after: 1$/im);
    await early.close();
  });
});

it('a URL in absolute form is the same URL', async () => {
  const by = aCaller();
  const { id } = await uploaded(harness, by, 'hello');
  const { url } = await harness.bus.call(getFileContent, { ...by, file_id: id });
  const { socket, heard } = rawClient(port);
  socket.write(asked(url));
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 200 .*hello$/s));
  socket.destroy();
});

describe('the body of a refused upload', () => {
  it('is read no further than the largest file', async () => {
    const small = await startHarness({ MAX_FILE_BYTES: 100_000, lingerMs: 1_000, beside: harness });
    const { upload } = await aFile(small, aCaller());
    const { socket, heard, closed } = rawClient(small.listener.port);
    socket.write(head('PUT', upload.url.replace('signature=', 'signature=x'), 'Content-Length: 3000000000'));
    await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 403 .*insufficient_scope/s));
    const piece = Buffer.alloc(65_536);
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
    await closed;
    // The kernel buffers some more of it.
    expect(socket.bytesWritten).toBeLessThan(20_000_000);
  });

  it('that a client sends before it reads does not lose it the answer', async () => {
    const small = await startHarness({ MAX_FILE_BYTES: 100_000, beside: harness });
    const by = aCaller();
    const { upload, id } = await aFile(small, by);
    const { socket, heard } = rawClient(small.listener.port);
    socket.pause();
    socket.write(head('PUT', upload.url, 'Content-Length: 8000000'));
    socket.write(Buffer.alloc(8_000_000));
    expect((await checked(small, by, id)).status).toBe('rejected');
    socket.resume();
    await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 413 /));
    socket.destroy();
  });

  it('that is short lets the connection be used again', async () => {
    const { upload } = await aFile(harness, aCaller());
    const { socket, heard } = rawClient(port);
    socket.write(`${head('PUT', upload.url.replace('signature=', 'signature=x'), 'Content-Length: 5')}hello`);
    await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 403 /));
    socket.write(asked('/x'));
    await eventually(() => expect(heard()).toMatch(/HTTP\/1.1 404 /));
    socket.destroy();
    expect((await send(upload.url, 'hello')).status).toBe(200);
  });
});
