// The image's health check: whether the service in this container is ready. There is no curl in it.
import { get } from 'node:http';

const answer = get({ host: '127.0.0.1', port: process.env.PORT, path: '/readyz', timeout: 4_000 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
answer.on('timeout', () => answer.destroy(new Error('no answer')));
answer.on('error', () => process.exit(1));
