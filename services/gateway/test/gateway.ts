import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@cardinal/bus';
import { apiPrefix, type RequestContract } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { atEndOfFile, eventually, testBus, testNats } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { buildApp } from '../src/app.ts';
import { configSchema } from '../src/config.ts';

import { type Answer, type Sent, send } from './http.ts';
import { audience, type Claims, issuer, publish, type SigningKey, signingKey } from './keys.ts';

type Handler<Request extends z.ZodType, Reply extends z.ZodType> = (
  request: z.output<Request>,
) => Promise<z.output<Reply>> | z.output<Reply>;

export interface Call extends Sent {
  /** False sends no token. */
  token?: string | false;
}

/**
 * The gateway over HTTP and a real bus. Behind the bus stands a contract double: handlers that a test writes, which
 * stand for the services whose own tests show that they keep the same contracts.
 */
export const startGateway = async (environment: Record<string, string> = {}) => {
  const nats = await testNats();
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-gateway-'));
  const jwksFile = join(folder, 'jwks.json');
  const key: SigningKey = await signingKey('EdDSA');
  publish(jwksFile, [key]);

  const lines: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'debug',
    destination: { write: (line) => lines.push(line) },
  });
  const owners = await testBus(nats.url);
  const keys = 'JWKS_URL' in environment || 'TOKEN_ISSUER' in environment ? {} : { JWKS_FILE: jwksFile };
  const config = configSchema.parse({
    NATS_URL: nats.url,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    CHECK_REPLIES: 'true',
    // A test that is not about them must not meet them, however slow the machine is.
    REQUEST_TIMEOUT_MS: '60000',
    MAX_EVENT_LOOP_DELAY_MS: '60000',
    ...keys,
    ...environment,
  });
  const { CHECK_REPLIES: checkReplies } = config;
  const bus = await connectBus({ url: nats.url, name: 'gateway', logger, checkReplies });
  const app = await buildApp({ config, bus, logger });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;

  const claims = { workspace: v7(), user: v7() };
  const token = await key.sign(claims);
  const handlers = new Map<string, (request: never) => unknown>();
  /** Until the broker knows the subjects: it refuses those without a subscriber. */
  let known: Promise<void> = Promise.resolve();

  const stop = atEndOfFile(async () => {
    await app.close();
    await Promise.all([bus.drain(), owners.drain()]);
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  return {
    app,
    port,
    nats,
    key,
    jwksFile,
    /** Whom the default token stands for. */
    caller: { workspace_id: claims.workspace, user_id: claims.user },
    /** Everything that the gateway logged so far. */
    log: () => lines.join(''),
    tokenFor: (more: Claims) => key.sign({ ...claims, ...more }),
    /** What the owner of the contract answers from now on. */
    serve<Request extends z.ZodType, Reply extends z.ZodType>(
      contract: RequestContract<Request, Reply>,
      handler: Handler<Request, Reply>,
    ) {
      if (!handlers.has(contract.subject)) {
        const current = async (request: unknown) => handlers.get(contract.subject)?.(request as never);
        owners.serve(contract, current as (request: z.output<Request>) => Promise<z.input<Reply>>);
        known = eventually(() => owners.ping());
      }
      handlers.set(contract.subject, handler as (request: never) => unknown);
    },
    /** Sends a request into the API with the default token. */
    async call({ token: own = token, path, headers, ...sent }: Call): Promise<Answer> {
      await known;
      const authorization = own === false ? undefined : `Bearer ${own}`;
      return send(port, { ...sent, path: `${apiPrefix}${path}`, headers: { authorization, ...headers } });
    },
    /** Sends a request to the root, without a token. */
    root: (sent: Sent) => send(port, sent),
    /** Ends it before the test file is over. */
    stop,
  };
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
