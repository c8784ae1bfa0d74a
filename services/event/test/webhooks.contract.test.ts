import * as contracts from '@cardinal/contracts';
import { aCaller, aCommand, type Exercises, eventually, testRequests } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { startHarness } from './support/webhook-harness.ts';

const harness = await startHarness({ WEBHOOK_HTTP: false, WEBHOOK_NETWORKS: [] });
const { bus } = harness;

/** An address that the sender refuses. */
const url = 'https://127.0.0.1/hook';
const page = { limit: 10 };
const hiddenBoard = () => {
  const board_id = v7();
  harness.hide(board_id);
  return board_id;
};

/** Creates a webhook. @returns its owner, its id, and the common part of commands on it */
const given = async () => {
  const by = aCaller();
  const { id: webhook_id, version } = await harness.hook(by, url);
  return { by, webhook_id, command: { ...by, webhook_id, command: aCommand(), if_match: [version] } };
};

/** Returns the request as another admin sends it. */
const byAnother = <Request extends object>(request: Request) => ({
  ...request,
  user_id: v7(),
  ...('command' in request && { command: aCommand() }),
});

const exercises: Exercises = [
  [
    contracts.createWebhook,
    async () => {
      const [by, full] = [aCaller(), aCaller()];
      for (let at = 0; at < 20; at += 1) await harness.hook(full, url);
      const create = (caller: object, body: object) => ({ ...caller, command: aCommand(), body });
      return {
        request: create(by, {
          url,
          types: ['card.*', 'comment.created'],
          changed: ['priority'],
          private_boards: true,
          description: 'Tells the chat',
        }),
        refused: {
          conflict: create(full, { url }),
          not_found: create(by, { url, board_id: hiddenBoard() }),
          validation_error: create(by, { url: 'http://example.com/' }),
        },
      };
    },
  ],
  [
    contracts.getWebhook,
    async () => {
      const { by, webhook_id } = await given();
      return { request: { ...by, webhook_id } };
    },
  ],
  [contracts.listWebhooks, async () => ({ request: { ...(await given()).by, page } })],
  [
    contracts.patchWebhook,
    async () => {
      const { command } = await given();
      const patch = (body: object) => ({ ...command, command: aCommand(), body });
      return {
        request: patch({ state: 'paused', types: ['board.*'] }),
        refused: {
          insufficient_scope: [
            { url: 'https://other.example/' },
            { state: 'active' },
            { state: 'paused', types: [] },
          ].map((body) => ({ ...patch(body), user_id: v7() })),
          not_found: patch({ board_id: hiddenBoard() }),
          validation_error: patch({ url: 'http://example.com/' }),
        },
      };
    },
  ],
  [contracts.deleteWebhook, async () => ({ request: (await given()).command })],
  [
    contracts.rotateWebhook,
    async () => {
      const { command } = await given();
      return { request: command, refused: { insufficient_scope: byAnother(command) } };
    },
  ],
  [contracts.takeoverWebhook, async () => ({ request: byAnother((await given()).command) })],
  [
    contracts.pingWebhook,
    async () => {
      const { if_match: _, ...request } = (await given()).command;
      return { request, refused: { insufficient_scope: byAnother(request) } };
    },
  ],
  [
    contracts.replayWebhook,
    async () => {
      const paused = async (oldest = 1) => {
        const { by, webhook_id } = await given();
        const { version } = await harness.patch(by, webhook_id, { state: 'paused' });
        await harness.stand(by.workspace_id, webhook_id, oldest);
        return { ...by, webhook_id, if_match: [version] };
      };
      const replay = (on: object) => ({ ...on, command: aCommand(), body: { after: 0, until: 2 } });
      const busy = await paused();
      const { resource } = await bus.call(contracts.replayWebhook, replay(busy) as never);
      return {
        request: replay(await paused()),
        refused: {
          conflict: replay({ ...busy, if_match: [resource.version] }),
          gone: replay(await paused(2)),
          insufficient_scope: byAnother(replay(await paused())),
        },
      };
    },
  ],
  [
    contracts.listDeliveries,
    async () => {
      const { by, webhook_id } = await given();
      await bus.call(contracts.pingWebhook, { ...by, webhook_id, command: aCommand() });
      await eventually(async () => expect(await harness.deliveries(by, webhook_id)).toHaveLength(1));
      const request = { ...by, webhook_id, page };
      return { request, refused: { insufficient_scope: byAnother(request) } };
    },
  ],
];

/** Replaces the values that differ each time. */
const fixed = (text: string) =>
  text.replace(/whsec_[\w+/=]+/g, 'whsec_secret').replace(/("milliseconds": )\d+/g, (_, name) => `${name}87`);

testRequests({ service: 'event', part: 'webhooks', bus, exercises, fixed });
