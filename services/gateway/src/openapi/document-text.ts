import fastify from 'fastify';
import { registerEndpoint } from '../endpoint/register.ts';
import { apiPrefix } from '../http/prefix.ts';
import { bodyRules } from '../plugins/body-rules.ts';
import { openapi } from '../plugins/openapi.ts';
import { endpoints } from '../routes/index.ts';

/** The document as it is committed in `openapi.json`; needs no bus, because it serves nothing. */
export const documentText = async (): Promise<string> => {
  const app = fastify();
  await openapi(app, endpoints);
  await app.register(
    async (api) => {
      bodyRules(api);
      const nothing = () => Promise.reject(new Error('the document calls nothing'));
      const bus = { call: nothing, fetch: nothing };
      for (const endpoint of endpoints) registerEndpoint(api, endpoint, bus);
    },
    { prefix: apiPrefix },
  );
  await app.ready();
  const text = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  return text;
};
