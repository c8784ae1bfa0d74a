import { connect } from 'node:net';

/** A client that sends the exact text, over one connection. */
export const rawClient = (port: number) => {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, heard: () => heard };
};

/** The head of a request to a URL. */
export const head = (method: string, target: string, ...headers: string[]): string => {
  const { pathname, search, host } = new URL(target);
  return [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
};
