import { expect, it } from 'vitest';
import { frameSplitter } from './nats-frames.ts';

const stream = [
  'INFO {"max_payload":1048576}\r\n',
  'PING\r\n',
  'PUB rpc.card.get 5\r\nab\r\nc\r\n',
  'HPUB evt.card.changed _INBOX.x.1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n',
  'MSG _INBOX.x.1 9 0\r\n\r\n',
  'HMSG a 1 12 12\r\nNATS/1.0\r\n\r\n\r\n',
  '+OK\r\n',
];

it.each([1, 2, 3, 7, 1_000])('cuts a stream that arrives %d bytes at a time into whole operations', (size) => {
  const bytes = Buffer.from(stream.join(''));
  const split = frameSplitter();
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const frames = chunks.flatMap(split);
  expect(frames.map((frame) => frame.bytes.toString())).toEqual(stream);
  expect(frames.map(({ isMessage }) => isMessage)).toEqual([false, false, true, true, true, true, false]);
});
