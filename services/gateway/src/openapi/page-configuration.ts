/** A global of the page, in which `customFetch` runs. */
declare const location: { origin: string };

/** The page loads everything from this server: no fonts, proxies, telemetry or assistants of others. */
export const configuration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // The page's own snippets would repeat the idempotency key of an example; the document has snippets that do not.
  hiddenClients: true,
  /**
   * Runs in the page before it sends a request. It replaces the example of a key by a new key, and keeps a key that the
   * reader typed. `randomUUID` exists only at origins with TLS.
   */
  onBeforeRequest: ({ requestBuilder: { headers } }: { requestBuilder: { headers: Headers } }) => {
    if (headers.get('idempotency-key') !== 'new-for-each-request') return;
    headers.set('idempotency-key', [...crypto.getRandomValues(new Uint32Array(4))].join('-'));
  },
  /**
   * Runs in the page. It replaces the origin of the document by that of the page: behind a proxy that the gateway does not trust,
   * they differ.
   */
  customFetch: async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init);
    if (!response.url.endsWith('/openapi.json')) return response;
    const text = await response.text();
    const [, origin] = /"servers":\[\{"url":"(https?:\/\/[^/"]+)/.exec(text) ?? [];
    return new Response(origin === undefined ? text : text.replaceAll(origin, () => location.origin), response);
  },
  // On a phone neither the page nor the request dialog is wider than the screen, and the menu does not cover the address.
  // Colors have a contrast of 4.5 (WCAG 2.2, 1.4.3). Code wraps, since a keyboard does not reach blocks that scroll.
  customCss: `
      html { overflow-x: clip; }
      .markdown.markdown td, .markdown.markdown td:first-child code { word-break: normal; }
      .markdown.markdown td:first-child code { white-space: nowrap; }
      .scalar-app-layout main > div { min-width: 0; }
      .light-mode.light-mode {
        --scalar-color-2: #555; --scalar-color-3: #666; --scalar-color-green: #00663d; --scalar-color-blue: #005a92;
        --scalar-color-yellow: #745700; --scalar-color-orange: #9c3500; --scalar-color-red: #b80000; --scalar-color-purple: #5b21b6;
      }
      .dark-mode.dark-mode {
        --scalar-color-2: #b8b8b8; --scalar-color-3: #a3a3a3; --scalar-color-red: #ff8080;
      }
      .markdown.markdown pre code, .markdown.markdown pre code span { white-space: pre-wrap !important; overflow-wrap: anywhere; overflow: visible !important; }
      .markdown .copy-button { display: block; margin: 4px 8px 8px auto; text-decoration: underline; cursor: pointer; }
      .endpoints.endpoints { max-height: none !important; overflow: visible !important; }
      @media (max-width: 600px) {
        .markdown.markdown td, .markdown.markdown th { padding: 6px; }
        body .scalar-app-layout .t-app__top-container { padding-left: 40px; }
      }`,
} as const;
