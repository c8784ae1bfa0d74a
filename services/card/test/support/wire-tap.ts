import { startProxy } from '@cardinal/testkit';

/** What was heard over each connection so far. */
export type Heard = string[][];

/** What was heard after something else was. */
export const heardSince = (after: Heard, before: Heard): string[] =>
  after.flatMap((one, index) => one.slice(before[index]?.length ?? 0));

/** What clients sent over each connection so far. */
const tapped = async (url: string) => {
  const connections: Buffer[][] = [];
  const proxy = await startProxy(url, () => {
    const sent: Buffer[] = [];
    connections.push(sent);
    return (chunk) => sent.push(chunk);
  });
  return { url: proxy.url, sent: () => connections.map((sent) => Buffer.concat(sent)) };
};

/** Listens to what is asked of a broker. */
export const tapBroker = async (url: string) => {
  const { url: through, sent } = await tapped(url);
  return {
    url: through,
    /** The subjects of all requests, but those by which projections are kept. */
    requests: (): Heard =>
      sent().map((text) =>
        [...text.toString('latin1').matchAll(/\bH?PUB (rpc\.\S+) /g)]
          .map(([, one = '']) => one)
          .filter((subject) => !subject.includes('internal')),
      ),
  };
};

/** The messages of a client after the first one, which alone has no type (PostgreSQL, "Message Formats"). */
function* messagesIn(sent: Buffer): Generator<{ type: string; body: Buffer }> {
  for (let at = sent.length > 4 ? sent.readInt32BE(0) : 0; at > 0 && at + 5 <= sent.length; ) {
    const length = sent.readInt32BE(at + 1);
    yield { type: String.fromCharCode(sent[at] as number), body: sent.subarray(at + 5, at + 1 + length) };
    at += 1 + length;
  }
}

/** Statements by which projections are kept, and follow each write by a moment. */
const ofProjections = /followed-feeds|internal/;

/** Listens to what a service asks of its database. */
export const tapDatabase = async (url: string) => {
  const { url: through, sent } = await tapped(url);
  return {
    url: through,
    /** The names or else the texts of statements that were run with values that contain a text. */
    statements: (about: string): Heard =>
      sent().map((connection) => {
        const found: string[] = [];
        let unnamed = '';
        for (const { type, body } of messagesIn(connection)) {
          const [first = '', second = ''] = body.toString().split('\0');
          if (type === 'P' && first === '') unnamed = second;
          const statement = second || unnamed;
          if (type === 'B' && body.includes(about) && !ofProjections.test(statement)) found.push(statement);
        }
        return found;
      }),
  };
};
