import { api, chromium, eventually, openPage, type SharedStack, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** What a user can see and press whose text begins so. */
const pressable = (text: string) => `[...document.querySelectorAll('a, button')].find((one) =>
  one.textContent.trim().startsWith(${JSON.stringify(text)}) && one.checkVisibility({ visibilityProperty: true }))`;

/** The page as a user has it. */
const openDocs = async () => {
  const page = await openPage(`${stack.origin}/docs`);
  onTestFinished(() => page.close());
  return {
    page,
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
  it('lists boards with a pasted token, and sends nothing that was not chosen', async () => {
    const token = await stack.token();
    const name = `Seen in a browser ${Date.now()}`;
    expect(await api(stack.baseUrl, token).post('/boards', { body: { name } })).toMatchObject({ status: 201 });

    const { page, shows, has, press } = await openDocs();
    const sent = () => page.requests.filter(({ url }) => url.startsWith(stack.baseUrl));
    const field = 'document.querySelector(\'input[placeholder="Token"]\')';
    await press(field, () => page.evaluate<boolean>(`document.activeElement?.placeholder === 'Token'`));
    await page.type(token);
    await press(pressable('List the boards of the workspace'), () => has('Test Request(get /boards)'));
    await press(pressable('Test Request(get /boards)'), () => has('Send Send get request'));
    await press(pressable('Send Send get request'), () => sent().length > 0);
    await expect.poll(() => shows(name)).toBe(true);

    for (const { method, url, headers } of sent()) {
      expect({ method, url }).toEqual({ method: 'GET', url: `${stack.baseUrl}/boards` });
      const names = new Headers(headers);
      expect(names.get('authorization')).toBe(`Bearer ${token}`);
      // What the browser adds by itself, and nothing that the document names.
      const others = ['accept', 'authorization', 'referer', 'user-agent', 'accept-language'];
      expect([...names.keys()].filter((header) => !others.includes(header) && !header.startsWith('sec-'))).toEqual([]);
    }
  });
});
