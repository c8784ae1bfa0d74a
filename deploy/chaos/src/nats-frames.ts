/** A whole operation of the NATS client protocol, with its payload. */
export interface Frame {
  bytes: Buffer;
  /** Whether it carries a message; other operations belong to the connection itself. */
  isMessage: boolean;
}

/** Operations with a payload, whose length ends their line (NATS client protocol, "Protocol messages"). */
const messages = /^(?:H?PUB|H?MSG) (?:.* )?(\d+)$/i;

const lineEnd = Buffer.from('\r\n');

/** Splits one direction of a connection into frames. Keeps an incomplete frame until the next chunk. */
export const frameSplitter = () => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer): Frame[] => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(lineEnd, from);
      if (end === -1) break;
      const payload = messages.exec(bytes.toString('latin1', from, end))?.[1];
      const until = end + lineEnd.length + (payload === undefined ? 0 : Number(payload) + lineEnd.length);
      if (until > bytes.length) break;
      frames.push({ bytes: bytes.subarray(from, until), isMessage: payload !== undefined });
      from = until;
    }
    rest = bytes.subarray(from);
    return frames;
  };
};
