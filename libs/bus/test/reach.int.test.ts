import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { brokerProblem, checkBroker } from '../src/index.ts';
import { useBroker } from './fixtures.ts';

const broker = useBroker();

it('accepts a broker that can be used', async () => {
  await checkBroker(broker.server(), { jetStream: true });
});

it.each(['EPIPE', 'ECONNRESET'])('waits for a broker that hangs up (%s)', (code) => {
  const broken = Object.assign(new Error(`write ${code}`), { code });
  expect(brokerProblem(broken, { url: 'nats://broker:4222' })).toMatchObject({
    kind: 'away',
    message: 'NATS_URL: broker:4222 hangs up; see its log, or correct host and port',
  });
});

it('waits for a broker that greets, and then hangs up', async () => {
  const info = `INFO ${JSON.stringify({ server_id: 'one', max_payload: 1_024, auth_required: false })}\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(info, () => socket.resetAndDestroy());
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(checkBroker({ url })).rejects.toMatchObject({ kind: 'away' });
});
