import { declaredOperations } from '@cardinal/contracts';
import fastify from 'fastify';
import { apiPrefix } from '../http/prefix.ts';
import { bodyRules } from '../plugins/body-rules.ts';
import { openapi } from '../plugins/openapi.ts';
import { registerOperation } from '../routes.ts';

/** The document as it is committed in `openapi.json`; needs no bus, because it serves nothing. */
export const documentText = async (): Promise<string> => {
  const app = fastify();
  await openapi(app);
  await app.register(
    async (api) => {
      bodyRules(api);
      const nothing = () => Promise.reject(new Error('the document calls nothing'));
      const bus = { call: nothing, fetch: nothing };
      for (const operation of declaredOperations) registerOperation(api, operation, bus);
    },
    { prefix: apiPrefix },
  );
  await app.ready();
  const text = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  return text;
};
