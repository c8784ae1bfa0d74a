import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { chromiumPaths } from './environment.ts';
import { scratchFolder } from './run/worker.ts';

/** Chromium on this machine: `CHROMIUM_BIN`, or where distributions put it; undefined where there is none. */
export const chromium: string | undefined = chromiumPaths().find((path) => existsSync(path));

/** A request that a page sent, with the headers that its script gave it. */
export interface PageRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** A page in a real browser. */
export type Page = Awaited<ReturnType<typeof openPage>>;

interface Message {
  id?: number;
  method?: string;
  params?: { request?: PageRequest };
  result?: never;
  error?: { message: string };
}

/** The DevTools protocol over a pipe: JSON texts with a zero byte behind each. The browser ends with the pipe. */
const speak = (input: Writable, output: Readable, onEvent: (message: Message) => void) => {
  const open = new Map<number, PromiseWithResolvers<never>>();
  let rest = '';
  let last = 0;
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const message: Message = JSON.parse(text);
      const answer = open.get(message.id ?? 0);
      if (!answer) onEvent(message);
      else if (message.error) answer.reject(new Error(message.error.message));
      else answer.resolve(message.result as never);
      open.delete(message.id ?? 0);
    }
  });
  output.once('close', () => {
    for (const { reject } of open.values()) reject(new Error('the browser is gone'));
  });
  input.on('error', () => {}); // Pending answers are rejected above.
  return <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    last += 1;
    const answer = Promise.withResolvers<never>();
    open.set(last, answer);
    input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    return answer.promise;
  };
};

/**
 * Opens a page in a Chromium of its own, without a window, 1400 × 1000 CSS pixels. Close it when done; it ends with the
 * test's process at the latest.
 * @throws Error where there is no Chromium
 */
export const openPage = async (url: string) => {
  if (!chromium) throw new Error('There is no Chromium on this machine');
  const usual = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const args = [...usual, '--remote-debugging-pipe'];
  args.push(`--user-data-dir=${scratchFolder('browser')}`);
  const child = spawn(chromium, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const requests: PageRequest[] = [];
  const [, , , input, output] = child.stdio;
  const send = speak(input as Writable, output as Readable, ({ method, params }) => {
    if (method === 'Network.requestWillBeSent' && params?.request) requests.push(params.request);
  });
  const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  await send('Network.enable', {}, sessionId);
  // A page reads and writes the clipboard while it has the focus.
  await send('Emulation.setFocusEmulationEnabled', { enabled: true }, sessionId);
  await send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
  const resize = async (width: number, height: number) => {
    const metrics = { width, height, deviceScaleFactor: 1, mobile: width <= 500 };
    await send('Emulation.setDeviceMetricsOverride', metrics, sessionId);
  };
  await resize(1400, 1000);
  await send('Page.navigate', { url }, sessionId);

  /**
   * Runs an expression in the page, and waits where it is a promise.
   * @throws Error with what the expression threw
   */
  const evaluate = async <Value>(expression: string) => {
    const how = { expression, awaitPromise: true, returnByValue: true };
    type Evaluated = {
      result: { value: Value };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', how, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  return {
    /** What it has sent so far, oldest first. */
    requests: requests as readonly PageRequest[],
    evaluate,
    /** Gives its window a size in CSS pixels; up to 500 wide it is a phone. */
    resize,
    /** Clicks, as a mouse does, into the middle of the element that an expression yields; false where there is none to be hit. */
    click: async (element: string) => {
      const place = await evaluate<{ x: number; y: number } | null>(`(() => {
        const element = ${element};
        if (!element) return null;
        element.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { left, top, width, height } = element.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const hit = document.elementFromPoint(x, y);
        return hit && (element.contains(hit) || hit.contains(element)) ? { x, y } : null;
      })()`);
      if (!place) return false;
      for (const type of ['mousePressed', 'mouseReleased']) {
        await send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 }, sessionId);
      }
      return true;
    },
    /** The text that was copied last, '' where none was. The clipboard is this browser's own. */
    clipboard: () => evaluate<string>('navigator.clipboard.readText()'),
    /** Types into what has the focus. */
    type: async (text: string) => void (await send('Input.insertText', { text }, sessionId)),
    /** What is on the screen, as PNG. */
    screenshot: async () => {
      const { data } = await send<{ data: string }>('Page.captureScreenshot', {}, sessionId);
      return Buffer.from(data, 'base64');
    },
    close: () => void child.kill(),
  };
};
