import { remoteApi, serveOnStdio } from '../src/stdio.ts';

// Serves the tools over stdio, for a service and with a token: `node program.ts http://127.0.0.1:8080 eyJ…`.
const [, , baseUrl = '', token = ''] = process.argv;
serveOnStdio(remoteApi({ baseUrl, token: () => token, userAgent: 'cardinal-test' }), {
  version: '1.0.0',
  onError: (error) => process.stderr.write(`${error}\n`),
});
