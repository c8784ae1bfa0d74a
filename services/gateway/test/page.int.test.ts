import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, eventually, openPage, type Page } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';

const gateway = await startGateway();
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const operation = 'tag/cards/POST/columns/{column_id}/cards';

interface Violation {
  id: string;
  nodes: { html: string; target: string[] }[];
}

/** The violations that axe finds on the current page, a line each; style sheets are not fetched again, and there are no frames. */
const violations = async (page: Page, rules?: string[]): Promise<string[]> => {
  const options = { resultTypes: ['violations'], preload: false, iframes: false, ...(rules && { runOnly: rules }) };
  const run = `axe.run(document, ${JSON.stringify(options)}).then((found) => JSON.stringify(found.violations))`;
  const found: Violation[] = JSON.parse(await page.evaluate<string>(run));
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${id} ${target.join(' ')}: ${html.slice(0, 200)}`),
  );
};

describe.skipIf(!chromium)('the API page in a browser (skipped where there is no Chromium)', () => {
  let page: Page;
  const holds = (expression: string) =>
    eventually(
      async () => {
        if (!(await page.evaluate<boolean>(`Boolean(${expression})`))) throw new Error(`Not yet: ${expression}`);
      },
      { everyMs: 500 },
    );
  const resize = async (width: number, height: number) => {
    await page.resize(width, height);
    // Of a page that scrolls, the scroll bar takes some.
    await holds(`Math.abs(document.documentElement.clientWidth - ${width}) < 20`);
  };

  // Opening it takes seconds of a core: one for all tests.
  beforeAll(async () => {
    page = await openPage(`http://127.0.0.1:${gateway.port}/docs/`);
    await resize(1280, 900);
    await holds(`document.body.innerText.includes('Quick start')`);
    // An operation, of which most of the page consists, with all its parts open.
    await page.evaluate(`location.hash = '#${operation}'`);
    await holds(`document.querySelector('.response-card pre')`);
    const closed = `[...document.getElementById('api-1/${operation}').querySelectorAll('[aria-expanded="false"]')]
      .filter((one) => /^(201|422)/.test(one.innerText))`;
    await page.evaluate(`${closed}.forEach((one) => one.click())`);
    await holds(`${closed}.length === 0`);
    // Names come a frame after the buttons.
    await holds(`!document.querySelector('button[class*="copy-button"]:not([aria-label])')`);
    await page.evaluate(`${axe}; 0`);
    return () => page.close();
  });

  it('has no violation that axe finds, wide or narrow, light or dark', async () => {
    for (const mode of ['light', 'dark']) {
      await resize(1280, 900);
      const isOn = `document.body.classList.contains('${mode}-mode')`;
      if (!(await page.evaluate<boolean>(isOn))) {
        expect(await page.click(`document.querySelector('button[class*="group/toggle"]')`)).toBe(true);
        await holds(isOn);
      }
      expect(await violations(page), `${mode}, 1280`).toEqual([]);
      await resize(390, 844);
      expect(await violations(page), `${mode}, 390`).toEqual([]);
    }
    await page.evaluate(`document.documentElement.removeAttribute('lang')`);
    expect(await violations(page, ['html-has-lang'])).toEqual([expect.stringMatching(/^html-has-lang /)]);
  });

  it('has a different name for each copy button', async () => {
    const names = JSON.parse(
      await page.evaluate<string>(
        `JSON.stringify([...document.querySelectorAll('button[class*="copy-button"]')].map((one) => one.ariaLabel))`,
      ),
    ) as string[];
    expect(names.length).toBeGreaterThan(5);
    expect(names).toEqual([...new Set(names)]);
    const sections = [
      'Quick start',
      'JavaScript',
      'Python',
      'Follow events',
      'Receive a webhook',
      'Connect an assistant',
      'On the command line',
    ];
    expect(names).toEqual(expect.arrayContaining(sections.map((name) => `Copy: ${name}`)));
  });

  it('is no wider than a phone or a screen, in every section of the introduction', async () => {
    // Lines of code are the widest: a highlighted word that does not wrap widens the page.
    const wide = (width: number) => `[...document.querySelectorAll('.introduction-description *')]
      .filter((one) => one.getBoundingClientRect().right > ${width}).map((one) => one.outerHTML.slice(0, 200)).join('\\n')`;
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      await resize(width, height);
      expect(await page.evaluate<string>(wide(width)), `${width}`).toBe('');
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  it('finds a status, a header and a type of events', async () => {
    await resize(1280, 900);
    await page.evaluate(`document.querySelector('.sidebar-search-placeholder').closest('button').click()`);
    const field = `document.querySelector('input[role="combobox"]')`;
    await holds(field);
    for (const [text, expected] of [
      ['412', '412 precondition_failed'],
      ['Retry-After', 'Limits and Retry-After'],
      ['card.moved', 'card.moved'],
    ] as const) {
      await page.evaluate(`${field}.focus(), ${field}.select()`);
      await page.type(text);
      const found = `[...document.querySelectorAll('[role="option"]')].map((one) => one.innerText).join()`;
      await expect.poll(() => page.evaluate<string>(found)).toContain(expected);
    }
  });
});
