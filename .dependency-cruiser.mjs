// The parser of TypeScript: without it nearly no file is read, and no wall is ever broken.
import '@swc/core';

// The inner walls of the house. Each rule says what it keeps apart and why.

/** Source that ships; tests may reach further. */
const tests = '(\\.(unit|int|contract|acceptance)\\.test\\.ts$|/test/|/acceptance/)';

/** What a service decides, apart from how it is stored and sent. */
const rules = ['^services/[^/]+/src/(rules|bounds)\\.ts$', '^services/[^/]+/src/[^/]+/rules\\.ts$'];

/** What is at `from` does not import what is at `to`. */
const wall = (name, from, to, comment) => ({ name, severity: 'error', from, to, ...(comment && { comment }) });

/** Of all that ships, nothing but `importers` imports `path`. */
const only = (name, importers, path, comment) =>
  wall(name, { path: '^(libs|services|deploy)/', pathNot: [...importers, tests] }, { path }, comment);

/** What is at `folder` imports nothing of the repository and of packages but `allowed`. */
const nothingBut = (name, folder, allowed, comment) =>
  wall(name, { path: folder, pathNot: tests }, { pathNot: allowed }, comment);

export default {
  forbidden: [
    wall('no-cycles', {}, { circular: true }, 'Two files that need each other are one file, or share a third.'),
    // Examples import the client by its name, and it need not be built.
    wall('resolvable', { pathNot: '^libs/client/examples/' }, { couldNotResolve: true }),
    wall(
      'services-are-strangers',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
      'Services talk over the bus, in the words of libs/contracts, and are deployed one by one.',
    ),
    wall('libs-know-no-service', { path: '^libs/' }, { path: '^services/' }),
    wall('nothing-imports-deploy', { path: '^(libs|services)/' }, { path: '^deploy/' }),
    nothingBut(
      'contracts-import-only-zod',
      '^libs/contracts/src/',
      ['^libs/contracts/src/', '^node_modules/zod/', '^(node:)?(crypto|zlib)$'],
      'Contracts do no I/O, so that any package can import them. Hashes and checksums are allowed.',
    ),
    nothingBut(
      'client-needs-nothing',
      '^libs/client/src/',
      ['^libs/client/src/', '^node_modules/eventsource-parser/'],
      'It stands outside: what it knows comes from the OpenAPI document, and it runs in browsers. The parser of streams does too.',
    ),
    nothingBut(
      'models-need-nothing',
      '^libs/model/src/',
      ['^libs/model/src/', '^node:util$', '^util$'],
      'A model is judged by itself, not by the code that it stands for.',
    ),
    nothingBut(
      'mcp-is-made-of-declarations',
      '^libs/mcp/src/',
      ['^libs/(mcp|contracts)/src/', '^node_modules/(@modelcontextprotocol|zod)/'],
      'The gateway and a program on somebody’s machine serve it alike: how the API is reached, they say.',
    ),
    only('only-mcp-imports-the-protocol', ['^libs/mcp/'], '^node_modules/@modelcontextprotocol/'),
    wall(
      'assistants-cost-no-start',
      { path: '^services/gateway/src/' },
      { path: '^libs/mcp/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
      'The library is loaded by the first message.',
    ),
    wall(
      'cli-is-a-client',
      { path: '^libs/cli/src/', pathNot: tests },
      { path: '^(libs|services|deploy)/', pathNot: '^libs/(cli|client|contracts|mcp)/' },
      'It stands outside too: what it can do, any client can.',
    ),
    only('only-bus-imports-nats', ['^libs/bus/'], '^node_modules/(nats|@nats-io)/'),
    only(
      'only-db-imports-pg',
      ['^libs/db/', '^deploy/load/src/reference/'],
      '^node_modules/pg/',
      "The reference of the benchmarks stands for somebody else's system.",
    ),
    wall(
      'bus-and-db-are-strangers',
      { path: '^libs/(bus|db)/src/', pathNot: tests },
      { path: '^libs/(bus|db)/', pathNot: '^libs/$1/' },
    ),
    wall(
      'edge-knows-http-alone',
      { path: '^libs/edge/src/', pathNot: tests },
      { path: '^libs/', pathNot: '^libs/(edge|contracts|runtime)/' },
    ),
    wall(
      'gateway-has-no-database',
      { path: '^services/gateway/src/' },
      { path: ['^libs/(db|service)/', '^node_modules/kysely/'] },
    ),
    only(
      'only-services-import-service',
      ['^libs/(service|testkit)/', '^services/'],
      '^libs/service/',
      'It runs services with a database out of all other libs, which know nothing of it; tests start parts of them.',
    ),
    wall(
      'telemetry-sees-the-driver-load',
      { path: ['^libs/service/src/(program|config)\\.ts$', '^libs/host/src/', '^services/[^/]+/src/program\\.ts$'] },
      {
        path: ['^libs/(bus|db)/', '^libs/service/src/start\\.ts$', '^services/[^/]+/src/(service|app)\\.ts$'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
      'What a process loads before its telemetry has no spans.',
    ),
    wall(
      'rules-do-no-io',
      { path: rules, pathNot: tests },
      { pathNot: [...rules, '^libs/contracts/'] },
      'Rules are pure functions; time and ids come in as arguments.',
    ),
    wall(
      'queries-know-no-bus',
      { path: '^services/[^/]+/src/.+(/statements/|[-/]queries\\.ts$)' },
      { path: '^libs/bus/' },
      'A transaction is never open across a bus call.',
    ),
    only('testkit-stays-in-tests', ['^libs/testkit/'], '^libs/testkit/'),
    only(
      'services-start-no-servers',
      ['^libs/(servers|testkit)/', '^deploy/'],
      '^libs/servers/',
      'Tests run the very servers that a newcomer runs; a service finds its own where its environment says.',
    ),
    wall(
      'acceptance-is-black-box',
      { path: '^services/gateway/acceptance/' },
      { path: '^services/[^/]+/src/|^libs/(bus|db|runtime)/' },
      'Acceptance tests see what a client sees: testkit, the contracts and HTTP, never the source.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.gen\\.ts$|vitest\\.config\\.ts$|^libs/(cli|client)/dist/' },
    // Reads TypeScript, types-only imports included, without the compiler's API.
    parser: 'swc',
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    skipAnalysisNotInRules: true,
  },
};
