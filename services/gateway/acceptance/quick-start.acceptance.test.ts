import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { chromium, eventually, installedNodes, openPage, sharedStack } from '@cardinal/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';

const stack = await sharedStack();
const nodes = [...(await installedNodes())].filter(([major]) => major >= 20);

/** Pastes a text into a program. */
const paste = async (program: string, args: string[], typed: string, token: string) => {
  const child = spawn('env', [`TOKEN=${token}`, program, ...args], { stdio: 'pipe' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end(`${typed}\n`);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
};

const hasPython = (await paste('python3', ['-'], '', '')).code === 0;

describe.skipIf(!chromium)(
  'the quick start of the API page, by its copy buttons (skipped where there is no Chromium)',
  () => {
    const blocks = new Map<string, string>();
    beforeAll(async () => {
      const page = await openPage(`${stack.origin}/docs/`);
      try {
        for (const [language, heading] of [
          ['sh', 'Quick start'],
          ['js', 'JavaScript'],
          ['python', 'Python'],
          ['json', 'Connect an assistant'],
        ] as const) {
          const copied = await eventually(
            async () => {
              await page.click(`document.querySelector('button[aria-label="Copy: ${heading}"]')`);
              const text = await page.clipboard();
              if (!text || [...blocks.values()].includes(text)) throw new Error(`${heading} is not copied yet`);
              return text;
            },
            { everyMs: 500 },
          );
          blocks.set(language, copied);
        }
      } finally {
        page.close();
      }
    });

    it('is at the origin of the page in each language', () => {
      for (const block of blocks.values()) expect(block).toMatch(`${stack.origin}/`);
    });

    it('connects an assistant', async () => {
      const { url, headers } = JSON.parse(blocks.get('json') ?? '').mcpServers.cardinal;
      expect(headers).toEqual({ Authorization: 'Bearer TOKEN' });
      const client = new Client({ name: 'quick-start', version: '1.0.0' });
      const requestInit = { headers: { Authorization: `Bearer ${await stack.token()}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
      await client.close();
    });

    const shown = { data: { card: { title: 'Refund twice' }, is_alias: false } };

    it('runs in a shell', async () => {
      const { code, stdout, stderr } = await paste('bash', ['-s'], blocks.get('sh') ?? '', await stack.token());
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject(shown);
    });

    it.each(nodes)('runs in Node %i', async (_, node) => {
      const module = ['--input-type=module', '-'];
      const { code, stdout, stderr } = await paste(node, module, blocks.get('js') ?? '', await stack.token());
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject(shown.data);
    });

    it.skipIf(!hasPython)('runs in Python (skipped where there is none)', async () => {
      for (const args of [['-'], ['-q', '-i']]) {
        const { code, stdout } = await paste('python3', args, blocks.get('python') ?? '', await stack.token());
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject(shown.data);
      }
    });
  },
);
