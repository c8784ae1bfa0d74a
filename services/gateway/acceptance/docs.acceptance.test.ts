import { api, chromium, eventually, openPage, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';

const stack = await sharedStack();

/** A visible link or button whose text begins so. */
const pressable = (text: string) => `[...document.querySelectorAll('a, button')].find((one) =>
  one.textContent.trim().startsWith(${JSON.stringify(text)}) && one.checkVisibility({ visibilityProperty: true }))`;

const tokenField = 'document.querySelector(\'input[placeholder="Token"]\')';

/** The page as a user has it. */
const openDocs = async () => {
  const page = await openPage(`${stack.origin}/docs/`);
  return {
    page,
    sent: (by: string) => page.requests.filter(({ url, method }) => method === by && url.startsWith(stack.baseUrl)),
    shows: async (text: string) => (await page.evaluate<string>('document.body.innerText')).includes(text),
    has: (text: string) => page.evaluate<boolean>(`Boolean(${pressable(text)})`),
    /** Clicks the element that an expression yields until it has worked: the page moves while it is being made. */
    press: (element: string, hasWorked: () => boolean | Promise<boolean>) =>
      eventually(
        async () => {
          if (await hasWorked()) return;
          await page.click(element);
          throw new Error(`Pressing had no effect: ${element}`);
        },
        { everyMs: 250 },
      ),
  };
};

describe.skipIf(!chromium)('the API page in a browser (skipped where there is no Chromium)', () => {
  let docs: Awaited<ReturnType<typeof openDocs>>;
  let token: string;
  beforeAll(async () => {
    token = await stack.token();
    docs = await openDocs();
    return () => docs.page.close();
  });
  /** Closes the request dialog. */
  const close = (send: string) => docs.press(pressable('Close Client'), async () => !(await docs.has(send)));

  it('lists boards with a pasted token, and sends nothing that was not chosen', async () => {
    const name = `Seen in a browser ${Date.now()}`;
    expect(await api(stack.baseUrl, token).post('/boards', { body: { name } })).toMatchObject({ status: 201 });

    const { page, sent, shows, has, press } = docs;
    await press(tokenField, () => page.evaluate<boolean>(`document.activeElement?.placeholder === 'Token'`));
    await page.type(token);
    await press(pressable('List the boards of the workspace'), () => has('Test Request(get /boards)'));
    await press(pressable('Test Request(get /boards)'), () => has('Send Send get request'));
    await press(pressable('Send Send get request'), () => sent('GET').length > 0);
    await expect.poll(() => shows(name)).toBe(true);
    await close('Send Send get request');

    for (const { method, url, headers } of page.requests.filter(({ url }) => url.startsWith(stack.baseUrl))) {
      expect({ method, url }).toEqual({ method: 'GET', url: `${stack.baseUrl}/boards` });
      const names = new Headers(headers);
      expect(names.get('authorization')).toBe(`Bearer ${token}`);
      // What the browser adds by itself, and nothing that the document names.
      const others = ['accept', 'authorization', 'referer', 'user-agent', 'accept-language'];
      expect([...names.keys()].filter((header) => !others.includes(header) && !header.startsWith('sec-'))).toEqual([]);
    }
  });

  it('sends a new idempotency key each time, and shows snippets that do', async () => {
    const { page, sent, has, press } = docs;
    await press(pressable('Create a board'), () => has('Test Request(post /boards)'));
    // The operation's own, in whatever language it is shown.
    const snippet = () =>
      page.evaluate<string>(
        `[...document.querySelectorAll('.scalar-card pre')].map((one) => one.textContent).find((text) => text.includes('/boards"')) ?? ''`,
      );
    await expect.poll(snippet).toContain('-H "Idempotency-Key: $(date +%s)-$RANDOM"');
    await press(pressable('Test Request(post /boards)'), () => has('Send Send post request'));
    await press(pressable('Send Send post request'), () => sent('POST').length > 0);
    await press(pressable('Send Send post request'), () => sent('POST').length > 1);
    await close('Send Send post request');
    const keys = sent('POST').map(({ headers }) => new Headers(headers).get('idempotency-key'));
    expect(new Set(keys).size).toBe(keys.length);
    const made = async () => {
      const boards = await api(stack.baseUrl, token).get<{ name: string }[]>('/boards');
      return boards.body.data.filter(({ name }) => name === 'Payments').length;
    };
    await expect.poll(made).toBeGreaterThanOrEqual(2);
  });

  it('fits a phone: the request dialog with its Send too', async () => {
    const { page, shows, has, press } = docs;
    await page.resize(390, 844);
    await expect.poll(() => shows('Quick start')).toBe(true);
    await page.evaluate(`location.hash = '#tag/cards/POST/columns/{column_id}/cards'`);
    await press(pressable('Test Request(post /columns/{column_id}/cards)'), () => has('Send Send post request'));
    const right = `(${pressable('Send Send post request')}).getBoundingClientRect().right`;
    expect(await page.evaluate<number>(right)).toBeLessThanOrEqual(390);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
