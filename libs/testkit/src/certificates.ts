import { writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { scratchFolder } from './run/worker.ts';

/** An authority of one's own, and certificates of servers that it signs; PEM files, gone with the run. */
export const certificateAuthority = async () => {
  // Few tests need it, and it takes long to load.
  const { generate } = await import('selfsigned');
  const dir = scratchFolder('certificates');
  const write = (name: string, text: string) => {
    const file = join(dir, name);
    writeFileSync(file, text);
    return file;
  };
  const common = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'authority of a test' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true },
    ],
  });
  return {
    /** File of its own certificate. */
    file: write('authority.pem', authority.cert),
    /** Files of a certificate for a server of this name or address, and of its key. */
    issue: async (server: string) => {
      const altName = isIP(server) ? ({ type: 7, ip: server } as const) : ({ type: 2, value: server } as const);
      const { cert, private: key } = await generate([{ name: 'commonName', value: server }], {
        ...common,
        ca: { key: authority.private, cert: authority.cert },
        extensions: [{ name: 'subjectAltName', altNames: [altName] }],
      });
      return { certificate: write(`${server}.pem`, cert), key: write(`${server}.key`, key) };
    },
  };
};
