/** The page's own. */
declare const location: { origin: string };

/** Everything comes from this server: no fonts, proxies, telemetry or assistants from elsewhere. */
export const configuration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // Snippets that the page makes of an example would repeat its idempotency key: the document has others.
  hiddenClients: true,
  /**
   * Runs in the page before each request that it sends: the example of a key becomes a new one. A key that the reader
   * typed stays. `randomUUID` is only there for origins with TLS.
   */
  onBeforeRequest: ({ requestBuilder: { headers } }: { requestBuilder: { headers: Headers } }) => {
    if (headers.get('idempotency-key') !== 'new-for-each-request') return;
    headers.set('idempotency-key', [...crypto.getRandomValues(new Uint32Array(4))].join('-'));
  },
  /** Runs in the page: what the document says of the usual origin is true of the one that serves the page. */
  customFetch: async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init);
    if (!response.url.endsWith('/openapi.json')) return response;
    return new Response((await response.text()).replace(/http:\/\/127\.0\.0\.1:8080/g, location.origin), response);
  },
  // On a phone neither the page nor the request dialog is wider than the screen, and its address not below its menu.
  // Colors have a contrast of 4.5 (WCAG 2.2, 1.4.3), and nothing scrolls that a keyboard does not reach: code wraps.
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
