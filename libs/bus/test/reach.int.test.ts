import { expect, it } from 'vitest';
import { brokerProblem, checkBroker, declareStreams } from '../src/index.ts';
import { useBroker } from './fixtures.ts';

const broker = useBroker();

it('takes a broker that will do', async () => {
  await checkBroker(broker.server().url, { jetStream: true });
});

it('tells of a broker that has no room for the stream', async () => {
  const { url } = broker.server();
  const refused: unknown = await declareStreams({ url, maxBytes: 1_024 ** 5 }).catch((error) => error);
  expect(brokerProblem(refused, url)).toMatchObject({
    kind: 'wrong',
    message: expect.stringMatching(/^NATS_URL: NATS at .* has no room for the stream of events \(.*storage.*\); raise/),
  });
});
